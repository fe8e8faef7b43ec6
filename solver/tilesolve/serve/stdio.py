"""JSON-RPC 2.0 on standard input and output, one message a line.

Methods: ``initialize`` says what there is; ``<game>/<operation>`` asks, its `params` are the body
that HTTP takes, and ``"progress": true``; ``cancel`` with ``{"id": ...}`` makes a running request
answer at once with what is known; ``shutdown`` answers and ends. When the input ends, what was
asked is still answered.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import BinaryIO, TypeAlias

from tilesolve.answers import Json
from tilesolve.errors import InputError
from tilesolve.serve import desk
from tilesolve.serve.pool import ANSWERER, Job, Pool
from tilesolve.serve.request import (
    UNLIMITED,
    Code,
    Limits,
    News,
    Outcome,
    Refusal,
    Refused,
    refusal_of,
)
from tilesolve.wire import Node, parse

Id: TypeAlias = str | int

CODES: Mapping[Code, int] = {
    "not-json": -32700,
    "too-large": -32600,
    "unknown-game": -32601,
    "not-offered": -32601,
    "bad-input": -32602,
    "limit": -32602,
    "failed": -32603,
    "busy": -32001,
    "worker-died": -32002,
    "overrun": -32003,
}
"""The number of each refusal in JSON-RPC; the code itself is in the error's `data`."""

INVALID_REQUEST = -32600
"""The number of an error in the message around the question."""


def run(
    source: BinaryIO | None = None,
    sink: BinaryIO | None = None,
    *,
    limits: Limits = UNLIMITED,
    answerer: str = ANSWERER,
) -> None:
    """Serve until the input ends or ``shutdown`` is asked, and every request is answered.

    Parameters
    ----------
    source, sink : binary streams or None
        None is standard input and output.
    limits : Limits
        What is granted; by default there are no limits of time.
    answerer : str
        ``module:function`` that answers in the workers; for tests.
    """
    server = _Server(sink or sys.stdout.buffer, Pool(limits, answerer=answerer), limits)
    try:
        for line in _lines(source or sys.stdin.buffer, limits.body):
            if not server.take(line):
                break
        server.finish()
    except KeyboardInterrupt:
        server.cancel_all()
        server.finish()
    finally:
        server.pool.close()


def _lines(source: BinaryIO, limit: int) -> Iterator[bytes | None]:
    """Yield the lines that are not blank; None for one that is longer than the limit."""
    while line := source.readline(limit + 1):
        if len(line) > limit and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = source.readline(limit + 1)
            yield None
        elif line.strip():
            yield line


