#!/usr/bin/env bash
# Checks the alert rules with promtool: their syntax, and that each fires for its fault and for nothing else.
# Needs promtool, which is in Debian's package prometheus. That the metrics exist is tested by `cargo test -p acceptance
# monitoring`.
set -euo pipefail
cd "$(dirname "$0")"
promtool check config ../../docs/deploy/monitoring/prometheus.yml
promtool test rules alerts_test.yml
