//! An example of every error: its text is one line that names what was wrong, and where possible what
//! would be right.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use mijnlieff::best_response::BestResponseError;
use mijnlieff::encode::{
    Canvas, CanvasError, Layout, LayoutError, Numbering, PackError, VariantSetError, WordsError,
};
use mijnlieff::functional::FunctionalError;
use mijnlieff::game::{
    Board, BoardError, Cell, IllegalReason, Move, Opening, ParseError, Piece, PlayError, Player,
    Position, PositionError, PositionReason, PositionTextError, RecordError, Variant, VariantError,
    VariantTextError,
};
use mijnlieff::memory::OutOfMemory;
use mijnlieff::network::{CanvasRows, ChoiceError, Network, NetworkError, NoBoardError};
use mijnlieff::play::{LoadError, NoPerfectPlay, TurnError};
use mijnlieff::policy::{Epsilon, EpsilonError, OpeningError, opening};
use mijnlieff::search::solver::BookError;
use mijnlieff::search::{Depth, DepthError, Halt};
use mijnlieff::self_play::{Progress, ProgressError, SelfPlayError};
use mijnlieff::tablebase::{Damaged, TablebaseError};
use mijnlieff::tree_search::UpdateError;
use mijnlieff::vector::{Reward, StepError, WeightsError};
use mijnlieff::{FileError, UnknownName};
use ndarray::Array2;

use super::imports::modules;

/// Checks that the text of an error has these parts, and that it can stand behind a colon.
fn check(error: &impl Display, parts: &[&str]) {
    let text = error.to_string();
    for part in parts {
        assert!(text.contains(part), "{text:?} lacks {part:?}");
    }
    assert!(!text.contains('\n') && !text.ends_with('.'), "{text:?}");
}

/// Checks an example of each variant of an error.
macro_rules! examples {
    ($type:ident: $($variant:ident $fields:tt => [$($part:expr),*],)*) => {
        $(check(&$type::$variant $fields, &[$($part),*]);)*
    };
}

const SHORT: OutOfMemory = OutOfMemory {
    what: "the games",
    bytes: 24,
};
const OUT_OF_MEMORY: &str = "not enough memory for the games: 24 bytes needed";
const FIRST: Cell = Cell::new(0);
const PLACE: Move = Move::Place {
    piece: Piece::Puller,
    cell: FIRST,
};

#[test]
fn errors_of_boards_and_variants() {
    check(&SHORT, &[OUT_OF_MEMORY]);
    examples!(BoardError:
        CellCount { found: 65 } => ["1 to 64 cells", "not 65"],
        TooWide { width: 65, height: 17 } => ["at most 64", "65 x 17"],
        NoBlocks {} => ["at least one block", "empty"],
        OverlappingBlocks { first: (7, 8), second: (7, 8) } => ["(7, 8)", "twice"],
        OverlappingBlocks { first: (0, 0), second: (1, -1) } => ["(0, 0)", "(1, -1)", "overlap", "2x2"],
        RaggedRow { row: 2, expected: 4, found: 3 } =>
            ["row 2", "3 characters", "first row has 4", "fill it up with '.'"],
        UnknownCharacter { row: 1, character: '?' } => ["'?'", "row 1", "'#' is a cell", "'.' is a gap"],
        NotACorner { found: "0;x".to_owned() } => ["\"0;x\"", "X,Y", "blocks:0,0;2,2"],
    );
    let [first, second, third, fourth] = Opening::ALL.map(Opening::name);
    examples!(VariantError:
        Opening ("edge".parse::<Opening>().unwrap_err()) => ["\"edge\"", first, second, third, fourth],
        Copies { found: 0 } => ["copies", "1 to 127", "not 0"],
    );
    examples!(VariantTextError:
        Board { text: "## 3".to_owned(), error: BoardError::NoBlocks } => ["\"## 3\"", "at least one block"],
        Variant { text: "0".to_owned(), error: VariantError::Copies { found: 0 } } => ["\"0\"", "1 to 127"],
        Word { text: "corners".to_owned(), word: "corners".to_owned() } =>
            ["\"corners\"", first, second, third, fourth, "standard corner 2", "blocks:0,0;2,2", "##../..##"],
    );
    let variant = Variant::new(Board::default(), Opening::Outside, 4).unwrap();
    let error: PackError = PackError::check(&variant).unwrap_err();
    check(
        &error,
        &["at most 16 cells and 3 copies", "16 cells and 4 copies"],
    );
    let own = Numbering::own(&variant);
    assert_eq!(own.check(Layout::Packed), Err(error.into()));
    for layout in [Layout::Flat, Layout::Planes] {
        assert_eq!(own.check(layout), Ok(()));
    }
}

