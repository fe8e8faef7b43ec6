"""The table of commands, and how a command line becomes a question.

Heavy modules are imported when a question is asked, so that ``--help`` is quick.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from tilesolve.cli.asking import Ask, Settings
from tilesolve.cli.benching import bench, generate

app = typer.Typer(
    name="tilesolve",
    help="Solver, rule checker and hint engine for placement games and puzzles.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Sheet = Annotated[
    str,
    typer.Argument(
        metavar="SHEET", help="a file (JSON or rows in .txt), '-' for stdin, or a name as 6x10"
    ),
]
Pieces = Annotated[
    Optional[str],  # noqa: UP045  # typer reads this at run time, also under Python 3.11
    typer.Argument(metavar="[PIECES]", help="a file, '-', or names as pentominoes or F,I*2"),
]
AsJson = Annotated[bool, typer.Option("--json", help="print the result as JSON")]
Seconds = Annotated[
    Optional[float],  # noqa: UP045  # as above
    typer.Option("--time", help="seconds to spend (default 60, for hint 2)", min=0),
]
Work = Annotated[
    Optional[int],  # noqa: UP045  # as above
    typer.Option("--work", help="units of deterministic work to spend", min=0),
]
Workers = Annotated[int, typer.Option("--workers", help="threads to use", min=1, max=256)]
Seed = Annotated[int, typer.Option("--seed", help="seed of what is random", min=0)]
Memory = Annotated[
    Optional[int],  # noqa: UP045  # as above
    typer.Option("--memory", help="megabytes an engine may hold (default: a quarter)", min=1),
]
Svg = Annotated[
    Optional[Path],  # noqa: UP045  # as above
    typer.Option("--svg", help="also write a picture to this file"),
]
Proof = Annotated[
    Optional[Path],  # noqa: UP045  # as above
    typer.Option("--proof", help="write the certificate of a no to this file"),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="no progress and no notes on stderr")]
Plain = Annotated[bool, typer.Option("--ascii", help="draw with ASCII characters only")]
Forms = Annotated[
    Optional[str],  # noqa: UP045  # as above
    typer.Option("--forms", help="named sets are: free, one-sided or fixed"),
]
Cover = Annotated[
    Optional[bool],  # noqa: UP045  # as above
    typer.Option("--cover/--packing", help="leave no cell open / only place the pieces"),
]
GameId = Annotated[
    Optional[str],  # noqa: UP045  # as above
    typer.Option("--game", help='the game that a file without "game" belongs to'),
]
Set = Annotated[
    Optional[list[str]],  # noqa: UP045  # as above
    typer.Option(
        "--set", metavar="NAME=VALUE", help="a game's own setting; --NAME VALUE does the same"
    ),
]


def _question_command(operation: str, help_text: str) -> None:
    """Register the command of an operation that is asked of a sheet or state."""

    def command(
        sheet: Sheet,
        pieces: Pieces = None,
        as_json: AsJson = False,
        seconds: Seconds = None,
        work: Work = None,
        workers: Workers = 1,
        seed: Seed = 0,
        memory: Memory = None,
        svg: Svg = None,
        proof: Proof = None,
        quiet: Quiet = False,
        plain: Plain = False,
        forms: Forms = None,
        cover: Cover = None,
        game: GameId = None,
        settings: Set = None,
    ) -> None:
        ask = Ask(
            operation=operation,
            sheet=sheet,
            pieces=pieces,
            forms=forms,
            game=game,
            as_json=as_json,
            seconds=seconds,
            work=work,
            workers=workers,
            seed=seed,
            memory=memory,
            svg=svg,
            proof=proof,
            quiet=quiet,
            plain=plain,
            settings=Settings.read(settings or [], cover=cover),
        )
        raise typer.Exit(ask.run())

    app.command(operation, help=help_text)(command)


_QUESTIONS = {
    "fit": "Can all these pieces still be placed? Or each of them alone (--each).",
    "best": "The best score still possible, with a bound and its proof.",
    "hint": "The next move, ranked, with its value and a reason.",
    "check": "Is this position or move legal (--move FILE|JSON)? Which rules does it break?",
    "count": "How many solutions are there?",
    "solve": "The solutions, one by one (--limit N, --all, --unique).",
    "explain": "Why does it not fit, and what would make it possible?",
    "difficulty": "How hard is this sheet?",
    "show": "Draw a sheet or position.",
    "moves": "List the legal moves.",
}
for _operation, _help in _QUESTIONS.items():
    _question_command(_operation, _help)


@app.command()
def verify(
    sheet: Sheet,
    pieces: Annotated[
        str, typer.Argument(metavar="[PIECES] PROOF", help="pieces as for fit, then the proof")
    ],
    proof: Annotated[
        Optional[str],  # noqa: UP045  # as above
        typer.Argument(metavar="", help="the certificate's file; last"),
    ] = None,
    as_json: AsJson = False,
    seconds: Seconds = None,
    quiet: Quiet = False,
    forms: Forms = None,
    cover: Cover = None,
    game: GameId = None,
    settings: Set = None,
) -> None:
    """Check a certificate with a checker that trusts no engine."""
    certificate, given = (pieces, None) if proof is None else (proof, pieces)
    ask = Ask(
        operation="verify",
        sheet=sheet,
        pieces=given,
        forms=forms,
        game=game,
        as_json=as_json,
        seconds=seconds,
        quiet=quiet,
        settings=Settings.read([f"proof={certificate}", *(settings or [])], cover=cover),
    )
    raise typer.Exit(ask.run())


@app.command()
def convert(
    sheet: Sheet,
    pieces: Pieces = None,
    to: Annotated[
        str, typer.Option("--to", help="json, text, svg, or a format of the game's, as graphml")
    ] = "json",
    out: Annotated[
        Optional[Path],  # noqa: UP045  # as above
        typer.Option("--out", help="file to write; standard output when left out"),
    ] = None,
    seconds: Seconds = None,
    quiet: Quiet = False,
    forms: Forms = None,
    game: GameId = None,
) -> None:
    """Write a sheet or position in another format."""
    from tilesolve.cli.asking import write_converted

    ask = Ask(operation="convert", sheet=sheet, pieces=pieces, forms=forms, game=game,
              seconds=seconds, quiet=quiet)  # fmt: skip
    raise typer.Exit(write_converted(ask, to, out))


@app.command()
def simulate(
    game: Annotated[str, typer.Argument(metavar="GAME|FILE", help="a game's id or a state file")],
    games: Annotated[int, typer.Option("--games", help="games to play", min=1)] = 100,
    policy: Annotated[
        Optional[list[str]],  # noqa: UP045  # as above
        typer.Option("--policy", help="a named policy; may be repeated; all when left out"),
    ] = None,
    as_json: AsJson = False,
    seconds: Seconds = None,
    work: Work = None,
    workers: Workers = 1,
    seed: Seed = 0,
    quiet: Quiet = False,
    settings: Set = None,
) -> None:
    """Play whole games by policy: mean, standard error and distribution of the scores."""
    from tilesolve.cli.asking import simulate_games

    limits = {"seconds": seconds, "work": work, "workers": workers, "seed": seed}
    code = simulate_games(
        game,
        games=games,
        policies=policy or [],
        limits=limits,
        as_json=as_json,
        quiet=quiet,
        settings=Settings.read(settings or []),
    )
    raise typer.Exit(code)


@app.command()
def new(
    game: Annotated[str, typer.Argument(metavar="GAME", help="a game's id; see tilesolve games")],
    out: Annotated[
        Optional[Path],  # noqa: UP045  # as above
        typer.Option("--out", help="file to write; a folder for a game's pair of files"),
    ] = None,
    seed: Annotated[
        Optional[int],  # noqa: UP045  # as above
        typer.Option("--seed", help="seed of what is random; with it a deal, not a starter", min=0),
    ] = None,
    settings: Set = None,
) -> None:
    """Write a starter or a random deal of a game."""
    from tilesolve.cli.asking import write_new

    raise typer.Exit(write_new(game, out, seed=seed, settings=Settings.read(settings or [])))


@app.command()
def games(
    game: Annotated[
        Optional[str],  # noqa: UP045  # as above
        typer.Argument(metavar="[GAME]", help="one game's operations and settings"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the games, or say what one of them offers."""
    from tilesolve.cli.asking import list_games

    raise typer.Exit(list_games(game, as_json=as_json))


