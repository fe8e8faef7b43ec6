"""One command: read, ask the service, print, and say by exit code how it went."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilesolve.errors import InputError

if TYPE_CHECKING:
    from tilesolve.answers import Json
    from tilesolve.budget import Budget
    from tilesolve.draw.picture import Picture
    from tilesolve.game import Game, Parameter
    from tilesolve.service import Question
    from tilesolve.wire import Node

YES, NO, UNKNOWN = 0, 1, 3
"""Exit codes; bad input is 2, where errors are caught."""


@dataclass(frozen=True)
class Settings:
    """A game's own settings as text, by name."""

    given: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, pairs: Sequence[str], *, cover: bool | None = None) -> Settings:
        """Read ``NAME=VALUE`` pairs; a name alone means true.

        Examples
        --------
        >>> dict(Settings.read(["moves=3", "each"], cover=True).given)
        {'moves': '3', 'each': 'true', 'cover': 'true'}
        """
        given: dict[str, str] = {}
        for pair in pairs:
            name, _, value = pair.partition("=")
            name = name.strip().replace("-", "_")
            if not name:
                raise InputError(f"'{pair}' has no name; write NAME=VALUE", place="--set")
            if name in given:
                raise InputError("is given twice", place=f"--{name}")
            given[name] = value if "=" in pair else "true"
        if cover is not None:
            given["cover"] = "true" if cover else "false"
        return cls(given)

    def nodes(self, game: Game[Any, Any], operation: str) -> dict[str, Node]:
        """Return the settings as nodes of the kinds that the game's parameters have."""
        from tilesolve.service import parameters_of

        known = {parameter.name: parameter for parameter in parameters_of(game, operation)}
        return {name: _node(known.get(name), name, text) for name, text in self.given.items()}


def _node(parameter: Parameter | None, name: str, text: str) -> Node:
    from tilesolve.files import value_node
    from tilesolve.wire import Node

    kind = "json" if parameter is None else parameter.kind
    place = f"--{name.replace('_', '-')}"
    if kind == "string":
        return Node(text, place)
    if kind == "boolean" and text in ("true", "false"):
        return Node(text == "true", place)
    if kind in ("integer", "number"):
        return Node(_number(text, whole=kind == "integer"), place)
    return value_node(name, text) if kind == "json" else Node(text, place)


