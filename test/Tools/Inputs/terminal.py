"""Runs a command with standard error on a terminal, and prints what it wrote there."""

import os
import pty
import subprocess
import sys

terminal, end = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=end)
os.close(end)
written = b""
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:  # The command has closed it.
        break
    if not part:
        break
    written += part
print(written.decode().replace("\r", "\n").replace("\x1b[K", ""))
sys.exit(process.wait())
