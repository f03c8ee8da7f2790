# Ends, and leaves children behind that hold its stdout: one of them is deaf and has shed the marker.
sleep "$1" &
env -i /bin/sh -c 'trap "" TERM; sleep "$1"' sh "$1" &
sleep 0.1
echo left
exit "${2:-0}"
