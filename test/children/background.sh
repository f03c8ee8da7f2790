# Exits, and leaves children that hold its stdout: one of them ignores TERM and has removed its marker.
sleep "$1" &
env -i /bin/sh -c 'trap "" TERM; sleep "$1"' sh "$1" &
sleep 0.1
echo left
exit "${2:-0}"
