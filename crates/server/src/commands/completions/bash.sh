# Completions of payroll-server for bash.
_payroll_server() {
    local command="payroll-server" option="" last="" word i IFS=$' \t\n'
    local -a line=()

    # bash takes words apart at = and :, which are parts of words here.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        # Of the last word, only what stands before the cursor counts.
        if ((i == COMP_CWORD)) && [[ "$word" != [=:]* ]]; then word="$2"; fi
        if ((i > 1)) && [[ "${COMP_WORDS[i]}" == [=:]* || "${COMP_WORDS[i - 1]}" == *[=:] ]]; then
            line[${#line[@]} - 1]="${line[${#line[@]} - 1]}$word"
        else
            line[${#line[@]}]="$word"
        fi
    done
    if ((${#line[@]} > 0)); then
        last="${line[${#line[@]} - 1]}"
        unset "line[${#line[@]} - 1]"
    fi

    # Which command it is, and whether an option before still wants its value.
    for word in ${line[@]+"${line[@]}"}; do
        if [[ -n "$option" ]]; then
            option=""
            continue
        fi
        case "$word" in
            @valued@) option="$word" ;;
            -*) ;;
            *) case "$command $word" in
                @commands@) command="$command $word" ;;
            esac ;;
        esac
    done
    if [[ -z "$option" && "$last" == --*=* ]]; then
        option="${last%%=*}"
        last="${last#*=}"
    fi

    local words="" files=""
    case "$option" in
        "") case "$command" in
@words@
        esac ;;
@values@
    esac
    if [[ -z "$option" && "$last" == -* ]]; then
        files=""
        words="@everywhere@"
        case "$command" in
@options@
        esac
    fi
    if [[ -n "$files" ]]; then
        IFS=$'\n'
        if type compopt > /dev/null 2>&1; then compopt -o filenames 2> /dev/null; fi
        COMPREPLY=($(compgen -f -- "$last"))
    else
        COMPREPLY=($(compgen -W "$words" -- "$last"))
    fi
}
complete -F _payroll_server payroll-server