#[test]
fn errors_of_canvases_and_sets_of_variants() {
    let canvas = Canvas::new(4, 3).unwrap();
    examples!(CanvasError:
        Side { height: 65, width: 17 } => ["1 to 64", "not 65 rows and 17 columns"],
        NoVariants {} => ["at least one variant"],
        TooSmall { canvas, board_height: 4, board_width: 5 } =>
            ["4 rows and 5 columns", "4 rows and 3 columns"],
        UnknownAction { action: 50, last: 48 } => ["action 50", "0 to 48"],
        NotACell { action: 13, x: 1, y: 0 } => ["action 13", "column 1 and row 0"],
    );
    let variant = Variant::new(Board::default(), Opening::Outside, 4).unwrap();
    examples!(LayoutError:
        OnCanvas { found: Layout::Flat } => ["\"planes\"", "not \"flat\""],
        Packed(PackError::check(&variant).unwrap_err()) => ["at most 16 cells and 3 copies"],
    );
    examples!(VariantSetError:
        Count { found: 0 } => ["1 to 65535 variants", "not 0"],
        Canvas { index: 2, error: CanvasError::NoVariants } => ["variant 2: ", "at least one variant"],
    );
    examples!(WeightsError:
        Length { expected: 2, found: 1 } => ["2 variants need 2 weights", "not 1"],
        NotAWeight { index: 1, found: -0.5 } => ["weight 1", "-0.5", "0 or more"],
        AllZero {} => ["all weights are 0", "at least one"],
    );
}

#[test]
fn errors_of_moves() {
    examples!(IllegalReason:
        OffBoard {} => ["no such cell"],
        Occupied {} => ["occupied"],
        NotAllowed {} => ["the opponent's last piece", "does not allow that cell"],
        OpeningCell {} => ["opening rule", "that cell"],
        OpeningPiece {} => ["opening rule", "that piece"],
        NotHeld {} => ["in the hand"],
        PassNotForced {} => ["pass", "legal only when no placement is"],
        MustPass {} => ["a pass is the only move"],
    );
    let reason = IllegalReason::Occupied;
    examples!(PlayError:
        GameOver {} => ["the game is over"],
        Illegal { mv: PLACE, reason } => ["illegal Puller on cell 0: ", "occupied"],
        Illegal { mv: Move::Pass, reason: IllegalReason::PassNotForced } => ["illegal pass: "],
    );
    let position = Box::new(Position::new(&Variant::default()));
    let (game, error) = (17, PlayError::GameOver);
    examples!(StepError:
        OutOfMemory(SHORT) => [OUT_OF_MEMORY],
        Length { expected: 2, found: 3 } => ["2 games need 2 actions", "not 3"],
        NotReset {} => ["reset them first"],
        UnknownAction { game, action: 65, position: position.clone() } =>
            ["game 17: ", "action 65 does not exist"],
        Play { game, action: 64, position, error } => ["game 17: ", "action 64: ", "the game is over"],
    );
}