def _number(text: str, *, whole: bool) -> Any:
    try:
        return int(text) if whole else float(text)
    except ValueError:
        return text


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One question from the command line."""

    operation: str
    sheet: str
    pieces: str | None = None
    forms: str | None = None
    game: str | None = None
    as_json: bool = False
    seconds: float | None = None
    work: int | None = None
    workers: int = 1
    seed: int = 0
    memory: int | None = None
    svg: Path | None = None
    proof: Path | None = None
    quiet: bool = False
    plain: bool = False
    settings: Settings = field(default_factory=Settings)

    def run(self) -> int:
        """Ask, print the answer, and return the exit code."""
        from tilesolve import service
        from tilesolve.wire import Node

        question = self.load()
        parameters = self.settings.nodes(question.game, self.operation)
        if self.proof is not None and self.operation in service.PROVEN and question.game.verify:
            parameters["proof"] = Node(True, "--proof")
        if self.operation == "check" and "move" in self.settings.given:
            parameters["move"] = _node(None, "move", self.settings.given["move"])
        self._say_notes(question)
        from tilesolve.cli.terminal import watching

        with watching(self.operation, quiet=self.quiet) as watch:
            answer = service.ask(
                question,
                self.operation,
                budget=self.budget(),
                watch=watch,
                parameters=parameters,
            )
            if isinstance(answer, Iterator):
                return _stream(self, question, answer)
        return _print(self, question, answer)

    def load(self) -> Question:
        """Read the files that the question is about."""
        from tilesolve import service
        from tilesolve.files import pieces_node, puzzle_node, sheet_node

        if self.sheet == "-" and self.pieces == "-":
            raise InputError("only one of SHEET and PIECES can be '-'")
        sheet = sheet_node(self.sheet) if self.game is None else pieces_node(self.sheet)
        pieces = None if self.pieces is None else pieces_node(self.pieces)
        if self.game is not None:
            game = service.get_game(self.game)
            if pieces is not None or self.forms is not None:
                raise InputError("--game takes one file", place="PIECES")
            return service.Question(game, game.load(sheet))
        return service.load(puzzle_node(sheet, pieces, self.forms))

    def budget(self) -> Budget:
        """Return what the question may cost: the defaults, and what was said."""
        from tilesolve.service import budget_for

        limits: dict[str, Any] = {"work": self.work, "workers": self.workers, "seed": self.seed}
        if self.seconds is not None:
            limits["seconds"] = self.seconds
        elif self.work is not None:
            limits["seconds"] = None
        if self.memory is not None:
            limits["memory"] = self.memory * 2**20
        return budget_for(self.operation, **limits)

    def _say_notes(self, question: Question) -> None:
        if not self.quiet:
            for note in getattr(question.state, "notes", ()):
                print(f"tilesolve: {note}", file=sys.stderr)


def _print(ask: Ask, question: Question, answer: Any) -> int:
    from tilesolve.answers import Verdict

    if isinstance(answer, Verdict) and ask.operation != "check":
        return _print_illegal(ask, question, answer)
    picture = _illustration(question, answer)
    ways_out = [(way, _illustration(question, way)) for way in getattr(answer, "ways_out", ())]
    if ask.svg is not None:
        shown = [found for _, found in ways_out if found is not None]
        _write_svg(ask.svg, [picture or question.game.picture(question.state), *shown])
    if ask.proof is not None:
        _write_proof(ask.proof, answer)
    if ask.as_json:
        print(_json_text(answer))
        return _exit_code(answer)
    from tilesolve.cli.report import report

    if ask.operation == "show":
        print(_drawn(answer, ask))
    elif isinstance(answer, dict):
        for move in answer["moves"]:
            print(json.dumps(move, ensure_ascii=False))
    else:
        lines = report(answer)
        print(lines[0])
        if picture is not None:
            print(_drawn(picture, ask))
        for line in lines[1:]:
            print(line)
        for way, found in ways_out:
            print(f"  it becomes possible: {way.change}")
            if found is not None:
                print(_drawn(found, ask))
    return _exit_code(answer)


def _print_illegal(ask: Ask, question: Question, verdict: Any) -> int:
    from tilesolve.cli.report import illegal
    from tilesolve.service import illegal_json

    if ask.as_json:
        print(json.dumps(illegal_json(verdict), ensure_ascii=False))
        return NO
    cells = [cell for violation in verdict.violations for cell in violation.cells]
    picture = question.game.picture(question.state).marking(cells)
    if ask.svg is not None:
        _write_svg(ask.svg, [picture])
    lines = illegal(verdict)
    print(lines[0])
    if cells:
        print(_drawn(picture, ask))
    print("\n".join(lines[1:]))
    return NO


def _json_text(answer: Any) -> str:
    from tilesolve.wire import dump

    return json.dumps(dump(answer), ensure_ascii=False)


def _illustration(question: Question, answer: Any) -> Picture | None:
    from tilesolve.answers import Hints, Verdict
    from tilesolve.draw.picture import Picture

    if isinstance(answer, Picture):
        return answer
    base: Picture = question.game.picture(question.state)
    if isinstance(answer, Verdict):
        cells = [cell for violation in answer.violations for cell in violation.cells]
        return base.marking(cells) if cells else base
    if question.game.illustrate is not None:
        return question.game.illustrate(question.state, answer)
    if isinstance(answer, Hints) and answer.hints and answer.hints[0].cells:
        return base.marking(answer.hints[0].cells)
    return None


def _drawn(picture: Picture, ask: Ask) -> str:
    from tilesolve.cli.terminal import speaks_unicode, wants_colour
    from tilesolve.draw import text

    return text.render(picture, colour=wants_colour(), ascii=ask.plain or not speaks_unicode())


def _write_svg(path: Path, pictures: Sequence[Picture]) -> None:
    from tilesolve.draw import svg
    from tilesolve.files import write_whole

    drawn = svg.render(pictures[0]) if len(pictures) == 1 else svg.sheet(pictures)
    write_whole(path, drawn)


def _write_proof(path: Path, answer: Any) -> None:
    """Write the certificate that an answer carries, or say that it carries none."""
    from tilesolve.files import write_whole

    certificate = getattr(answer, "certificate", None)
    if certificate is None:
        print("tilesolve: this answer has no certificate; no file was written", file=sys.stderr)
        return
    write_whole(path, json.dumps(certificate) + "\n")
    print(f"tilesolve: wrote the certificate to {path}", file=sys.stderr)


_MOST_PICTURES = 1000


def _stream(ask: Ask, question: Question, answers: Iterable[Any]) -> int:
    """Print solutions as they come, holding none but the pictures asked for."""
    from tilesolve.answers import Solved
    from tilesolve.cli.report import report

    pictures: list[Picture] = []
    last: Any = None
    given = 0
    for number, answer in enumerate(answers, start=1):
        last = answer
        picture = None
        kept = ask.svg is not None and len(pictures) < _MOST_PICTURES
        if not isinstance(answer, Solved):
            given = number
            # A picture takes far longer than a line of JSON.
            picture = _illustration(question, answer) if kept or not ask.as_json else None
        if picture is not None and kept:
            pictures.append(picture)
        if ask.as_json:
            print(_json_text(answer), flush=True)
            continue
        if picture is not None:
            print(f"{number}.\n{_drawn(picture, ask)}")
            continue
        print("\n".join(report(answer)))
    if ask.svg is not None and pictures:
        _write_svg(ask.svg, pictures)
        if given > len(pictures):
            note = f"{ask.svg} shows the first {len(pictures)} of {given} solutions"
            print(f"tilesolve: {note}", file=sys.stderr)
    if ask.proof is not None:
        _write_proof(ask.proof, last)
    return _exit_code(last)


def _exit_code(answer: Any) -> int:
    from tilesolve import answers

    match answer:
        case answers.Verdict():
            return YES if answer.legal else NO
        case answers.Fit() | answers.Explanation():
            return {"yes": YES, "no": NO}.get(answer.answer, UNKNOWN)
        case answers.Verification():
            return {"yes": YES, "no": NO}.get(answer.accepted, UNKNOWN)
        case answers.Best():
            return {"optimal": YES, "feasible": YES, "infeasible": NO}.get(answer.proof, UNKNOWN)
        case answers.Count():
            return YES if answer.raw else NO if answer.exact else UNKNOWN
        case answers.Solved():
            return _solved_code(answer)
        case answers.Hints():
            return YES if answer.hints else UNKNOWN if answer.stopped_by else NO
        case answers.Simulation() | answers.Difficulty():
            return YES if answer.stopped_by != "interrupted" else UNKNOWN
    return YES


def _solved_code(answer: Any) -> int:
    unique = answer.details.get("unique")
    if unique is not None:
        return {"yes": YES, "no": NO}.get(unique, UNKNOWN)
    if answer.solutions:
        return YES
    return NO if answer.exhausted else UNKNOWN


def simulate_games(
    name: str,
    *,
    games: int,
    policies: Sequence[str],
    limits: Mapping[str, Any],
    as_json: bool,
    quiet: bool,
    settings: Settings,
) -> int:
    """Simulate a game from its standard start, or from a state file."""
    from tilesolve import service
    from tilesolve.cli.report import report
    from tilesolve.cli.terminal import watching
    from tilesolve.files import sheet_node
    from tilesolve.wire import Node, dump

    if name in service.game_ids():
        question = service.Question(service.get_game(name), None)
    else:
        question = service.load(sheet_node(name))
    nodes = settings.nodes(question.game, "simulate")
    nodes["games"] = Node(games, "--games")
    if policies:
        nodes["policies"] = Node(
            [name for text in policies for name in text.split(",")], "--policy"
        )
    granted = {key: value for key, value in limits.items() if value is not None}
    if "seconds" not in granted:
        granted["seconds"] = None
    with watching("simulate", quiet=quiet) as watch:
        budget = service.budget_for("simulate", **granted)
        answer = service.ask(question, "simulate", budget=budget, watch=watch, parameters=nodes)
    text = json.dumps(dump(answer), ensure_ascii=False)
    print(text if as_json else "\n".join(report(answer)))
    return _exit_code(answer)


def write_converted(ask: Ask, target: str, out: Path | None) -> int:
    """Write a state in another format."""
    from tilesolve import service
    from tilesolve.cli.terminal import watching
    from tilesolve.files import write_whole

    question = ask.load()
    try:
        with watching("convert", quiet=ask.quiet) as watch:
            written = service.convert(question, target, budget=ask.budget(), watch=watch)
    except service.Unfinished as error:
        print(f"tilesolve: {error}", file=sys.stderr)
        return UNKNOWN
    if out is None:
        print(written, end="" if written.endswith("\n") else "\n")
    else:
        write_whole(out, written)
    return YES


def write_new(name: str, out: Path | None, *, seed: int | None, settings: Settings) -> int:
    """Write a new state, or the starter files of a game that has them."""
    from tilesolve import service
    from tilesolve.files import write_whole
    from tilesolve.wire import Node

    game = service.get_game(name)
    if game.starter is not None and not settings.given and seed is None:
        return _write_starter(game.starter(), out or Path())
    nodes = {**settings.nodes(game, "new"), "seed": Node(seed or 0, "--seed")}
    state = service.new_state(game, nodes)
    text = json.dumps(game.dump(state), ensure_ascii=False) + "\n"
    if out is None:
        print(text, end="")
    else:
        _refuse_existing(out)
        write_whole(out, text)
        print(f"wrote {out}", file=sys.stderr)
    return YES


def _write_starter(files: Mapping[str, Json], folder: Path) -> int:
    from tilesolve.files import write_whole

    if folder.exists() and not folder.is_dir():
        raise InputError(
            "is not a folder; --out names the folder for the files", source=str(folder)
        )
    for name in files:
        _refuse_existing(folder / name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", source=str(folder)) from None
    for name, content in files.items():
        write_whole(folder / name, json.dumps(content, ensure_ascii=False, indent=2) + "\n")
    names = [str(folder / name) for name in files]
    print(f"wrote {' and '.join(names)}; now: tilesolve fit {' '.join(names)}")
    return YES


def _refuse_existing(path: Path) -> None:
    if path.exists():
        raise InputError("is there already; move it away or choose another --out", source=str(path))


def list_games(name: str | None, *, as_json: bool) -> int:
    """Print the installed games, or all about one."""
    from tilesolve import service

    if name is not None:
        described = service.describe(service.get_game(name))
        print(json.dumps(described, ensure_ascii=False) if as_json else _about(described))
        return YES
    listed = service.games()
    if as_json:
        print(json.dumps(list(listed), ensure_ascii=False))
        return YES
    for described in listed:
        print(f"{described['game']:20} {described['title']}")
    return YES


def _about(described: Json) -> str:
    lines = [f"{described['game']}: {described['title']}", f"score: {described['unit']}"]
    for operation, parameters in described["operations"].items():
        lines.append(f"  {operation}")
        for parameter in parameters:
            choices = f" ({', '.join(parameter['choices'])})" if "choices" in parameter else ""
            lines.append(f"    --{parameter['name']}: {parameter['help']}{choices}")
    for rule in described["rules"]:
        lines.append(f"  rules.{rule['name']} ({rule['rule']}): {rule['help']}")
    if described["policies"]:
        lines.append(f"  policies: {', '.join(described['policies'])}")
    return "\n".join(lines)


def print_schemas(name: str | None) -> int:
    """Print the JSON Schemas of files, states and results."""
    from tilesolve.schemas import schemas

    found = schemas()
    if name is not None:
        if name not in found:
            raise InputError(f"there is no schema '{name}'; known are {', '.join(found)}")
        found = found[name]
    print(json.dumps(found, ensure_ascii=False, indent=2))
    return YES
