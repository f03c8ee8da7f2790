#!/bin/sh
# A browser that never responds and ignores TERM.
trap '' TERM
echo "silent browser $*" >&2
while :; do sleep 1; done
