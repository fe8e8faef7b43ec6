"""The worker process: answers one question after another, and listens meanwhile.

It reads lines of JSON: a question, or ``{"cancel": true}`` for the question it is at. It writes
lines of a word and JSON: ``progress``, ``part``, then one ``answer`` or ``refusal``. When its
input ends, the server is gone, and it ends at once.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import BinaryIO

from tilesolve.answers import Json
from tilesolve.budget import Progress, Watch
from tilesolve.errors import InputError, NotOffered
from tilesolve.serve.request import Refusal, Refused, Request, refusal_of
from tilesolve.wire import dump

Answerer = Callable[..., Json]


@dataclass(eq=False)
class _Line:
    """The line to the server: questions come in, news and answers go out."""

    out: BinaryIO
    questions: queue.SimpleQueue[Json] = field(default_factory=queue.SimpleQueue)
    cancelled: threading.Event = field(default_factory=threading.Event)

    def listen(self) -> None:
        """Read until the input ends."""
        for text in sys.stdin.buffer:
            message = json.loads(text)
            if "cancel" in message:
                self.cancelled.set()
            else:
                # A question is sent only after the answer to the one before it.
                self.cancelled.clear()
                if message.pop("cancelled"):
                    self.cancelled.set()
                self.questions.put(message)
        os._exit(0)

    def each(self) -> Iterator[Request]:
        """Yield the requests as they come."""
        while True:
            yield Request(**self.questions.get())

    def say(self, kind: str, content: Json) -> None:
        """Write one line."""
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        self.out.write(f"{kind} {text}\n".encode())
        self.out.flush()


def main() -> None:
    """Run the process; its argument names the answering function as ``module:function``."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What libraries print must not get between the answers.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    line = _Line(out)
    threading.Thread(target=line.listen, name="listener", daemon=True).start()
    module, _, name = sys.argv[1].partition(":")
    answer: Answerer = getattr(import_module(module), name)
    for request in line.each():
        kind, content = _answered(answer, request, line)
        line.say(kind, content)


def _answered(answer: Answerer, request: Request, line: _Line) -> tuple[str, Json]:
    watch = Watch(
        interrupted=line.cancelled.is_set,
        report=lambda progress: line.say("progress", _dump_progress(progress)),
    )
    try:
        return "answer", answer(request, watch=watch, part=lambda part: line.say("part", part))
    except Refused as refused:
        return "refusal", refused.refusal.dump()
    except (InputError, NotOffered) as error:
        return "refusal", refusal_of(error).dump()
    except (MemoryError, RecursionError) as error:
        traceback.print_exc()
        kind = "memory" if isinstance(error, MemoryError) else "stack"
        message = f"the question took more {kind} than a worker has"
        return "refusal", Refusal(code="failed", message=message).dump()
    except Exception:
        traceback.print_exc()
        message = "the engine failed on this question; the server's log says where"
        return "refusal", Refusal(code="failed", message=message).dump()


def _dump_progress(progress: Progress) -> Json:
    return dump(progress)


if __name__ == "__main__":
    main()
