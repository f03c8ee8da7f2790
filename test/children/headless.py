# Its first thread ends at once, while another one sleeps for the seconds in its argument.
import ctypes, platform, sys, threading, time

threading.Thread(target=time.sleep, args=[float(sys.argv[1])]).start()
ctypes.CDLL(None).syscall(60 if platform.machine() == "x86_64" else 93, 0)  # exit: of the thread, not of the process
