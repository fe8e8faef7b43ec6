"""The page in a browser, opened as a new user would.

Needs Playwright and a Chromium; without them these tests skip, unless ``TILESOLVE_NO_SKIP`` is
set. ``TILESOLVE_SCREENSHOTS`` names a folder that keeps pictures to look at.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tilesolve.answers import Json
from tilesolve.draw.palette import COLOURS
from tilesolve.serve import http
from tilesolve.serve.request import Limits

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

PATIENCE = 60_000.0
GAMES = (
    "second-chance",
    "five-minute-puzzle",
    "lets-klack",
    "puzl-it",
    "new-year-puzzle",
    "sliding-blocks",
)
_NAMES = ("chromium", "chromium-browser", "google-chrome")


def _missing(what: str) -> None:
    if os.environ.get("TILESOLVE_NO_SKIP"):
        pytest.fail(f"{what} is missing")
    pytest.skip(f"{what} is not installed")


@pytest.fixture(scope="module", name="address")
def _address(served: Callable[..., AbstractContextManager[str]]) -> Iterator[str]:
    with served(Limits(workers=2)) as address:
        yield address


@pytest.fixture(scope="module", name="browser")
def _browser() -> Iterator[Browser]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("playwright")
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        _missing("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


class Visit:
    """A user with the page open, on a screen of some width."""

    def __init__(self, browser: Browser, address: str, width: int, scheme: str) -> None:
        self.page: Page = browser.new_page(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
        )
        self.page.set_default_timeout(PATIENCE)
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on(
            "console",
            lambda said: self.faults.append(said.text) if said.type == "error" else None,
        )
        self.address = address

    def open(self, game: str = "polyform") -> None:
        self.page.goto(f"{self.address}/#{game}")
        self.page.reload()
        self.board.locator("path").first.wait_for(state="attached")

    def deal(self, game: str) -> None:
        """Begin a game that is the same every time."""
        self.open(game)
        assert self.page.locator("#games a[aria-current]").get_attribute("data-game") == game
        self.page.get_by_label("seed").fill("7")
        if game == "sliding-blocks":
            self.page.get_by_label("name").select_option("five-puzzle")
        self.press("New game")
        self.wait_for("^New game, seed 7[.]")

    def roll(self) -> None:
        """Roll the die, in a game that has one."""
        if self.page.get_by_role("button", name="Roll the die").count():
            self.press("Roll the die")
            self.wait_for("^Rolled")

    def hint(self, level: str, words: str) -> None:
        """Ask for a hint with little time, and with more as long as that is too little."""
        seconds = self.page.get_by_label("seconds at most")
        seconds.fill("0.3")
        for _ in range(8):
            self.press(level)
            self.page.locator(".cancel:disabled").wait_for()
            if "more seconds" not in self.news:
                break
            seconds.fill(str(2 * float(seconds.input_value())))
        self.wait_for(words)

    @property
    def board(self) -> Locator:
        return self.page.locator(".stage .board")

    @property
    def news(self) -> str:
        return self.page.locator(".news").inner_text()

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).first.click()

    def wait_for(self, words: str) -> None:
        self.page.locator(".news").filter(has_text=re.compile(words)).wait_for()

    def point(self, row: int, column: int, board: Locator | None = None) -> None:
        """Click the middle of a square cell."""
        board = board or self.board
        board.scroll_into_view_if_needed()
        at = board.evaluate(
            """(svg, [x, y]) => {
                const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
                return [at.x, at.y];
            }""",
            [(column + 0.5) * 44, (row + 0.5) * 44],
        )
        self.page.mouse.click(*at)

    def count(self, selector: str) -> int:
        return self.board.locator(selector).count()

    def picture(self, name: str) -> None:
        folder = os.environ.get("TILESOLVE_SCREENSHOTS")
        if folder:
            self.page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)

    def leave(self) -> None:
        wide = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        self.page.close()
        assert self.faults == []
        assert wide <= 0, "the page is wider than the screen"


@pytest.fixture(name="visit")
def _visit(request: pytest.FixtureRequest, browser: Browser, address: str) -> Iterator[Visit]:
    """Open the page on a wide light screen, or as the test's `screen` says."""
    screen = getattr(request, "param", "wide")
    width, scheme = (1280, "light") if screen == "wide" else (390, "dark")
    visit = Visit(browser, address, width, scheme)
    yield visit
    visit.picture(request.node.name)
    visit.leave()


both_screens = pytest.mark.parametrize("visit", ["wide", "narrow"], indirect=True)
narrow_screen = pytest.mark.parametrize("visit", ["narrow"], indirect=True)


