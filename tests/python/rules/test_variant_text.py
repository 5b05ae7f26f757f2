"""Variants and boards as text and dict, and every place that takes one."""

import json
from itertools import product

import gymnasium
import numpy as np
import pytest

import mijnlieff
from mijnlieff import (
    Board,
    Canvas,
    MijnlieffEnv,
    Position,
    SelfPlay,
    Variant,
    VectorEnv,
    encoding,
    evaluate,
    format_record,
    functional,
    grade,
    load_policy,
    parse_record,
    review,
    tournament,
)
from mijnlieff.errors import BoardError, ParseError, VariantError
from mijnlieff.evaluation import Benchmark, random_openings

OPENINGS = ("outside", "corner", "corner_straight", "anywhere")
BOARDS = (
    *Board.arrangements(3, corners=True),
    Board.standard(),
    Board.from_text("#"),
    Board.from_text("#.#"),
    Board.from_text("########\n" * 8),
)
VARIANTS = [Variant(*parts) for parts in product(BOARDS, OPENINGS, (1, 2, 3, 127))]
SMALL = Variant(Board.from_text("##.\n###"), "corner", 1)
TEXT = "##./### corner 1"
PARTS = {"board": "##./###", "opening": "corner", "copies": 1}


@pytest.mark.parametrize("variant", VARIANTS)
def test_text_and_dict_make_the_variant_again(variant):
    assert Variant.from_text(str(variant)) == variant
    parts = json.loads(json.dumps(variant.to_dict()))
    assert Variant.from_dict(parts) == variant
    assert parts["board"] == str(variant.board)
    assert Variant(Board.from_text(parts.pop("board")), **parts) == variant
    full = f"{variant.board}\n{variant.opening} {variant.copies}"
    assert Variant.from_text(full) == variant


@pytest.mark.parametrize(
    ("text", "written", "variant"),
    [
        ("standard", "standard", Variant()),
        (" standard\toutside\n2 ", "standard", Variant()),
        ("corner", "standard corner", Variant(opening="corner")),
        ("3", "standard 3", Variant(copies=3)),
        ("anywhere 1", "standard anywhere 1", Variant(None, "anywhere", 1)),
        ("####/####/####/#### 127", "standard 127", Variant(copies=127)),
        ("blocks:0,0;2,2", "..##/..##/##../##..", Variant(Board.from_blocks([(0, 0), (2, 2)]))),
        ("blocks:-7,0;-5,1 3", "..##/####/##.. 3", None),
        ("##.\r\n### corner 1", TEXT, SMALL),
        ("/##./###/\tcorner 1", TEXT, SMALL),
    ],
)
def test_forms_of_the_text(text, written, variant):
    read = Variant.from_text(text)
    assert str(read) == written
    assert variant is None or read == variant


@pytest.mark.parametrize(
    ("text", "board"),
    [
        ("standard", Board.standard()),
        ("\n standard ", Board.standard()),
        ("##/##", Board.from_blocks([(5, 5)])),
        ("##/##", Board.from_blocks(np.array([[5, 5]]))),
        ("blocks:0,0; 2 , 2 ;", Board.from_blocks([(0, 0), (2, 2)])),
    ],
)
def test_forms_of_a_board(text, board):
    assert Board.from_text(text) == board


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", VariantError, r'^"" is not a variant because of ""; write a board \(standard, '),
        (" \n", VariantError, "is not a variant"),
        ("cornr", VariantError, '"cornr"; .* an opening .outside, corner, corner_straight, any'),
        ("standard cornr 2", VariantError, 'because of "cornr"'),
        ("corner standard", VariantError, 'because of "standard".* in this order'),
        ("2 corner", VariantError, 'because of "2"'),
        ("standard corner 2 2", VariantError, 'because of "2"'),
        ("####/#### edge", VariantError, 'because of "edge"'),
        ("standard 0", VariantError, '^"standard 0": copies must be 1 to 127, not 0(\n|$)'),
        ("standard -1", VariantError, "copies must be 1 to 127, not -1"),
        ("128", VariantError, "copies must be 1 to 127, not 128"),
        ("99999999999999999999", VariantError, 'because of "99999999999999999999"'),
        ("standard 2.5", VariantError, 'because of "2.5"'),
        ("##/# corner", BoardError, '^"##/# corner": row 2 has 1 characters'),
        ("../.. 2", BoardError, "1 to 64 cells, not 0"),
        ("#" * 65, BoardError, "1 to 64 cells, not 65"),
        ("#x# 2", BoardError, "unknown character 'x' in row 1"),
        ("blocks:", BoardError, "at least one block"),
        ("blocks:0,0;x 2", BoardError, '"x" is not the corner X,Y of a block; .* blocks:0,0;2,2'),
        ("blocks:0,0;1,1", BoardError, "overlap"),
        ("blocks:" + "0,0;" * 10**5, BoardError, "listed twice"),
        ("blocks:99999999999,0", BoardError, "is not the corner"),
        ("\N{SNOWMAN} \N{SNOWMAN}", VariantError, "\N{SNOWMAN}"),
        ("corner\N{NO-BREAK SPACE}\N{FULLWIDTH DIGIT TWO}", VariantError, "is not a variant"),
        ("corner\0", VariantError, "is not a variant"),
        ("\ud800", ParseError, "lone surrogates"),
        ("é" * 10**6, VariantError, "^.é{60}\\.\\.\\.. is not a variant because of .é{60}\\.{3}.;"),
        ("#." * 10**6, BoardError, "not 1000000"),
        (" " * 10**6 + "x" + " x" * 10**6, VariantError, 'because of "x"'),
    ],
)
def test_malformed_texts(text, error, message):
    for make in (Variant.from_text, Position, lambda text: VectorEnv(1, text)):
        with pytest.raises(error, match=message) as caught:
            make(text)
        assert len(str(caught.value)) < 400
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("parts", "error", "message"),
    [
        ({"bord": "##"}, VariantError, "has board, opening and copies, but not 'bord'"),
        ({1: 2}, VariantError, "but not 1"),
        ({"opening": "edge"}, VariantError, 'unknown opening "edge"; choose one of outside'),
        ({"copies": 0}, VariantError, "copies must be 1 to 127, not 0"),
        ({"copies": 10**30}, VariantError, "copies must be 1 to 127, not 10"),
        ({"board": "##/#"}, BoardError, '^"##/#": row 2 has 1 characters'),
        ({"board": "\ud800"}, ParseError, "lone surrogates"),
        ({"board": 3}, TypeError, "the board of a variant is a str, not 3"),
        ({"opening": None}, TypeError, "the opening of a variant is a str, not None"),
        ({"copies": "2"}, TypeError, "copies must be an integer, not '2'"),
        ({"copies": 1.5}, TypeError, r"copies must be an integer, not 1\.5"),
    ],
)
def test_wrong_dicts(parts, error, message):
    for make in (Variant.from_dict, Position, lambda parts: VectorEnv(1, parts)):
        with pytest.raises(error, match=message):
            make(parts)


