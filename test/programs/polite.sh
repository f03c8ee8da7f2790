# Ends by itself when it is asked to, and cleans up first, for which it needs a child.
trap 'sleep 0.1 && echo cleaned up; exit 0' TERM
echo ready
while :; do sleep 0.05; done
