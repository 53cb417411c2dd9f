# To be sourced. `start_demo` starts a demo that ends with the script. It builds the server, unless
# DEMO_SERVER is the path of a server. It sets and exports BASE, KEY, SECRET, OPERATOR and OPERATOR_KEY.

target=${CARGO_TARGET_DIR:-$PWD/target}

start_demo() {
    local server=${DEMO_SERVER:-$target/debug/payroll-server}
    [ -n "${DEMO_SERVER:-}" ] || cargo build --quiet --locked -p payroll-server
    page=$(mktemp)
    # The limits are disabled, because tests send thousands of requests a minute, many with a wrong key.
    "$server" demo --port 0 --rate-limit-per-minute 0 \
        --failed-tokens-per-minute 0 >"$page" 2>"$page.log" &
    demo=$!
    trap 'kill $demo 2>/dev/null || true; rm -f "$page" "$page.log"' EXIT
    for _ in $(seq 300); do
        grep -q Ctrl-C "$page" && break
        kill -0 $demo 2>/dev/null || { cat "$page.log" >&2; return 1; }
        sleep 0.1
    done
    printed() { sed -n "s/^  $1  *//p" "$page"; }
    export BASE KEY SECRET OPERATOR OPERATOR_KEY
    BASE=$(printed "base address") KEY=$(printed client_id) SECRET=$(printed client_secret)
    OPERATOR=$(printed operator)/operator/v1 OPERATOR_KEY=$(printed operator_key)
}
