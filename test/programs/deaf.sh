# Does not hear TERM, and neither do its children.
trap '' TERM
echo ready
sleep "$1"
sleep "$1"
