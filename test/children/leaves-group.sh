# Forks a grandchild that leaves the group and the session, ignores TERM, and keeps its marker.
setsid sh -c 'trap "" TERM; sleep "$1"' sh "$1" &
sleep 0.1
echo ready
sleep "$1"
