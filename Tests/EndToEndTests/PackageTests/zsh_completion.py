"""Types a line and a tab into a zsh in a terminal of its own, and prints what it shows until all expected words are there.

  zsh_completion.py FOLDER LINE EXPECTED...
"""
import os, pty, select, sys, time

PATIENCE = 60  # seconds


def read_until(terminal, words):
    shown, end = "", time.monotonic() + PATIENCE
    while not all(word in shown for word in words) and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            shown += os.read(terminal, 65536).decode(errors="replace")
    return shown


folder, line, *expected = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.execvp("zsh", ["zsh", "-f", "-i"])
setup = f"PROMPT=; fpath=('{folder}' $fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' list-choices; LISTMAX=1000"
os.write(terminal, f"{setup}; print ready$((1+1))\n".encode())
read_until(terminal, ["ready2"])
os.write(terminal, line.encode() + b"\t")
print(read_until(terminal, expected))
