# Starts a daemon: a new session whose parent exits at once. It holds stdout open.
setsid sh -c 'sleep "$1" & sleep 0.05' sh "$1"
echo left
