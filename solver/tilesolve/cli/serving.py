"""The command that serves other programs and the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tilesolve.errors import InputError
from tilesolve.serve.request import UNLIMITED, Limits


def on_stdio(*, workers: int | None) -> int:
    """Serve JSON-RPC on standard input and output until the input ends."""
    from tilesolve.serve import stdio

    stdio.run(limits=replace(UNLIMITED, workers=workers or UNLIMITED.workers))
    return 0


def over_http(
    *,
    host: str,
    port: int,
    cors: Sequence[str],
    workers: int | None,
    seconds: float | None,
    queue: int | None,
) -> int:
    """Serve HTTP and the page until interrupted."""
    try:
        from tilesolve.serve import http
    except ImportError as error:
        message = f"the HTTP server needs {error.name}: pip install 'tilesolve[serve]'"
        raise InputError(message) from None
    given = {"workers": workers, "seconds": seconds, "queue": queue}
    limits = Limits(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]  # each has its own type
    http.run(host=host, port=port, limits=limits, cors=cors)
    return 0
