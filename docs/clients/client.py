"""Run the engine, ask whether a sheet can be covered, and print the solution."""

import itertools
import json
import subprocess
import sys


class Engine:
    """A tilesolve process that is asked one question after another."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self.ids = itertools.count(1)

    def ask(self, method, **params):
        """Return the result of one request."""
        number = next(self.ids)
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        print(json.dumps(request), file=self.process.stdin, flush=True)
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(message["error"]["message"])
                return message["result"]
        raise RuntimeError("the engine ended")


engine = Engine(sys.argv[1:] or ["tilesolve", "serve", "--stdio"])
state = {"sheet": "6x10", "pieces": "pentominoes"}
answer = engine.ask("polyform/fit", state=state, cover=True, budget={"seconds": 20})
print(answer["answer"], *(placed["piece"] for placed in answer["witness"]))
engine.ask("shutdown")
