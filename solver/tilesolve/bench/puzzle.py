"""A puzzle as it travels: a name and its JSON text, and the key under which its result is kept."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from tilesolve.answers import Json
from tilesolve.wire import Node


@dataclass(frozen=True)
class Puzzle:
    """One puzzle to rate.

    Parameters
    ----------
    name : str
        For people: the file, the line, the date.
    text : str
        The puzzle as JSON text, sheet and pieces in one; empty when it could not be read.
    error : str
        Why it could not be read, or empty.
    """

    name: str
    text: str
    error: str = ""

    @classmethod
    def of(cls, name: str, value: Json) -> Puzzle:
        """Return the puzzle of a JSON value.

        Examples
        --------
        >>> Puzzle.of("small", {"sheet": "2x2", "pieces": "I2*2"}).text
        '{"sheet":"2x2","pieces":"I2*2"}'
        """
        return cls(name, json.dumps(value, ensure_ascii=False, separators=(",", ":")))

    def key(self, options: str) -> str:
        """Return the key of this puzzle rated with some options: a hash of both.

        The name is no part of it, so the same sheet is rated once, whatever its files are called.

        Examples
        --------
        >>> first, second = Puzzle("a", "[]"), Puzzle("b", "[]")
        >>> first.key("{}") == second.key("{}"), first.key("{}") == first.key('{"seed":1}')
        (True, False)
        """
        told = [self.text or [self.name, self.error], options]
        content = json.dumps(told, ensure_ascii=False).encode()
        return hashlib.sha256(content).hexdigest()[:32]


def plain(node: Node) -> Json:
    """Return a node's JSON value, with the values of nodes inside it.

    Examples
    --------
    >>> plain(Node({"sheet": Node("2x2", source="SHEET")}))
    {'sheet': '2x2'}
    """
    return _plain(node.value)


def _plain(value: Json) -> Json:
    if isinstance(value, Node):
        return _plain(value.value)
    if isinstance(value, dict):
        return {name: _plain(content) for name, content in value.items()}
    if isinstance(value, list):
        return [_plain(content) for content in value]
    return value
