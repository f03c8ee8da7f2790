# Starts a child without its environment in a session of its own, and stays its parent.
env -i /usr/bin/setsid /bin/sleep "$1" &
sleep 0.1
echo ready
wait
