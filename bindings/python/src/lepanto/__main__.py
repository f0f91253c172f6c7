"""The `lepanto` command of the Python package: runs the packaged engine, or `lepanto llm-bot` in Python."""

from __future__ import annotations

import os
import subprocess
import sys

from ._server import LepantoError, find_node, script


def main() -> int:
    if sys.argv[1:2] == ["llm-bot"]:
        from .llm.__main__ import main as play

        return play(sys.argv[2:])
    try:
        node, path = find_node(), str(script("dist/bindings/cli/lepanto.js"))
    except LepantoError as error:
        print(f"lepanto: {error}", file=sys.stderr)
        return 1
    command = [node, path, *sys.argv[1:]]
    # Makes the engine print the command's name as `lepanto` in its messages.
    os.environ["LEPANTO_COMMAND"] = "lepanto"
    if sys.platform == "win32":
        # Waits for the command, because on Windows execv() would return to the shell at once.
        return subprocess.call(command)
    os.execv(node, command)


if __name__ == "__main__":
    sys.exit(main())
