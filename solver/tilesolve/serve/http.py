"""The HTTP server: questions as POST requests, long ones as jobs, and the page at ``/``.

``POST /v1/{game}/{operation}`` takes the same body as the JSON-RPC method of that name and
returns the same answer; with ``?job=true`` it returns at once, and ``/v1/jobs/{job}`` is asked,
followed or deleted. ``/v1/games``, ``/healthz`` and ``/openapi.json`` describe the server.
"""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.staticfiles import StaticFiles

from tilesolve.answers import Json
from tilesolve.errors import InputError
from tilesolve.serve import desk, openapi
from tilesolve.serve.jobs import Jobs, Task
from tilesolve.serve.jobs import dump as dump_job
from tilesolve.serve.pool import ANSWERER, Pool
from tilesolve.serve.request import (
    Code,
    Limits,
    News,
    Outcome,
    Refusal,
    Refused,
    refusal_of,
)
from tilesolve.wire import decode, parse

STATUS: Mapping[Code, int] = {
    "not-json": 400,
    "unknown-game": 404,
    "not-offered": 404,
    "too-large": 413,
    "bad-input": 422,
    "limit": 422,
    "overrun": 422,
    "busy": 429,
    "failed": 500,
    "worker-died": 503,
}
"""The status of each refusal; the code itself is in the body."""

DEFAULT_PORT = 8765
_BODY_SECONDS = 30.0
_SWEEP_SECONDS = 5.0
_HEARTBEAT_SECONDS = 15.0
_PAGE = Path(__file__).parent / "page"
_PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data: blob:; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}


def run(
    *,
    host: str = "127.0.0.1",
    port: int = DEFAULT_PORT,
    limits: Limits | None = None,
    cors: Sequence[str] = (),
    answerer: str = ANSWERER,
) -> None:
    """Serve until interrupted; standard error says where.

    Parameters
    ----------
    host : str
        Address to listen on; only this machine can reach the default.
    port : int
        0 takes any free one.
    limits : Limits or None
        What clients are granted; None is `Limits()`.
    cors : sequence of str
        Origins whose pages may ask, as ``https://example.org``; none by default.
    answerer : str
        ``module:function`` that answers in the workers; for tests.

    Raises
    ------
    InputError
        If the address cannot be listened on.
    """
    try:
        listener = socket.create_server((host, port))
        # Accepted connections inherit it; without it an answer's body waits 40 ms for its header.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except (OSError, OverflowError) as error:
        raise InputError(f"cannot listen on {host}:{port}: {error}") from None
    served = app(limits or Limits(), hosts=_hosts(host), cors=cors, answerer=answerer)
    config = uvicorn.Config(
        served, log_level="warning", access_log=False, timeout_graceful_shutdown=2
    )
    address = f"http://{host}:{listener.getsockname()[1]}/"
    _until_interrupted(uvicorn.Server(config), listener, address)


def _until_interrupted(server: uvicorn.Server, listener: socket.socket, address: str) -> None:
    """Run the server in a thread, where it leaves signals alone, until Ctrl-C or SIGTERM."""
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        thread.start()
        print(f"tilesolve is at {address} - Ctrl-C ends it", file=sys.stderr, flush=True)
        while thread.is_alive():
            thread.join(timeout=0.5)  # with a time, so that Ctrl-C comes through on Windows
    except KeyboardInterrupt:
        server.should_exit = True
        thread.join()


def _hosts(host: str) -> tuple[str, ...]:
    """Return the names a request may call the server by, against rebinding of foreign names."""
    return ("*",) if host in ("0.0.0.0", "::", "") else (host, "localhost", "127.0.0.1")


def app(
    limits: Limits,
    *,
    hosts: Sequence[str] = ("localhost", "127.0.0.1"),
    cors: Sequence[str] = (),
    answerer: str = ANSWERER,
) -> FastAPI:
    """Return the application; its worker processes live as long as it is served.

    Parameters
    ----------
    hosts : sequence of str
        Values of the Host header that are answered; ``*`` is any.
    """
    server = _Server(limits, answerer)
    made = FastAPI(title="tilesolve", lifespan=server.lifespan, docs_url=None, redoc_url=None)
    made.openapi = lambda: server.openapi  # type: ignore[method-assign]  # FastAPI's own hook
    made.add_api_route("/v1/games", server.games, methods=["GET"])
    made.add_api_route("/healthz", server.health, methods=["GET"])
    made.add_api_route("/v1/jobs/{job}", server.job, methods=["GET"])
    made.add_api_route("/v1/jobs/{job}", server.cancel, methods=["DELETE"])
    made.add_api_route("/v1/jobs/{job}/events", server.events, methods=["GET"])
    made.add_api_route("/v1/{game}/{operation}", server.ask, methods=["POST"])
    made.add_api_route("/", _index, methods=["GET"])
    made.mount("/page", StaticFiles(directory=_PAGE, check_dir=False))
    made.add_exception_handler(HTTPException, _http_error)
    if cors:
        made.add_middleware(
            CORSMiddleware,
            allow_origins=list(cors),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["content-type"],
        )
    made.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))
    return made


async def _index() -> Response:
    return FileResponse(_PAGE / "index.html", headers=_PAGE_HEADERS)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = {404: "not-found", 405: "method-not-allowed"}.get(error.status_code, "http")
    content = {"error": {"code": code, "message": f"{request.url.path}: {error.detail}"}}
    return _json(content, error.status_code, error.headers)


