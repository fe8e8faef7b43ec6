"""Check a certificate with the checker that trusts no engine."""

from __future__ import annotations

from itertools import product

from tilesolve.answers import Verification
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.errors import InputError
from tilesolve.proof.certificate import Use, read_certificate
from tilesolve.proof.verify import OTHER_PUZZLE, Checked
from tilesolve.proof.verify import verify as follow
from tilesolve.wire import Node
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.rules import State


def verify(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    cover: bool | None = None,
    proof: Node | None = None,
    uses: tuple[Use, ...] = (),
) -> Verification:
    """Check a certificate of this puzzle.

    Parameters
    ----------
    cover : bool or None
        The goal the certificate is about; None takes the state's, or else whichever of the two
        the certificate names.
    proof : Node
        The certificate, as `fit`, `best`, `solve` and `explain` hand it over.
    uses : tuple of Use
        Conditions of another game on the choice of pieces; see `tilesolve.proof.verify`.

    Raises
    ------
    InputError
        If no certificate is given, or it cannot be read.
    IllegalState
        If what lies on the sheet breaks a rule.

    Examples
    --------
    >>> from tilesolve_models.polyform.fitting import fit
    >>> state = rules.load(Node({"sheet": "4x5", "pieces": "tetrominoes"}))
    >>> certificate = fit(state, budget=Budget()).certificate
    >>> verify(state, budget=Budget(), proof=Node(certificate)).accepted
    'yes'
    """
    if proof is None:
        raise InputError("the certificate is missing", place="proof")
    certificate = read_certificate(proof)
    rules.require_legal(state)
    meter = Meter(budget=budget, watch=watch)
    pieces = rules.left(state)
    goals = (False, True) if cover is None and state.goal is None else (
        state.goal == "cover" if cover is None else cover,
    )  # fmt: skip
    # Where `best` finds nothing at all it speaks of pieces that may stay out.
    free = tuple(map(rules.free_to_stay_out, pieces))
    checked = Checked(False, OTHER_PUZZLE)
    for goal, asked in product(goals, dict.fromkeys((pieces, free))):
        found = follow(state.sheet, asked, certificate, cover=goal, meter=meter, uses=uses)
        if found.message != OTHER_PUZZLE:
            checked = found
        if found.accepted is not False:
            break
    words = {True: "yes", False: "no", None: "unknown"}
    return Verification(
        accepted=words[checked.accepted],  # type: ignore[arg-type]  # the three literals
        rung=certificate.rung,
        claim=certificate.claim.kind,
        message=checked.message,
        stopped_by=None if checked.accepted is not None else meter.stopped_by,
        seconds=meter.seconds,
    )
