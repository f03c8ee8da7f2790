# Forks children in its own group.
sleep "$1" &
(sleep "$1" & sleep "$1") &
echo ready
wait
