# Completions of payroll-server for bash.
_payroll_server() {
    local command="payroll-server" option="" last="" word i IFS=$' \t\n'
    local -a line=()

    # Bash splits words at = and :, so joins these parts again.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        # Only the part of the last word before the cursor is completed.
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

    # Finds the command, and an option before the last word that needs a value.
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