@app.command()
def schema(
    name: Annotated[
        Optional[str],  # noqa: UP045  # as above
        typer.Argument(metavar="[NAME]", help="sheet, pieces, or a game's id; all when left out"),
    ] = None,
) -> None:
    """Print the JSON Schemas of files and results."""
    from tilesolve.cli.asking import print_schemas

    raise typer.Exit(print_schemas(name))


@app.command()
def serve(
    stdio: Annotated[
        bool, typer.Option("--stdio", help="JSON-RPC on standard input and output, not HTTP")
    ] = False,
    host: Annotated[str, typer.Option("--host", help="address to listen on")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", help="0 takes any free one", min=0, max=65535)
    ] = 8765,
    cors: Annotated[
        Optional[list[str]],  # noqa: UP045  # as above
        typer.Option("--cors", metavar="ORIGIN", help="an origin whose pages may ask"),
    ] = None,
    workers: Annotated[
        Optional[int],  # noqa: UP045  # as above
        typer.Option("--workers", help="worker processes (default 2)", min=1, max=64),
    ] = None,
    seconds: Annotated[
        Optional[float],  # noqa: UP045  # as above
        typer.Option("--time", help="most seconds of one question over HTTP (default 300)", min=0),
    ] = None,
    queue: Annotated[
        Optional[int],  # noqa: UP045  # as above
        typer.Option("--queue", help="questions that may wait over HTTP (default 64)", min=0),
    ] = None,
) -> None:
    """Serve other programs: HTTP with a page for people, or JSON-RPC lines."""
    from tilesolve.cli import serving

    if stdio:
        raise typer.Exit(serving.on_stdio(workers=workers))
    raise typer.Exit(
        serving.over_http(
            host=host, port=port, cors=cors or (), workers=workers, seconds=seconds, queue=queue
        )
    )


