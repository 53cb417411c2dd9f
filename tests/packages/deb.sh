#!/usr/bin/env bash
# Installs, upgrades, removes and purges the Debian package in a new Debian system below a temporary folder.
#   tests/packages/deb.sh PACKAGE
# Needs root, debootstrap with a mirror of Debian, dpkg-deb and systemd-analyze. Takes about a minute.
#   SUITE=bookworm    the release of Debian
#   MIRROR=URL        the source of its packages
#   BASE=FOLDER       an existing system from debootstrap, which is copied
set -euo pipefail
package=$(realpath "$1")
suite=${SUITE:-bookworm}
work=$(mktemp -d)
system=$work/system
trap 'umount "$system/proc" 2>/dev/null || true; rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
inside() { chroot "$system" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
version() { dpkg-deb --field "$1" Version; }

# Checks the contents of the package.
contents=$(dpkg-deb --contents "$package")
for file in ./usr/bin/payroll-server ./etc/payroll/payroll.toml ./usr/share/man/man1/payroll-server.1.gz \
    ./usr/share/man/man1/payroll-server-restore.1.gz ./usr/share/man/man5/payroll-server-settings.5.gz \
    ./usr/share/bash-completion/completions/payroll-server ./usr/share/zsh/vendor-completions/_payroll-server \
    ./usr/share/fish/vendor_completions.d/payroll-server.fish ./usr/share/doc/payroll-server/copyright; do
    grep -q " $file\$" <<<"$contents" || fail "$file is missing"
done
foreign=$(awk '$2 != "root/root" && $2 != "0/0"' <<<"$contents")
[ -z "$foreign" ] || fail "these files do not belong to root: $foreign"

# The exposure of the unit according to `systemd-analyze security` must be at most 2.0 (the threshold is 10
# times the score).
dpkg-deb --extract "$package" "$work/files"
unit=$(find "$work/files" -name payroll-server.service)
[ -n "$unit" ] || fail "there is no unit"
systemd-analyze security --offline=true --no-pager --threshold=20 --root="$work/files" payroll-server.service >"$work/security" ||
    fail "$(tail -1 "$work/security")"

# Builds an older version with another settings file.
dpkg-deb --raw-extract "$package" "$work/older"
sed -i 's/^Version: .*/Version: 0.0.1-1/' "$work/older/DEBIAN/control"
echo "# of an older version" >>"$work/older/etc/payroll/payroll.toml"
(cd "$work/older" && find . -type f -not -path './DEBIAN/*' -printf '%P\0' | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
dpkg-deb --root-owner-group --build "$work/older" "$work/older.deb" >/dev/null

if [ -n "${BASE:-}" ]; then
    cp -a "$BASE" "$system"
else
    debootstrap --variant=minbase --include=adduser,ca-certificates,init-system-helpers "$suite" "$system" ${MIRROR:+"$MIRROR"} >"$work/log" 2>&1 ||
        fail "$(tail -5 "$work/log")"
fi
mount -t proc proc "$system/proc"
cp "$package" "$system/new.deb"
cp "$work/older.deb" "$system/older.deb"

install() { inside apt-get install --quiet --yes --no-install-recommends --option Dpkg::Options::=--force-confold "$1" >"$work/log" 2>&1 || fail "$(cat "$work/log")"; }
state() { inside stat --format '%U:%G %a' "$1"; }

install /older.deb
inside payroll-server --version | grep >/dev/null '^payroll-server ' || fail "the program does not run"
[ "$(state /etc/payroll/keys)" = "root:root 600" ] || fail "the keys are $(state /etc/payroll/keys)"
[ "$(state /var/lib/payroll)" = "payroll:payroll 700" ] || fail "the data are $(state /var/lib/payroll)"
[ "$(state /etc/payroll/payroll.toml)" = "root:payroll 640" ] || fail "the settings are $(state /etc/payroll/payroll.toml)"
inside test -e /etc/systemd/system/multi-user.target.wants/payroll-server.service || fail "the unit is not enabled"

# Starts the server like the systemd unit: as the package's user, with the package's settings and keys.
serve='cp /etc/payroll/keys /run/keys && chown payroll /run/keys && chmod 400 /run/keys && cd /var/lib/payroll &&
    exec setpriv --reuid=payroll --regid=payroll --clear-groups --no-new-privs --inh-caps=-all \
    env PAYROLL_CONFIG=/etc/payroll/payroll.toml PAYROLL_KEY_FILE=/run/keys PAYROLL_LISTEN=127.0.0.1:0 PAYROLL_OPERATOR_LISTEN=127.0.0.1:0'
as_payroll() { inside sh -c "$serve $*"; }
as_payroll timeout 5 payroll-server serve >"$work/log" 2>&1 || true
grep -q '"serving"' "$work/log" || fail "it does not serve: $(cat "$work/log")"
as_payroll payroll-server doctor | grep >/dev/null 'schema is at' || fail "doctor: $(as_payroll payroll-server doctor)"
[ "$(inside sh -c 'ls /var/lib/payroll/backups/*.db' | wc -l)" = 1 ] || fail "there is no scheduled backup"

# An upgrade keeps the operator's settings, the keys and the data.
inside sh -c 'echo "workers = 3" >>/etc/payroll/payroll.toml'
before=$(inside sha256sum /etc/payroll/payroll.toml /etc/payroll/keys /var/lib/payroll/payroll.db)
install /new.deb
[ "$(inside dpkg-query --show --showformat '${Version}' payroll-server)" = "$(version "$package")" ] || fail "no upgrade"
[ "$(inside sha256sum /etc/payroll/payroll.toml /etc/payroll/keys /var/lib/payroll/payroll.db)" = "$before" ] || fail "the upgrade has changed files of the operator"
as_payroll payroll-server config | grep >/dev/null '^workers = "3"' || fail "the settings do not count"

inside apt-get remove --quiet --yes payroll-server >"$work/log" 2>&1 || fail "$(cat "$work/log")"
inside test ! -e /usr/bin/payroll-server || fail "the program stays"
inside test -e /etc/payroll/payroll.toml || fail "removing deletes the settings"
inside apt-get purge --quiet --yes payroll-server >"$work/log" 2>&1 || fail "$(cat "$work/log")"
grep -q 'stay. Delete them' "$work/log" || fail "purge does not mention the data: $(cat "$work/log")"
inside test -e /var/lib/payroll/payroll.db -a -e /etc/payroll/keys || fail "purging deletes data"
inside test ! -e /etc/payroll/payroll.toml || fail "purging keeps the settings"
echo "$(basename "$package"): installed, served, upgraded, removed and purged on $suite"