class _Server:
    """The routes, and the pool they share."""

    def __init__(self, limits: Limits, answerer: str) -> None:
        self._limits = limits
        self._answerer = answerer
        self._described = desk.describe()
        self.openapi = openapi.describe(self._described, limits)
        self._pool: Pool
        self._jobs: Jobs

    @asynccontextmanager
    async def lifespan(self, served: FastAPI) -> AsyncIterator[None]:
        """Keep the workers while the application is served."""
        del served
        self._pool = Pool(self._limits, answerer=self._answerer)
        self._jobs = Jobs(self._pool)
        self._pool.warm()
        sweeper = asyncio.create_task(self._sweep())
        try:
            yield
        finally:
            sweeper.cancel()
            await asyncio.to_thread(self._pool.close)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            self._jobs.sweep()

    async def games(self) -> Response:
        """Say what the server offers, and within which limits."""
        return _json({**self._described, "limits": asdict(self._limits)})

    async def health(self) -> Response:
        """Say that the server is alive, and how busy."""
        return _json({"status": "ok", "workers": len(self._pool.processes), **self._pool.load})

    async def ask(self, game: str, operation: str, request: Request) -> Response:
        """Answer a question, or start a job."""
        try:
            body = await self._body(request)
            question = desk.read(game, operation, body, self._limits)
            task = Task(self._pool, question)
            if _wants_job(request):
                name = self._jobs.add(task)
                location = {"Location": f"/v1/jobs/{name}"}
                return _json(dump_job(name, task), 202, location)
            task.start()
        except Refused as refused:
            return _refusal(refused.refusal)
        except InputError as error:
            return _refusal(refusal_of(error))
        outcome = await self._awaited(task, request)
        if outcome is None:
            return Response(status_code=499)  # nobody reads it
        return _outcome(outcome)

    async def job(self, job: str) -> Response:
        """Say how far a job is, with its answer once it has one."""
        task = self._jobs.get(job)
        return _no_job(job) if task is None else _json(dump_job(job, task))

    async def cancel(self, job: str) -> Response:
        """Stop a job, return what is known, and forget it."""
        task = self._jobs.get(job)
        if task is None:
            return _no_job(job)
        self._pool.cancel(task.job)
        await task.wait()
        self._jobs.remove(job)
        return _json(dump_job(job, task))

    async def events(self, job: str) -> Response:
        """Send a job's news and its outcome as server-sent events."""
        task = self._jobs.get(job)
        if task is None:
            return _no_job(job)
        return StreamingResponse(
            _with_heartbeat(task),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store"},
        )

    async def _body(self, request: Request) -> Json:
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise HTTPException(415, "the body must be application/json")
        received = bytearray()
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                async for chunk in request.stream():
                    received += chunk
                    if len(received) > self._limits.body:
                        message = f"a body has at most {self._limits.body} bytes"
                        raise Refused(Refusal(code="too-large", message=message))
        except TimeoutError:
            message = f"the body did not come within {_BODY_SECONDS:g} seconds"
            raise HTTPException(408, message) from None
        try:
            return parse(decode(bytes(received))).value
        except InputError as error:
            raise Refused(replace(refusal_of(error), code="not-json")) from None

    async def _awaited(self, task: Task, request: Request) -> Outcome | None:
        """Wait for the outcome; a client that goes away stops the work."""
        waiting = asyncio.create_task(task.wait())
        gone = asyncio.create_task(_gone(request))
        try:
            await asyncio.wait((waiting, gone), return_when=asyncio.FIRST_COMPLETED)
            if waiting.done():
                return waiting.result()
            return None
        finally:
            if task.outcome is None:
                self._pool.forget(task.job)
            for unfinished in (waiting, gone):
                unfinished.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _wants_job(request: Request) -> bool:
    unknown = sorted(set(request.query_params) - {"job"})
    if unknown:
        message = f"'{unknown[0][:40]}' is no query parameter; known is: job"
        raise Refused(Refusal(code="bad-input", message=message))
    asked = request.query_params.get("job", "false")
    if asked not in ("true", "false"):
        message = f"job is true or false, not '{asked[:40]}'"
        raise Refused(Refusal(code="bad-input", message=message))
    return asked == "true"


async def _with_heartbeat(task: Task) -> AsyncIterator[bytes]:
    """Yield events; a comment now and then keeps the connection, and notices that it is gone."""
    following = task.follow()
    coming = asyncio.ensure_future(anext(following))
    try:
        while True:
            done, _ = await asyncio.wait((coming,), timeout=_HEARTBEAT_SECONDS)
            if not done:
                yield b": still at it\n\n"
                continue
            try:
                yield _event(coming.result())
            except StopAsyncIteration:
                return
            coming = asyncio.ensure_future(anext(following))
    finally:
        coming.cancel()
        with suppress(asyncio.CancelledError, StopAsyncIteration):
            await coming
        await following.aclose()


def _event(told: News | Outcome) -> bytes:
    if isinstance(told, News):
        return b"event: " + told.kind.encode() + b"\ndata: " + told.content + b"\n\n"
    if told.refusal is not None:
        return b"event: refusal\ndata: " + _text(told.refusal.dump()) + b"\n\n"
    return b"event: answer\ndata: " + told.answer + b"\n\n"


def _outcome(outcome: Outcome) -> Response:
    if outcome.refusal is not None:
        return _refusal(outcome.refusal)
    return Response(outcome.answer, media_type="application/json")


def _refusal(refusal: Refusal) -> Response:
    headers = {"Retry-After": "1"} if refusal.code == "busy" else None
    return _json({"error": refusal.dump()}, STATUS[refusal.code], headers)


def _no_job(name: str) -> Response:
    message = f"there is no job '{name[:40]}', or no longer"
    return _json({"error": {"code": "not-found", "message": message}}, 404)


def _json(content: Json, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(
        _text(content), status_code=status, media_type="application/json", headers=headers
    )


def _text(content: Json) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
