"""Pictures: what lies where, in text and in SVG."""

from dataclasses import replace

from tilesolve.draw import svg, text
from tilesolve.game import OPERATIONS
from tilesolve.wire import Node
from tilesolve_models.lets_klack.deal import deal
from tilesolve_models.lets_klack.game import GAME, new
from tilesolve_models.lets_klack.picture import picture
from tilesolve_models.lets_klack.position import State

STATE = State(cards=((1, 2), (3,), (4, 5)), blocks=((3, (0, -1)), (5, (1, 0))), covered=(1, 2, 4))


def test_every_card_spot_and_block_has_its_place() -> None:
    tiles = {tile.at: tile for tile in picture(STATE).tiles}
    assert len(tiles) == 5 + 4 + 8
    assert (tiles[1, 1].role, tiles[1, 1].label) == ("card", "3")
    assert (tiles[0, 0].role, tiles[0, 0].label) == ("covered", "1")
    assert (tiles[0, -1].role, tiles[0, -1].label) == ("block", "3")
    assert tiles[0, 1].role == "open"
    assert tiles[3, 2].role == "spot"


def test_face_down_blocks_hide_their_value() -> None:
    tiles = picture(deal(1, phase=1)).tiles
    assert {tile.label for tile in tiles if tile.role == "block"} == {"?"}


def test_text_and_svg_show_the_values() -> None:
    shown = text.render(picture(replace(STATE, away=4, specials=("fly",))), ascii=True)
    assert "(3)" in shown.replace(" ", "")
    assert "{4A}" in shown
    assert "in hand: fly" in shown
    assert svg.render(picture(STATE)).startswith("<svg")


def test_new_takes_rules_and_cards() -> None:
    state = new(seed=3, phase=1, specials=Node("swap,fly"), cover="separate", jump_covered=False)
    assert state.specials == ("swap", "fly")
    assert state.rules.cover == "separate"
    assert state.phase == 1
    assert GAME.load(Node(GAME.dump(state))) == state
    assert set(GAME.info.operations) <= set(OPERATIONS)
