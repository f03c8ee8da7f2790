# Starts a child without its environment in a session of its own, and stays its parent. It is the child that is ready.
env -i /usr/bin/setsid /bin/sh -c 'echo ready; exec /bin/sleep "$1"' sh "$1" &
wait
