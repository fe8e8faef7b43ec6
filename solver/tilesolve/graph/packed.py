"""Packed states: a few small numbers in one key of a few bytes, and back.

A search over millions of states holds keys, not objects. A key is one unsigned 64-bit word, or,
where a word is too narrow, a fixed-length byte string of several words; both sort and compare
as whole numpy arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Keys: TypeAlias = NDArray[Any]
"""One-dimensional array of packed states, ``uint64`` or ``S16``, ``S24``..."""

Fields: TypeAlias = NDArray[np.int64]
"""Array of shape ``(states, fields)``: the small numbers of each state."""

_WORD = 64


@dataclass(frozen=True)
class Packing:
    """How the fields of a state share the words of its key.

    Parameters
    ----------
    widths : tuple of int
        Bits of each field, 0 to 32; a field of 0 bits is always 0.

    Examples
    --------
    >>> packing = Packing((3, 5))
    >>> keys = packing.pack(np.array([[6, 17], [0, 31]]))
    >>> keys.tolist(), packing.unpack(keys).tolist()
    ([142, 248], [[6, 17], [0, 31]])
    >>> Packing((32, 32, 1)).bytes
    16
    """

    widths: tuple[int, ...]

    @classmethod
    def holding(cls, sizes: Sequence[int]) -> Packing:
        """Return the packing for fields with this many values each, at least 1.

        Examples
        --------
        >>> Packing.holding([1, 5, 16]).widths
        (0, 3, 4)
        """
        return cls(tuple((size - 1).bit_length() for size in sizes))

    @property
    def bytes(self) -> int:
        """Bytes of one key."""
        return 8 * self._words

    def pack(self, fields: Fields) -> Keys:
        """Return the keys of these states, in order."""
        if not self.widths:
            return np.zeros(len(fields), dtype=np.uint64)
        shifted = fields.astype(np.uint64) << self._columns[1]
        return self._keys(np.bitwise_or.reduceat(shifted, self._word_starts, axis=1))

    def unpack(self, keys: Keys) -> Fields:
        """Return the fields of these keys."""
        words, shifts, lows = self._columns
        parts = self._split(keys)
        taken = parts if self._words == 1 else parts[:, words]
        fields: NDArray[np.uint64] = (taken >> shifts) & lows
        return fields.view(np.int64)

    def changed(
        self, keys: Keys, field: NDArray[np.int64], old: NDArray[np.int64], new: NDArray[np.int64]
    ) -> Keys:
        """Return the keys with one field each, which had the value `old`, set to `new`.

        Parameters
        ----------
        keys, field, old, new : arrays of one length
            Each key's own field and values.

        Examples
        --------
        >>> packing = Packing((3, 5))
        >>> keys = packing.pack(np.array([[6, 17]]))
        >>> packing.unpack(packing.changed(keys, *np.array([[1], [17], [2]]))).tolist()
        [[6, 2]]
        """
        words, shifts, _ = self._columns
        change = (old ^ new).view(np.uint64) << shifts[field]
        parts = self._split(keys).copy()
        parts[np.arange(len(parts)), words[field]] ^= change
        return self._keys(parts)

    @cached_property
    def _seats(self) -> tuple[tuple[int, int], ...]:
        """Word and shift of each field; no field straddles two words."""
        seats, word, used = [], 0, 0
        for width in self.widths:
            if used + width > _WORD:
                word, used = word + 1, 0
            seats.append((word, min(used, _WORD - 1)))  # a field of 0 bits may stand at the end
            used += width
        return tuple(seats)

    @cached_property
    def _word_starts(self) -> list[int]:
        """The first field of each word."""
        words = [word for word, _ in self._seats]
        return [words.index(word) for word in range(self._words)]

    @cached_property
    def _words(self) -> int:
        return 1 + max((word for word, _ in self._seats), default=0)

    @cached_property
    def _columns(self) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64]]:
        words = np.array([word for word, _ in self._seats], dtype=np.int64)
        shifts = np.array([shift for _, shift in self._seats], dtype=np.uint64)
        lows = np.array([(1 << width) - 1 for width in self.widths], dtype=np.uint64)
        return words, shifts, lows

    def _split(self, keys: Keys) -> NDArray[np.uint64]:
        words: NDArray[np.uint64] = np.ascontiguousarray(keys).view(np.uint64)
        return words.reshape(len(keys), self._words)

    def _keys(self, words: NDArray[np.uint64]) -> Keys:
        if self._words == 1:
            return words[:, 0]
        return words.view(f"S{self.bytes}")[:, 0]