@dataclass(eq=False)
class _Server:
    """The requests that are under way, and the stream that answers go to."""

    sink: BinaryIO
    pool: Pool
    limits: Limits
    jobs: dict[Id, Job] = field(default_factory=dict)
    changed: threading.Condition = field(default_factory=threading.Condition)
    deaf: bool = False

    def take(self, line: bytes | None) -> bool:
        """Handle one message; return whether to go on."""
        if line is None:
            refusal = Refusal(
                code="too-large", message=f"a message has at most {self.limits.body} bytes"
            )
            self._fail(None, refusal)
            return not self.deaf
        try:
            message = parse(line.decode("utf-8-sig"))
        except UnicodeDecodeError:
            self._fail(None, Refusal(code="not-json", message="not UTF-8 text"))
            return not self.deaf
        except InputError as error:
            self._fail(None, replace(refusal_of(error), code="not-json"))
            return not self.deaf
        try:
            return self._dispatch(message) and not self.deaf
        except InputError as error:
            self._fail(_id_of(message), refusal_of(error), code=INVALID_REQUEST)
            return not self.deaf

    def finish(self) -> None:
        """Wait until every request is answered, or nobody reads the answers."""
        with self.changed:
            self.changed.wait_for(lambda: not self.jobs or self.deaf)

    def cancel_all(self) -> None:
        """Make all requests answer now."""
        with self.changed:
            jobs = list(self.jobs.values())
        for job in jobs:
            self.pool.cancel(job)

    def _dispatch(self, message: Node) -> bool:
        if isinstance(message.value, list):
            raise message.error("batches are not offered: send one message a line")
        fields = message.object("id", "params", required=("jsonrpc", "method"))
        fields["jsonrpc"].string("2.0")
        method = fields["method"].string()
        number = _id_of(message)
        if "id" in fields and number is None:
            raise fields["id"].expected("a string or a whole number as id")
        params = fields["params"].value if "params" in fields else {}
        if not isinstance(params, dict):
            raise fields["params"].expected("an object")
        if method == "shutdown":
            self._answer(number, None)
            return False
        if method == "cancel":
            self._cancel(number, Node(params))
        elif number is not None:
            # A question without an id would have no answer, so it is not asked.
            self._ask(number, method, params)
        return True

    def _cancel(self, number: Id | None, params: Node) -> None:
        try:
            wanted = _id_of(Node({"id": params.object(required=("id",))["id"].value}))
        except InputError as error:
            self._fail(number, refusal_of(error))
            return
        with self.changed:
            job = None if wanted is None else self.jobs.get(wanted)
        if job is not None:
            self.pool.cancel(job)
        self._answer(number, {"found": job is not None})

    def _ask(self, number: Id, method: str, params: dict[str, Json]) -> None:
        if method == "initialize":
            self._answer(number, desk.describe())
            return
        game, _, operation = method.partition("/")
        body = dict(params)
        try:
            heard = Node(body.pop("progress", False), "$.progress").boolean()
            request = desk.read(game, operation, body, self.limits)
            job = Job(
                request,
                done=lambda outcome: self._done(number, outcome),
                heard=lambda news: self._tell(number, news, heard),
                seconds=request.budget.get("seconds"),
            )
            self._enter(number, job)
        except InputError as error:
            self._fail(number, refusal_of(error))
        except Refused as refused:
            self._fail(number, refused.refusal)

    def _enter(self, number: Id, job: Job) -> None:
        with self.changed:
            if number in self.jobs:
                message = f"a request with the id {json.dumps(number)} is under way"
                raise Refused(Refusal(code="bad-input", message=message))
            self.jobs[number] = job
        try:
            self.pool.submit(job)
        except Refused:
            with self.changed:
                del self.jobs[number]
            raise

    def _done(self, number: Id, outcome: Outcome) -> None:
        if outcome.refusal is not None:
            self._fail(number, outcome.refusal)
        else:
            head = f'{{"jsonrpc":"2.0","id":{json.dumps(number)},"result":'
            self._write(head.encode() + outcome.answer + b"}\n")
        with self.changed:
            self.jobs.pop(number, None)
            self.changed.notify_all()

    def _tell(self, number: Id, news: News, wanted: bool) -> None:
        if wanted:
            head = f'{{"jsonrpc":"2.0","method":"{news.kind}","params":{{"id":{json.dumps(number)}'
            self._write(head.encode() + b"," + news.content.lstrip(b"{") + b"}\n")

    def _answer(self, number: Id | None, result: Json) -> None:
        if number is not None:
            self._send({"jsonrpc": "2.0", "id": number, "result": result})

    def _fail(self, number: Id | None, refusal: Refusal, *, code: int | None = None) -> None:
        error = {
            "code": CODES[refusal.code] if code is None else code,
            "message": str(InputError(refusal.message, place=refusal.path)),
            "data": refusal.dump(),
        }
        self._send({"jsonrpc": "2.0", "id": number, "error": error})

    def _send(self, message: Json) -> None:
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        self._write(text.encode() + b"\n")

    def _write(self, line: bytes) -> None:
        with self.changed:
            if self.deaf:
                return
            try:
                self.sink.write(line)
                self.sink.flush()
                return
            except (OSError, ValueError):
                self.deaf = True
                self.changed.notify_all()
        # Nobody reads any more, so nobody waits for an answer.
        self.cancel_all()


def _id_of(message: Node) -> Id | None:
    """Return the id of a message, None if it has none that can be answered."""
    found = message.value.get("id") if isinstance(message.value, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None