@both_screens
def test_a_new_user_paints_a_sheet_and_gets_a_solution(visit: Visit) -> None:
    visit.open()
    visit.page.get_by_label("rows").first.fill("5")
    visit.page.get_by_label("rows").first.press("Enter")
    visit.page.get_by_label("rows").first.fill("6")
    visit.page.get_by_label("rows").first.press("Enter")
    visit.point(2, 3)
    assert visit.count(".hole") == 1
    visit.point(2, 3)
    assert visit.count(".hole") == 0
    assert visit.count(".open") == 60
    visit.press("Use this set")
    visit.page.locator(".piece").nth(11).wait_for()
    visit.press("Fit")
    visit.wait_for("Yes, it fits.*60 open cells, 12 pieces, 2056 placements")
    assert visit.count(".cell") == 60
    assert sorted(visit.board.locator("text").all_text_contents()) == list("FILNPTUVWXYZ")


@both_screens
def test_an_impossible_sheet_says_why(visit: Visit) -> None:
    visit.open()
    visit.press("Use this set")
    visit.page.locator(".piece").nth(11).wait_for()
    visit.point(0, 1)
    visit.point(1, 0)
    visit.press("Fit")
    visit.wait_for("No, it cannot fit")
    assert visit.page.locator(".reasons li").count() >= 1
    visit.press("Undo")
    assert visit.count(".hole") == 1


@narrow_screen
def test_pieces_are_turned_placed_and_refused(visit: Visit) -> None:
    visit.open()
    visit.press("Use this set")
    visit.page.get_by_role("button", name="piece I, 1 left").click()
    visit.page.keyboard.press("r")
    visit.point(2, 0)
    visit.wait_for("I is placed")
    assert visit.count(".cell") == 5
    visit.page.get_by_role("button", name="piece X, 1 left").click()
    visit.point(2, 1)
    visit.page.locator(".news.bad").wait_for()
    assert visit.page.locator(".reasons li").count() >= 1
    visit.page.keyboard.press("Escape")
    visit.press("Undo")
    assert visit.count(".cell") == 0


def test_the_keyboard_alone_will_do(visit: Visit) -> None:
    visit.open()
    visit.board.focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        visit.page.keyboard.press(key)
    assert visit.count(".hole") == 1
    assert "row 1, column 1" in str(visit.board.get_attribute("aria-description"))


def test_hexagons_and_triangles_are_solved_too(visit: Visit) -> None:
    visit.open()
    for example, pieces, placed in (
        ("hex:4x10", "tetrahexes", 28),
        ("triangle:4x10", "tetriamonds", 12),
    ):
        visit.page.get_by_label("Start from").select_option(example)
        lattice = example.partition(":")[0]
        visit.page.get_by_label("Cells").locator(f"option[value={lattice}]:checked").wait_for(
            state="attached"
        )
        visit.page.get_by_label("Set").select_option(pieces)
        visit.press("Use this set")
        visit.page.locator(".piece").first.wait_for()
        visit.page.get_by_label("Goal").select_option("packing")
        visit.press("Fit")
        visit.wait_for("Yes, it fits")
        assert visit.count(".cell") == placed


def test_a_long_question_is_cancelled(visit: Visit) -> None:
    visit.open()
    visit.page.get_by_label("rows").first.fill("10")
    visit.page.get_by_label("rows").first.press("Enter")
    visit.press("Use this set")
    visit.page.locator(".piece").nth(11).wait_for()
    visit.page.get_by_label("Goal").select_option("packing")
    visit.page.get_by_label("seconds at most").fill("300")
    visit.press("Count")
    visit.page.get_by_role("button", name="Cancel").click()
    visit.wait_for("it was cancelled")


@both_screens
@pytest.mark.parametrize("game", GAMES)
def test_three_moves_of_each_game_with_a_hint(visit: Visit, game: str) -> None:
    visit.deal(game)
    visit.roll()
    visit.hint("Nudge", "^Think about: [^.]+[.]$")
    visit.press("Where?")
    visit.board.locator(".ring:not([d=''])").wait_for(state="attached")
    for _ in range(3):
        visit.roll()
        visit.hint("The move", "[.]$")
        visit.page.get_by_role("button", name="Play it").first.click()
        visit.wait_for("^Done")
    visit.press("Undo")
    visit.wait_for("Taken back")


def test_the_same_seed_rolls_the_same(visit: Visit) -> None:
    rolled = []
    for _ in range(2):
        visit.deal("five-minute-puzzle")
        visit.roll()
        rolled.append(visit.news)
    assert rolled[0] == rolled[1]


def test_an_illegal_move_is_refused_with_the_reason(visit: Visit) -> None:
    visit.open("second-chance")
    visit.page.locator(".piece").first.click()
    visit.point(0, 8)
    visit.page.locator(".news.bad").wait_for()
    assert visit.page.locator(".reasons li").count() >= 1
    assert visit.count(".cell") == 0


def test_an_open_card_is_not_turned_up_again(visit: Visit) -> None:
    visit.open("new-year-puzzle")
    visit.point(0, 0)
    visit.page.locator(".news.bad").wait_for()
    assert visit.page.locator(".reasons li").count() == 1
    visit.point(3, 3)
    visit.wait_for("^Done: flip")


