"""A bare typer application with as many commands as tilesolve, for comparison."""

import typer

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False)


def _register(name: str) -> None:
    def command(sheet: str, pieces: str = "", seconds: float = 60, quiet: bool = False) -> None:
        print(sheet, pieces, seconds, quiet)

    app.command(name)(command)


for _name in (
    "fit", "best", "hint", "check", "count", "solve", "explain", "difficulty", "show", "moves",
    "simulate", "new", "games", "schema", "serve", "verify", "convert", "generate", "bench",
):  # fmt: skip
    _register(_name)

if __name__ == "__main__":
    app()
