"""Servers in a thread, for the tests that speak HTTP."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

import pytest
import uvicorn

from tilesolve.serve import http
from tilesolve.serve.pool import ANSWERER
from tilesolve.serve.request import Limits


@contextmanager
def _served(limits: Limits, answerer: str = ANSWERER, *, cors: Sequence[str] = ()) -> Iterator[str]:
    application = http.app(limits, answerer=answerer, cors=cors)
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(application, log_level="error"))
    thread = threading.Thread(target=lambda: server.run(sockets=[listener]))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(60)
        listener.close()
        assert not thread.is_alive()


@pytest.fixture(scope="session", name="served")
def _fixture() -> Callable[..., AbstractContextManager[str]]:
    """``served(limits, answerer)`` serves for the length of a with-block and gives the address."""
    return _served