#[test]
fn errors_of_texts_and_positions() {
    let (player, piece) = (Player::Light, Piece::Pusher);
    examples!(PositionReason:
        TooManyPieces { player, piece, found: 3, copies: 2 } =>
            ["Light has 3 stones of type Pusher", "only 2"],
        TooManyTurns { ply: 99, max: 64 } => ["99 turns", "64"],
        TooManyPasses { passes: 5, placements: 4, most: 3 } =>
            ["5 passes", "the 3 that 4 placements leave room for"],
        TooFewTurns { player, stones: 3, turns: 2 } => ["Light has 3 stones", "2 turns"],
        LastTurnMissing { ply: 3 } => ["3 turns", "the last one is not given"],
        LastTurnBeforeStart {} => ["a last turn is given", "no turn has been played"],
        PassWithoutTurn { player } => ["a pass", "every turn of Light placed a stone"],
        PassWithoutPieces { player } => ["a pass", "Light had no pieces left"],
        LastStoneMissing { player, piece, cell: FIRST } => ["Pusher of Light on cell 0"],
        NoOpeningStone {} => ["Light has no stone on an opening cell"],
    );
    let reasons = [
        PositionReason::NoOpeningStone,
        PositionReason::LastTurnBeforeStart,
    ];
    let texts = reasons.clone().map(|reason| reason.to_string());
    let all = format!("impossible position: {}", texts.join("; "));
    let impossible = PositionError {
        reasons: reasons.to_vec(),
    };
    check(&impossible, &[&all]);
    let parse = |found: &str| ParseError {
        at: 3,
        found: found.to_owned(),
        expected: "a move".to_owned(),
    };
    check(
        &parse(""),
        &["expected a move", "the text ends", "character 3"],
    );
    let unread = ["expected a move", "found \"q9\"", "character 3"];
    check(&parse("q9"), &unread);
    let [expected, found, at] = unread;
    examples!(PositionTextError:
        Parse(parse("q9")) => [expected, found, at],
        Impossible(impossible) => [&all],
    );
    let before = Position::new(&Variant::default());
    let (text, error) = ("a1+".to_owned(), PlayError::GameOver);
    examples!(RecordError:
        Parse(parse("q9")) => [expected, found, at],
        Play { number: 9, text, before, error } => ["move 9 (a1+): ", "the game is over"],
    );
}

#[test]
fn errors_of_files() {
    let Err(NetworkError::File(FileError::Foreign { kind })) = Network::parse(b"") else {
        panic!("an empty file passed for a network");
    };
    examples!(FileError:
        Foreign { kind } => ["not a network", "MIJNNETW"],
        Version { kind, found: 99 } => ["the network has format version 99", "reads versions 2 to 5"],
        Length { kind, found: 100, expected: 200 } => ["the network", "100 bytes", "200"],
        Checksum { kind } => ["the network is damaged", "checksum"],
    );
    examples!(BookError:
        File(FileError::Checksum { kind }) => ["is damaged", "checksum"],
        Content { at: 17 } => ["the book is invalid", "byte 17"],
        OutOfMemory(SHORT) => [OUT_OF_MEMORY],
    );
    examples!(NetworkError:
        File(FileError::Checksum { kind }) => ["the network is damaged", "checksum"],
        Old { version: 1 } => ["format version 1", "mijnlieff train", "mijnlieff export"],
        Content { at: 17 } => ["the network is invalid", "byte 17"],
        Variant { reason: "no such opening".to_owned() } => ["invalid variant: no such opening"],
        Inputs { found: 39, expected: 38 } => ["reads 39 numbers", "38"],
        Architecture { found: "symmetric".to_owned() } => ["\"symmetric\"", "\"cells\"", "mijnlieff train"],
        Nothing { what: "heads" } => ["0 heads", "at least 1"],
        Heads { units: 96, heads: 5 } => ["96 units", "multiple of its 5 heads"],
        Count { found: 5, expected: Some(6) } => ["5 weights", "need 6"],
        Count { found: 5, expected: None } => ["5 weights", "more than can be counted"],
        NotFinite { index: 5 } => ["weight 5", "infinite or NaN"],
        TooLargeForHalf { index: 5, weight: "70000".to_owned() } =>
            ["weight 5", "70000, too large for 16 bits", "at most 65504"],
        TooLarge { bytes: 1 << 40 } => ["1099511627776 bytes", "at most 2147483648"],
        OutOfMemory(SHORT) => [OUT_OF_MEMORY],
    );
    let damaged = Damaged { stones: 7 };
    check(&damaged, &["damaged", "7 stones", "build it again"]);
    examples!(TablebaseError:
        TooManyCells { cells: 20 } => ["at most 16 cells", "20"],
        TooManyCopies { copies: 4 } => ["at most 3 copies", "4"],
        TooManyPoints { points: 9 } => ["at most 7 points", "can make 9"],
        File(FileError::Checksum { kind }) => ["is damaged", "checksum"],
        Header {} => ["damaged", "no variant"],
        Damaged(damaged) => ["damaged", "7 stones"],
        Io(std::io::Error::other("no space left")) => ["no space left"],
        Stopped {} => ["was stopped"],
        OutOfMemory(SHORT) => [OUT_OF_MEMORY],
    );
    let canvas = Canvas::new(2, 2).unwrap();
    let nothing = Array2::zeros((1, canvas.observation_len()));
    let error: NoBoardError = CanvasRows::cut(canvas, &nothing).unwrap_err();
    assert_eq!(error.row, 0);
    check(&error, &["observation 0 shows no board", "cell"]);
}