def test_kinds_are_painted_on_the_sheet_and_on_a_drawn_piece(visit: Visit) -> None:
    visit.open()
    for size, value in (("rows", "2"), ("columns", "2")):
        visit.page.get_by_label(size).first.fill(value)
        visit.page.get_by_label(size).first.press("Enter")
    visit.page.get_by_label("Paint").select_option("kind")
    visit.page.get_by_label("kind of cell").fill("star")
    visit.point(0, 0)
    visit.page.get_by_text("Draw a piece", exact=True).click()
    visit.page.get_by_label("cells for").select_option("star")
    drawer = visit.page.locator(".drawer .board")
    visit.point(2, 2, drawer)
    visit.page.get_by_label("cells for").select_option("")
    visit.point(2, 3, drawer)
    visit.press("Add this piece")
    visit.page.get_by_label("Goal").select_option("packing")
    visit.press("Fit")
    visit.wait_for("Yes, it fits .4 open cells, 1 pieces, 2 placements")
    visit.page.get_by_label("Paint").select_option("cell")
    visit.point(0, 0)
    visit.press("Fit")
    visit.wait_for("No, it cannot fit")


def test_an_impossible_sheet_is_explained(visit: Visit) -> None:
    visit.open()
    for size, value in (("rows", "4"), ("columns", "5")):
        visit.page.get_by_label(size).first.fill(value)
        visit.page.get_by_label(size).first.press("Enter")
    visit.page.get_by_label("Set").select_option("tetrominoes")
    visit.press("Use this set")
    visit.page.locator(".piece").nth(4).wait_for()
    visit.press("Explain")
    visit.wait_for("It cannot fit, and this is why")
    assert visit.count(".ring:not([d=''])") == 1
    visit.page.locator(".findings button").filter(has_text="leave out").first.click()
    assert visit.count(".cell") >= 16


def test_improving_scores_are_shown_as_they_come(visit: Visit) -> None:
    told = 'event: progress\ndata: {"stage": "best", "score": 12, "bound": 4}\n\n'
    visit.page.route(
        "**/events", lambda route: route.fulfill(body=told, content_type="text/event-stream")
    )
    visit.open("five-minute-puzzle")
    visit.press("Best")
    visit.wait_for("score 12 so far, bound 4")


def test_what_is_saved_can_be_loaded(visit: Visit, tmp_path: Path) -> None:
    for game in ("polyform", "lets-klack"):
        visit.open(game)
        if game == "polyform":
            visit.point(0, 0)
            visit.press("Use this set")
            visit.page.locator(".piece").nth(11).wait_for()
        else:
            visit.deal(game)
        with visit.page.expect_download() as download:
            visit.press("Save file")
        saved = tmp_path / f"{game}.json"
        download.value.save_as(saved)
        state = json.loads(saved.read_text("utf-8"))
        assert state["game"] == game
        visit.open(game)
        visit.page.locator("input[type=file]").set_input_files(saved)
        if game == "polyform":
            visit.page.locator(".piece").nth(11).wait_for()
            assert visit.count(".hole") == 1
        else:
            loaded = "JSON.stringify(JSON.parse(document.querySelector('textarea').value))"
            visit.page.wait_for_function(f"(saved) => {loaded} === saved", arg=dumped(state))


def dumped(state: Json) -> str:
    return json.dumps(state, separators=(",", ":"), ensure_ascii=False)


def test_sheet_and_pieces_are_printed_on_one_page(visit: Visit) -> None:
    visit.open()
    visit.page.evaluate("window.print = () => {}")
    visit.press("Use this set")
    visit.page.locator(".piece").nth(11).wait_for()
    visit.press("Print")
    assert visit.page.locator(".print-tray .thumbnail").count() == 12
    visit.page.emulate_media(media="print")
    printed = visit.page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1


def test_the_page_has_the_palette_of_the_files() -> None:
    script = (Path(http.__file__).parent / "page" / "draw.js").read_text("utf-8")
    [colours] = re.findall(r"COLOURS = \[(.*?)\]", script, re.DOTALL)
    assert tuple(re.findall(r"#[0-9a-f]{6}", colours)) == COLOURS


@narrow_screen
def test_blocks_jump_where_one_points(visit: Visit) -> None:
    visit.open("lets-klack")
    state = {
        "game": "lets-klack",
        "cards": [[1, 2], [3], [4, 5]],
        "covered": [1, 2, 4, 5],
        "blocks": {"3": [-1, 0]},
    }
    visit.page.get_by_text("Set up a position").click()
    visit.page.get_by_label("position as JSON").fill(json.dumps(state))
    visit.press("Use this position")
    visit.page.locator(".facts").filter(has_text="1 block").first.wait_for()
    visit.point(-1, 0)
    visit.point(1, 0)
    visit.wait_for("^Done")
