#!/usr/bin/env bash
# Checks the alert rules with promtool: their syntax, and that each alert fires only for its fault. Needs
# promtool from Debian's package prometheus. `cargo test -p acceptance metrics` checks that the metrics exist.
set -euo pipefail
cd "$(dirname "$0")"
promtool check config ../../docs/deploy/monitoring/prometheus.yml
promtool test rules alerts_test.yml
