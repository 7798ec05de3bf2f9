"""Runs a command in a terminal of 80 columns, and prints all that it showed there."""

import fcntl
import os
import pty
import struct
import sys
import termios

COLUMNS = int(sys.argv[1])

child, terminal = pty.fork()
if child == 0:
    # The child must not write before the terminal has its width.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
shown = b""
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    shown += piece
os.waitpid(child, 0)
sys.stdout.write(shown.decode().replace("\r\n", "\n"))