#[test]
fn errors_of_searches_and_players() {
    examples!(Halt:
        OutOfMemory(SHORT) => [OUT_OF_MEMORY],
        Stopped {} => ["stopped"],
        NodeLimit { max_nodes: 10 } => ["10 nodes allowed"],
        TimeLimit {} => ["time allowed"],
        Damaged(Damaged { stones: 7 }) => ["damaged", "7 stones"],
    );
    examples!(ChoiceError:
        Halted(Halt::Stopped) => ["stopped"],
        Logit { index: 2, action: 3, logit: f32::NAN } => ["position 2: ", "action 3", "NaN, not finite"],
    );
    examples!(BestResponseError:
        TooManyCells { cells: 20 } => ["at most 16 cells", "20"],
        TooManyPositions { max_positions: 100, ply: 2, at_ply: 52 } =>
            ["max_positions=100", "52 of them", "2 turns"],
        Illegal { number: 3 } => ["position 3: ", "not all legal"],
        Halted(Halt::Stopped) => ["stopped"],
    );
    examples!(UpdateError:
        OutOfMemory(SHORT) => [OUT_OF_MEMORY],
        NothingSelected {} => ["call select first"],
        Logit { row: 1, action: 2, logit: f32::INFINITY } =>
            ["leaf 1: ", "action 2 is inf", "must be finite or -inf"],
        NoLegalAction { row: 1 } => ["leaf 1: ", "every legal action is -inf"],
        Value { row: 1, value: 50.0 } => ["leaf 1: ", "the value is 50", "must be -1 to 1"],
        Margin { row: 1 } => ["leaf 1: ", "the margin is NaN"],
    );
    examples!(SelfPlayError:
        Halted(Halt::Stopped) => ["stopped"],
        Evaluation(UpdateError::Value { row: 1, value: f32::NAN }) =>
            ["the network's evaluation", "leaf 1: the value is NaN"],
    );
    let error: NoPerfectPlay = NoPerfectPlay { num_cells: 20 };
    check(&error, &["up to 16 cells", "20"]);
    examples!(LoadError:
        Opponent(error) => ["up to 16 cells"],
        Play(PlayError::GameOver) => ["the game is over"],
    );
    let (player, opponent) = (Player::Dark, "champion".to_owned());
    examples!(TurnError:
        NotYours { player, opponent } => ["the turn of Dark", "champion plays"],
        Play(PlayError::GameOver) => ["the game is over"],
    );
    let error: ProgressError = ProgressError(Progress {
        games: 3,
        samples: 900,
    });
    check(&error, &["no self-play has 3 games with 900 samples"]);
    let error: DepthError = Depth::new(65).unwrap_err();
    check(&error, &["1 to 64 plies", "not 65"]);
    let error: EpsilonError = Epsilon::new(1.5).unwrap_err();
    check(&error, &["0 to 1", "not 1.5"]);
    let error: OpeningError = opening(&Variant::default(), 99, 0).unwrap_err();
    check(&error, &["99 random opening plies", "ask for fewer"]);
    let error: UnknownName = "points".parse::<Reward>().unwrap_err();
    check(&error, &["unknown reward \"points\"", "outcome", "margin"]);
    let error: UnknownName = "pixels".parse::<Layout>().unwrap_err();
    check(&error, &["\"pixels\"", "planes", "flat", "packed"]);
}