app.add_typer(bench)
app.command()(generate)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="print the version")] = False,
) -> None:
    if version:
        from importlib.metadata import version as version_of

        typer.echo(f"tilesolve {version_of('tilesolve')}")
        raise typer.Exit


def run(arguments: Sequence[str]) -> None:
    """Run one command line; every error of input is one sentence and exit code 2."""
    from tilesolve.errors import TilesolveError

    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    command = typer.main.get_command(_needed(arguments))
    try:
        command.main(args=settings_spelt_out(command, arguments), prog_name="tilesolve")
    except TilesolveError as error:
        print(f"tilesolve: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # The reader of a pipe has gone: nobody is left to tell.
        sys.stderr.close()
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(3)


def _needed(arguments: Sequence[str]) -> typer.Typer:
    """Return the table with the one command that is called, or all of it.

    Making a command ready costs milliseconds, and there are twenty.
    """
    called = [
        command
        for command in app.registered_commands
        if arguments[:1] == [command.name or getattr(command.callback, "__name__", "")]
    ]
    if not called:
        return app
    needed = copy(app)
    needed.registered_commands = called
    return needed


def settings_spelt_out(command: Any, arguments: Sequence[str]) -> list[str]:
    """Turn options that no command declares into ``--set NAME=VALUE``.

    A game's own settings can then be written like all others: ``best deal.json --moves 3``.

    Examples
    --------
    >>> settings_spelt_out(typer.main.get_command(app), ["best", "deal.json", "--moves", "3"])
    ['best', 'deal.json', '--set', 'moves=3']
    """
    chosen = command.commands.get(arguments[0]) if arguments else None
    if chosen is None:
        return list(arguments)
    declared = {name: p for p in chosen.params for name in (*p.opts, *p.secondary_opts)}
    if "--set" not in declared:
        return list(arguments)
    spelt = [arguments[0]]
    rest = list(arguments[1:])
    while rest:
        word = rest.pop(0)
        name, joined, value = word.partition("=")
        if word == "--":
            return [*spelt, word, *rest]
        if not word.startswith("--") or name == "--help" or name in declared:
            spelt.append(word)
            takes_value = name in declared and not joined and _takes_value(declared[name])
            if takes_value and word.startswith("-") and rest:
                spelt.append(rest.pop(0))
            continue
        if not joined:
            value = rest.pop(0) if rest and not rest[0].startswith("--") else "true"
        spelt += ["--set", f"{name[2:].replace('-', '_')}={value}"]
    return spelt


def _takes_value(parameter: Any) -> bool:
    return not getattr(parameter, "is_flag", False)
