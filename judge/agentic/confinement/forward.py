"""Runs inside the sandbox: carries connections of the loopback to the gateway's socket, the only way out.

    python -I -S forward.py PORT SOCKET PROGRAM [ARGUMENT...]

Uses nothing but the standard library, because nothing else is mounted there. Ends with the program's exit code.
"""

import contextlib
import os
import socket
import sys
import threading


def carry(source: socket.socket, sink: socket.socket) -> None:
    """Everything from one side to the other, then the end of it."""
    with contextlib.suppress(OSError):
        while piece := source.recv(65536):
            sink.sendall(piece)
    for end, how in ((sink, socket.SHUT_WR), (source, socket.SHUT_RD)):
        with contextlib.suppress(OSError):
            end.shutdown(how)


def serve(listener: socket.socket, path: str) -> None:
    """Accept for ever. The threads are daemons and end with the process."""
    while True:
        inside, _ = listener.accept()
        outside = socket.socket(socket.AF_UNIX)
        try:
            outside.connect(path)
        except OSError:
            inside.close()
            continue
        for pair in ((inside, outside), (outside, inside)):
            threading.Thread(target=carry, args=pair, daemon=True).start()


def main(port: str, path: str, *command: str) -> int:
    listener = socket.create_server(("127.0.0.1", int(port)))
    # Started before there are threads; standard input and output are the program's.
    program = os.fork()
    if program == 0:
        listener.close()
        os.execv(command[0], command)
    threading.Thread(target=serve, args=(listener, path), daemon=True).start()
    _, status = os.waitpid(program, 0)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    code = main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(code if code >= 0 else 128 - code)
