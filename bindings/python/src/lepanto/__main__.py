"""`lepanto` from Python: the command of the engine that the package carries."""

from __future__ import annotations

import os
import sys

from ._server import LepantoError, find_node, script


def main() -> int:
    try:
        node, path = find_node(), str(script("dist/bindings/cli/lepanto.js"))
    except LepantoError as error:
        print(f"lepanto: {error}", file=sys.stderr)
        return 1
    os.execv(node, [node, path, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
