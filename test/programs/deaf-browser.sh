#!/bin/sh
# A browser that never says a word and takes no TERM.
trap '' TERM
echo "deaf browser $*" >&2
while :; do sleep 1; done
