# Ends by itself when it is asked to, and cleans up first. $1: seconds that the sleep at its side is recognized by.
trap 'sleep 0.1; echo cleaned up; exit 0' TERM
sleep "$1" &
echo ready
wait
