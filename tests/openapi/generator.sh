# To be sourced. Installs a pinned openapi-generator below the target folder. `generate LANGUAGE FOLDER
# ARGUMENTS…` then generates a client from docs/openapi.json or from the file in DESCRIPTION.

target=${CARGO_TARGET_DIR:-$PWD/target}
tools="$target/openapi-tools"
generator_version=7.26.0

mkdir -p "$tools"
[ -x "$tools/venv/bin/python" ] || python3 -m venv "$tools/venv"
"$tools/venv/bin/pip" install --quiet --disable-pip-version-check "openapi-generator-cli==$generator_version"

generate() {
    local language=$1 folder=$2
    shift 2
    rm -rf "$folder"
    "$tools/venv/bin/openapi-generator-cli" generate --generator-name "$language" \
        --input-spec "${DESCRIPTION:-docs/openapi.json}" --output "$folder" "$@" >"$tools/generator.log" 2>&1 || {
        tail -n 40 "$tools/generator.log" >&2
        return 1
    }
}
