#!/usr/bin/env bash
# Generates clients from docs/openapi.json in the languages below, compiles them, and runs the same scenario
# with each client against a demo. The client hires a worker, sets up the worker's pay, adds a check and reads
# all objects back. compare.py compares every value that a client reads with the value in the response. Run
# this script before a release. .ci/run only tests the Python client (client.sh).
#
#   tests/openapi/clients.sh             all languages
#   tests/openapi/clients.sh go rust     only these languages
#   DEMO_SERVER=target/release/payroll-server tests/openapi/clients.sh     uses this server, builds none
#
# Needs cargo, java, python3 and the packages of each language. On Debian:
#   go          golang-go golang-golang-x-oauth2-dev golang-gopkg-validator.v2-dev
#   java        a JDK of 17 or later, libhttpclient-java libhttpmime-java libjsr305-java
#               libjakarta-annotation-api-java (Jackson comes from the generator's archive)
#   typescript  nodejs npm (the compiler comes from npm, pinned)
#   ruby        ruby ruby-typhoeus
#   php         php-cli php-curl php-mbstring php-guzzlehttp-guzzle
#   rust        its crates come from crates.io
# If a language is not installed, its test fails.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/openapi/demo.sh
source tests/openapi/generator.sh

all=(go java typescript ruby php rust)
clients="$target/openapi-clients"
journeys=$PWD/tests/openapi/clients
typescript_version=5.8.3
node_types_version=20.19.0

# Each function LANGUAGE_client runs the scenario in its language, and prints the values that the client has
# read.

go_client() {
    local path="$clients/gopath"
    rm -rf "$path" && mkdir -p "$path/src/payroll" "$path/src/journey"
    generate go "$clients/go"
    cp "$clients"/go/*.go "$path/src/payroll/"
    cp "$journeys/journey.go" "$path/src/journey/main.go"
    # Without modules, Go finds Debian's packages and does not contact a module proxy.
    (cd "$path/src/journey" && GO111MODULE=off GOPATH="$path:/usr/share/gocode" go build -o journey .)
    "$path/src/journey/journey" "$@"
}

java_client() {
    local jars=/usr/share/java
    local classpath="$clients/java/classes:$(find "$tools/venv" -name openapi-generator.jar | head -n 1)"
    classpath+=":$jars/httpclient.jar:$jars/httpcore.jar:$jars/httpmime.jar:$jars/jsr305.jar"
    classpath+=":$jars/jakarta-annotation-api.jar"
    generate java "$clients/java" --library native \
        --additional-properties=openApiNullable=false,useJakartaEe=true
    mkdir -p "$clients/java/classes"
    find "$clients/java/src/main" -name '*.java' >"$clients/java/sources"
    javac -nowarn -proc:none -cp "$classpath" -d "$clients/java/classes" \
        "@$clients/java/sources" "$journeys/Journey.java" 2>"$clients/java/javac.log" || {
        cat "$clients/java/javac.log" >&2
        return 1
    }
    java -cp "$classpath" Journey "$@"
}

typescript_client() {
    local folder="$clients/typescript"
    generate typescript-fetch "$folder/client"
    npm install --silent --no-audit --no-fund --prefix "$tools/typescript" \
        "typescript@$typescript_version" "@types/node@$node_types_version"
    cp "$journeys/journey.ts" "$folder/"
    "$tools/typescript/node_modules/.bin/tsc" --strict --target es2022 --module commonjs \
        --lib es2022,dom --typeRoots "$tools/typescript/node_modules/@types" --types node \
        --outDir "$folder/out" "$folder/journey.ts" >&2
    node "$folder/out/journey.js" "$@"
}

ruby_client() {
    generate ruby "$clients/ruby"
    find "$clients/ruby/lib" -name '*.rb' -exec ruby -c {} + >/dev/null
    ruby -I "$clients/ruby/lib" "$journeys/journey.rb" "$@"
}

php_client() {
    generate php "$clients/php"
    find "$clients/php/lib" -name '*.php' -exec sh -c 'for file; do php -l "$file" >/dev/null; done' sh {} +
    php "$journeys/journey.php" "$clients/php" "$@"
}

rust_client() {
    local folder="$clients/rust"
    generate rust "$folder"
    mkdir -p "$folder/src/bin"
    cp "$journeys/journey.rs" "$folder/src/bin/"
    # The client is its own workspace. TLS is omitted, because the demo uses plain HTTP.
    cat >>"$folder/Cargo.toml" <<'END'

[dependencies.tokio]
version = "1"
features = ["macros", "rt"]

[workspace]
END
    sed -i 's/^edition = .*/edition = "2024"/' "$folder/Cargo.toml"
    cargo run --quiet --manifest-path "$folder/Cargo.toml" --target-dir "$clients/rust-target" \
        --no-default-features --bin journey -- "$@"
}

# The program that must be installed for each language.
declare -A programs=([go]=go [java]=javac [typescript]=npm [ruby]=ruby [php]=php [rust]=cargo)

start_demo
export ACTIVATE=$PWD/tests/openapi/activate.py
failed=()
[ $# -gt 0 ] || set -- "${all[@]}"
for language in "$@"; do
    if [ -z "${programs[$language]:-}" ]; then
        echo "$language: unknown; there are ${all[*]}" >&2
        failed+=("$language")
    elif ! command -v "${programs[$language]}" >/dev/null; then
        echo "$language: not installed, ${programs[$language]} is missing; see the head of $0" >&2
        failed+=("$language")
    # A separate process, which ends at the first failed command.
    elif python3 tests/openapi/compare.py "$BASE" "$KEY" "$SECRET" bash -euo pipefail -c "
        $(declare -p clients journeys target tools typescript_version node_types_version)
        $(declare -f generate "${language}_client"); ${language}_client \"\$@\"" journey; then
        echo "$language: made the journey"
    else
        echo "$language: failed" >&2
        failed+=("$language")
    fi
done
[ ${#failed[@]} -eq 0 ] || {
    echo "failed: ${failed[*]}" >&2
    exit 1
}