def test_missing_parts_are_those_of_the_standard_game():
    assert Variant.from_dict({}) == Variant()
    assert Variant.from_dict({"copies": np.int64(3)}) == Variant(copies=3)


@pytest.mark.parametrize("wrong", [4, 2.5, b"corner", ("corner", 2), object()])
def test_other_types(wrong):
    with pytest.raises(TypeError, match="must be a Variant, or its text or dict, not"):
        Position(wrong)
    with pytest.raises(TypeError, match="the parts of a variant are a dict, not"):
        Variant.from_dict(wrong)
    with pytest.raises(TypeError):
        Variant.from_text(wrong)


RECORD = format_record([SMALL.action_index("a1+")], SMALL)
WORD = Position(SMALL).to_packed()
TAKERS = {
    "Position": lambda it: Position(it).variant,
    "from_actions": lambda it: Position.from_actions([], it).variant,
    "from_record": lambda it: Position.from_record(RECORD, it).variant,
    "from_notation": lambda it: Position.from_notation(Position(SMALL).notation, it).variant,
    "from_packed": lambda it: Position.from_packed(WORD, it).variant,
    "VectorEnv": lambda it: VectorEnv(2, it).variant,
    "VectorEnv variants": lambda it: VectorEnv(2, variants=[it, it]).variants[1],
    "MijnlieffEnv": lambda it: MijnlieffEnv(it).variant,
    "MijnlieffEnv variants": lambda it: MijnlieffEnv(variants=[it]).variant,
    "mijnlieff_v0": lambda it: mijnlieff.mijnlieff_v0.raw_env(variant=it).variant,
    "to_positions": lambda it: functional.to_positions(functional.init(1, it), it)[0].variant,
    "random_openings": lambda it: random_openings(1, 0, it)[0].variant,
    "Benchmark": lambda it: Benchmark.draw([it], 2).variants[0],
}
SAME = {
    "Canvas.around": lambda it: Canvas.around([it]),
    "Canvas.actions": lambda it: Canvas(4, 4).actions(it).tolist(),
    "parse_record": lambda it: parse_record(RECORD, it),
    "format_record": lambda it: format_record([0], it),
    "legal_mask": lambda it: functional.legal_mask(functional.init(2, it), it).tolist(),
    "expand_packed": lambda it: encoding.expand_packed(
        encoding.observe_batch([Position(SMALL)], "packed"), it
    ).tolist(),
    "evaluate": lambda it: evaluate("random", "greedy", 4, it).to_dict(),
    "tournament": lambda it: tournament(
        {"a": "random", "b": "greedy"}, games=4, variant=it
    ).to_dict(),
    "grade": lambda it: grade("random", 6, variant=it).to_dict(),
    "review": lambda it: [move.loss for move in review(["a1+"], it)],
}


@pytest.mark.parametrize("given", [TEXT, PARTS], ids=["text", "dict"])
@pytest.mark.parametrize("name", TAKERS)
def test_variants_are_taken_as_text_and_dict(name, given):
    assert TAKERS[name](given) == SMALL


@pytest.mark.parametrize("name", SAME)
def test_results_are_those_of_the_variant(name):
    given, expected = repr(SAME[name](TEXT)), repr(SAME[name](SMALL))
    assert given == expected


def test_self_play_takes_texts():
    champion = load_policy("champion")
    games = SelfPlay(champion, variants=["standard", "2"], observation="planes")
    assert games.variants == (Variant(), Variant())
    assert SelfPlay(champion, "outside").variant == Variant()


def test_an_environment_of_a_configuration_is_json():
    env = gymnasium.make("mijnlieff:Mijnlieff-v0", variant="corner")
    assert env.unwrapped.variant == Variant(opening="corner")
    again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert again.unwrapped.variant == Variant(opening="corner")
    many = gymnasium.make_vec("mijnlieff:Mijnlieff-v0", num_envs=2, variant=PARTS)
    assert many.unwrapped.variant == SMALL
