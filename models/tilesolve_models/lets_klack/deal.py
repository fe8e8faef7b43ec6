"""Random deals, of any size of layout."""

from __future__ import annotations

import random

from tilesolve_models.lets_klack import rules
from tilesolve_models.lets_klack.layout import layout
from tilesolve_models.lets_klack.position import DEFAULT_RULES, Rules, State


def deal(
    seed: int,
    *,
    width: int = 3,
    phase: int = 2,
    specials: tuple[str, ...] = (),
    options: Rules = DEFAULT_RULES,
) -> State:
    """Return a random deal; the same seed gives the same deal.

    The cards are shuffled, then all blocks but one onto the gaps, the last one onto any outside
    spot.

    Parameters
    ----------
    width : int
        Cards in the longest rows, at least 1; the classic layout has 3.
    phase : int
        1 with all blocks face down, 2 with phase 1 played out (LK1).

    Examples
    --------
    >>> state = deal(1)
    >>> len(state.blocks) + len(state.covered)
    13
    """
    rows = 2 * width - 1
    ground = layout(rows, width)
    chance = random.Random(seed)
    values = list(range(1, len(ground.cards) + 1))
    cards, blocks = values[:], values[:]
    chance.shuffle(cards)
    chance.shuffle(blocks)
    gaps = [cell for cell in ground.spots if min(cell) >= 0 and max(cell) < rows]
    outside = [cell for cell in ground.spots if cell not in gaps]
    places = [*gaps, chance.choice(outside)]
    lengths = [width - row % 2 for row in range(rows)]
    state = State(
        cards=tuple(tuple(cards.pop() for _ in range(length)) for length in lengths),
        blocks=tuple(sorted(zip(blocks, places, strict=True))),
        specials=specials,
        rules=options,
        phase=1,
        face_down=tuple(sorted(places)),
    )
    return rules.turned_up(state) if phase == 2 else state
