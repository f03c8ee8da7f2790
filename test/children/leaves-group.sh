# Forks a grandchild that leaves the group and the session, ignores TERM, and keeps its marker. It is the grandchild that is ready.
setsid sh -c 'trap "" TERM; echo ready; sleep "$1"' sh "$1" &
sleep "$1"