#[test]
fn turns_are_too_many_from_the_one_after_the_longest_game_on() {
    let variant = Variant::default();
    let mut stones = [None; 16];
    stones[0] = Some((Player::Light, Piece::Straight));
    let max = variant.max_game_length();
    let reasons = |ply| {
        let position = Position::from_stones(&variant, &stones, Some(Move::Pass), ply);
        position.unwrap_err().reasons
    };
    let ply = max + 1;
    assert!(reasons(ply).contains(&PositionReason::TooManyTurns { ply, max }));
    let (passes, placements, most) = (max - 1, 1, 1);
    assert!(reasons(max).contains(&PositionReason::TooManyPasses {
        passes,
        placements,
        most
    }));
}

#[test]
fn errors_of_states() {
    let reasons = vec![PositionReason::NoOpeningStone];
    examples!(WordsError:
        Cells { first: 13, found: 7000 } => ["bits 13 to 25 hold 7000", "at most 6560"],
        OffBoard { cell: 12, num_cells: 11 } => ["cell 12", "only 11 cells"],
        TwoStones { cell: 3 } => ["cell 3", "Light", "Dark"],
        TypeWithoutStone { cell: 3 } => ["cell 3", "a type but not a stone"],
        LastTurn { found: 19, num_cells: 16 } => ["is 19", "0 (none), 1 (pass) or 2 to 17 (a cell)"],
        UnusedBits { found: 1 << 15 } => ["0x8000", "bits 15 to 62 must be 0"],
        EndedTwice {} => ["the game was over"],
        Impossible(PositionError { reasons }) => ["impossible position: Light has no stone"],
    );
    examples!(FunctionalError:
        State {
            index: 2,
            words: "0x1 0x2".to_owned(),
            error: Box::new(WordsError::TwoStones { cell: 3 }),
        } => ["state 2 (0x1 0x2): ", "cell 3"],
        Action(StepError::NotReset) => ["reset them first"],
        IllegalEnd { index: 2 } => ["state 2: ", "an illegal action has ended the game"],
        OutOfMemory(SHORT) => [OUT_OF_MEMORY],
        Stopped {} => ["stopped"],
    );
}

/// The name of a type or a variant at the start of a line.
fn name(line: &str) -> Option<&str> {
    let name = line.split(|c: char| !c.is_alphanumeric()).next()?;
    name.starts_with(char::is_uppercase).then_some(name)
}

/// The errors of the crate by their source, with their variants; a struct has none.
fn find_errors() -> BTreeMap<String, BTreeSet<String>> {
    let mut errors = BTreeMap::new();
    for text in modules().values() {
        for part in text.split("\n#[derive(").skip(1) {
            let (derived, rest) = part.split_once(")]").unwrap();
            if !derived.ends_with("Error") {
                continue;
            }
            let (_, rest) = rest.split_once("\npub ").unwrap();
            let (kind, rest) = rest.split_once(' ').unwrap();
            let (body, _) = rest.split_once("\n}").unwrap_or((rest, ""));
            let variants: &mut BTreeSet<_> =
                errors.entry(name(rest).unwrap().to_owned()).or_default();
            if kind == "enum" {
                let lines = body.lines().filter_map(|line| line.strip_prefix("    "));
                variants.extend(lines.filter_map(name).map(str::to_owned));
            }
        }
    }
    errors
}

#[test]
fn every_error_has_an_example() {
    let errors = find_errors();
    assert!(
        errors.len() > 20 && errors["StepError"].contains("NotReset"),
        "{errors:?}"
    );
    let own = include_str!("errors.rs");
    for (error, variants) in errors {
        if variants.is_empty() {
            let made = [
                format!("{error} = "),
                format!("{error} {{"),
                format!("SHORT: {error}"),
            ];
            assert!(
                made.iter().any(|it| own.contains(it)),
                "{error} has no example"
            );
            continue;
        }
        let examples = own.split_once(&format!("examples!({error}:"));
        let (_, examples) = examples.unwrap_or_else(|| panic!("{error} has no examples"));
        let (examples, _) = examples.split_once("\n    );").unwrap();
        let lines = examples
            .lines()
            .filter_map(|line| line.strip_prefix("        "));
        let found: BTreeSet<_> = lines.filter_map(name).map(str::to_owned).collect();
        assert_eq!(found, variants, "{error}");
    }
}
