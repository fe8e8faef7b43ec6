"""Prize cards and the face-down stack of them (NY5, NY6).

A stack is known as a multiset: `pool` holds the cards of which those left are an even draw,
some of the pool's cards being gone without anybody here knowing which.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from importlib import resources

from tilesolve.answers import Json
from tilesolve.wire import Node

SYNTHETIC = "synthetic"
MOST_PRIZES = 2000
MOST_POINTS = 10**6


@dataclass(frozen=True, kw_only=True)
class Prize:
    """A prize card.

    Parameters
    ----------
    points : int
        For the player who takes it; may be negative.
    no_extra_move : bool
        The turn passes although the flip succeeded.
    condition : str or None
        Free text; the players decide whether it is met.
    bonus, others : int
        If it is met: points more for the player, points off every other player.
    """

    points: int
    no_extra_move: bool = False
    condition: str | None = None
    bonus: int = 0
    others: int = 0


@dataclass(frozen=True, kw_only=True)
class Stack:
    """The prize stack.

    Parameters
    ----------
    pool : tuple of Prize
        The `left` cards of the stack are among these, every choice being equally likely.
    left : int
        Cards that the stack still has.
    gone : tuple of Prize
        Cards known to have been taken.
    ordered : bool
        The pool is the stack itself from its top: a referee's view.
    """

    pool: tuple[Prize, ...]
    left: int
    gone: tuple[Prize, ...] = ()
    ordered: bool = False

    @property
    def top(self) -> Prize | None:
        """The next prize where it is known: by order, or because all that is left is alike."""
        if not self.left:
            return None
        if self.ordered or len(set(self.pool)) == 1:
            return self.pool[0]
        return None

    def holds(self, prize: Prize) -> bool:
        """Whether a prize can be the next."""
        top = self.top
        return self.left > 0 and (prize in self.pool if top is None else prize == top)

    def without(self, prize: Prize | None) -> Stack:
        """Return the stack after a prize was taken; None when nobody here knows which."""
        if prize is None:
            return replace(self, left=self.left - 1)
        place = self.pool.index(prize)
        pool = self.pool[:place] + self.pool[place + 1 :]
        return replace(self, pool=pool, left=self.left - 1, gone=(*self.gone, prize))

    def reshuffled(self) -> Stack:
        """Return the stack with everything that was taken put back, in an unknown order."""
        cards = self.pool + self.gone
        return Stack(pool=cards, left=len(cards))

    def ends_turn(self) -> Fraction:
        """Return the chance that the next prize forbids the extra move.

        Examples
        --------
        >>> Stack(pool=(Prize(points=1), Prize(points=1, no_extra_move=True)), left=1).ends_turn()
        Fraction(1, 2)
        """
        if not self.left:
            return Fraction(0)
        if self.top is not None:
            return Fraction(int(self.top.no_extra_move))
        return Fraction(sum(prize.no_extra_move for prize in self.pool), len(self.pool))


@cache
def synthetic() -> tuple[Prize, ...]:
    """Return the stack that is shipped; it is made up, the published cards are not public."""
    text = resources.files(__package__).joinpath("data/synthetic.json").read_text("utf-8")
    fields = Node(json.loads(text)).object("synthetic", required=("cards",))
    return tuple(load_prize(item) for item in fields["cards"].items())


def load_prize(node: Node) -> Prize:
    """Read a prize card.

    Examples
    --------
    >>> load_prize(Node({"points": 2})).no_extra_move
    False
    """
    fields = node.object("no_extra_move", "condition", "bonus", "others", required=("points",))
    condition = fields.get("condition")
    return Prize(
        points=fields["points"].integer(-MOST_POINTS, MOST_POINTS),
        no_extra_move=fields["no_extra_move"].boolean() if "no_extra_move" in fields else False,
        condition=None if condition is None or condition.value is None else condition.string(),
        bonus=_points(fields.get("bonus")),
        others=_points(fields.get("others")),
    )


def _points(node: Node | None) -> int:
    return 0 if node is None else node.integer(-MOST_POINTS, MOST_POINTS)


def dump_prize(prize: Prize) -> Json:
    """Write a prize card with all its fields."""
    return {
        "points": prize.points,
        "no_extra_move": prize.no_extra_move,
        "condition": prize.condition,
        "bonus": prize.bonus,
        "others": prize.others,
    }


def load_stack(node: Node, successes: int) -> Stack | None:
    """Read a stack: a name, the cards that are left, or an object.

    Parameters
    ----------
    node : Node
        ``"synthetic"`` for the shipped stack as it was before the first success; a list of the
        cards left; or ``{"cards": name or list, "taken": [...], "left": n, "ordered": true}``.
        None for a game without prizes.
    successes : int
        Successes so far, each of which took a prize from a stack that is given by its name.
    """
    if node.value is None:
        return None
    if node.is_string:
        cards = _named(node)
        return Stack(pool=cards, left=max(0, len(cards) - successes))
    if node.is_list:
        cards = _cards(node)
        return Stack(pool=cards, left=len(cards))
    fields = node.object("taken", "left", "ordered", required=("cards",))
    named = fields["cards"].is_string
    cards = _named(fields["cards"]) if named else _cards(fields["cards"])
    taken = _cards(fields["taken"]) if "taken" in fields else ()
    pool = _less(cards, taken, fields.get("taken")) if named else cards
    unknown = successes if named and "taken" not in fields else 0
    left = max(0, len(pool) - unknown)
    if "left" in fields:
        left = fields["left"].integer(0, len(pool))
    ordered = fields["ordered"].boolean() if "ordered" in fields else False
    if ordered and left != len(pool):
        raise fields["ordered"].error("an ordered stack lists just the cards that are left")
    return Stack(pool=pool, left=left, gone=taken, ordered=ordered)


def _named(node: Node) -> tuple[Prize, ...]:
    node.string(SYNTHETIC)
    return synthetic()


def _cards(node: Node) -> tuple[Prize, ...]:
    return tuple(load_prize(item) for item in node.items(most=MOST_PRIZES))


def _less(
    cards: tuple[Prize, ...], taken: tuple[Prize, ...], node: Node | None
) -> tuple[Prize, ...]:
    rest = list(cards)
    for number, prize in enumerate(taken):
        if prize not in rest:
            place = node or Node(None)
            raise place.items()[number].error("this prize is not in the stack so often")
        rest.remove(prize)
    return tuple(rest)


def dump_stack(stack: Stack | None) -> Json:
    """Write a stack; `load_stack` reads it back."""
    if stack is None:
        return None
    data: dict[str, Json] = {
        "cards": [dump_prize(prize) for prize in stack.pool],
        "left": stack.left,
    }
    if Counter(stack.pool + stack.gone) == Counter(synthetic()) and not stack.ordered:
        rest = _less(synthetic(), stack.gone, None)
        if rest == stack.pool:
            data["cards"] = SYNTHETIC
    if stack.gone or data["cards"] == SYNTHETIC:
        data["taken"] = [dump_prize(prize) for prize in stack.gone]
    if stack.ordered:
        data["ordered"] = True
    return data
