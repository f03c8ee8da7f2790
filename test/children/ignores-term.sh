# Ignores TERM, and so do its children.
trap '' TERM
echo ready
sleep "$1"
sleep "$1"
