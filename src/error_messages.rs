//! An example of every error, with its message.

use std::fs;
use std::path::Path;

use crate::best_response::BestResponseError;
use crate::encode::{
    Canvas, CanvasError, Layout, PackError, UnknownLayout, VariantSetError, WordsError,
};
use crate::file_header::{FileError, FileKind};
use crate::functional::FunctionalError;
use crate::game::{
    Board, BoardError, Cell, IllegalReason, Move, Opening, ParseError, Piece, PlayError, Player,
    Position, PositionError, PositionReason, PositionTextError, RecordError, Variant, VariantError,
};
use crate::memory::OutOfMemory;
use crate::network::{ChoiceError, NetworkError};
use crate::policy::{Epsilon, EpsilonError, OpeningError, opening};
use crate::search::solver::BookError;
use crate::search::{Depth, DepthError, Halt};
use crate::self_play::SelfPlayError;
use crate::tree_search::UpdateError;
use crate::vector::{Reward, StepError, UnknownName, WeightsError};

/// Checks messages. A variant without an example does not compile.
macro_rules! messages {
    ($type:ident: $($variant:ident $fields:tt => $message:expr,)*) => {{
        #[allow(unreachable_patterns)] // a variant may have several examples
        let _all_are_listed = |error: $type| match error {
            $($type::$variant { .. } => (),)*
        };
        $(assert_eq!(($type::$variant $fields).to_string(), $message);)*
    }};
}

const SHORT: OutOfMemory = OutOfMemory {
    what: "the games",
    bytes: 24,
};
const FIRST: Cell = Cell::new(0);
const PLACE: Move = Move::Place {
    piece: Piece::Puller,
    cell: FIRST,
};

#[test]
fn errors_of_boards_and_variants() {
    messages!(BoardError:
        CellCount { found: 65 } => "a board has 1 to 64 cells, not 65",
        TooWide { width: 65, height: 1 } =>
            "a board spans at most 64 columns and rows, not 65 x 1",
        NoBlocks {} => "a board needs at least one block, but the list is empty",
        OverlappingBlocks { first: (0, 0), second: (0, 0) } =>
            "the block at (0, 0) is listed twice",
        OverlappingBlocks { first: (0, 0), second: (1, -1) } =>
            "the blocks at (0, 0) and (1, -1) overlap; a block covers 2x2 cells from its lower left \
             corner",
        RaggedRow { row: 2, expected: 4, found: 3 } =>
            "row 2 has 3 characters, but the first row has 4; fill it up with '.'",
        UnknownCharacter { row: 1, character: '?' } =>
            "unknown character '?' in row 1; '#' is a cell and '.' is a gap",
    );
    messages!(VariantError:
        UnknownOpening { name: "corner".to_owned() } =>
            format!("unknown opening \"corner\"; choose one of {}", Opening::ALL.map(Opening::name).join(", ")),
        Copies { found: 0 } => "copies must be 1 to 127, not 0",
    );
    let variant = Variant::new(Board::default(), Opening::Outside, 4).unwrap();
    assert_eq!(
        PackError::check(&variant).unwrap_err().to_string(),
        "packed observations need at most 16 cells and 3 copies, this variant has 16 cells and 4 \
         copies"
    );
}

#[test]
fn errors_of_canvases_and_sets_of_variants() {
    let canvas = Canvas::new(4, 3).unwrap();
    messages!(CanvasError:
        Side { height: 65, width: 1 } => "a canvas has 1 to 64 rows and columns, not 65 rows and 1 columns",
        NoVariants {} => "a canvas around variants needs at least one variant",
        TooSmall { canvas, board_height: 4, board_width: 4 } =>
            "a board of 4 rows and 4 columns does not fit a canvas of 4 rows and 3 columns",
        Layout { found: Layout::Flat } => "observations on a canvas are \"planes\", not \"flat\"",
        UnknownAction { action: 50, last: 48 } =>
            "action 50 does not exist, the actions of this canvas are 0 to 48",
        NotACell { action: 13, x: 1, y: 0 } =>
            "action 13 is on column 1 and row 0 of the canvas, where this board has no cell",
    );
    messages!(VariantSetError:
        Count { found: 0 } => "1 to 65535 variants can share a canvas, not 0",
        Canvas { index: 2, error: CanvasError::NoVariants } =>
            "variant 2: a canvas around variants needs at least one variant",
    );
    messages!(WeightsError:
        Length { expected: 2, found: 1 } => "2 variants need 2 weights, not 1",
        NotAWeight { index: 1, found: -0.5 } =>
            "weight 1 is -0.5; a weight is a finite number, 0 or more",
        AllZero {} => "all weights are 0; at least one must be more",
    );
}

#[test]
fn errors_of_moves() {
    messages!(IllegalReason:
        OffBoard {} => "the board has no such cell",
        Occupied {} => "the cell is occupied",
        NotAllowed {} => "the opponent's last piece does not allow that cell",
        OpeningCell {} => "the opening rule does not allow that cell",
        OpeningPiece {} => "the opening rule does not allow that piece",
        NotHeld {} => "no piece of that type is left in the hand",
        PassNotForced {} => "a pass is legal only when no placement is",
        MustPass {} => "no cell is allowed, so a pass is the only move",
    );
    let reason = IllegalReason::Occupied;
    messages!(PlayError:
        GameOver {} => "the game is over, nothing can be played",
        Illegal { mv: PLACE, reason } => "illegal Puller on cell 0: the cell is occupied",
        Illegal { mv: Move::Pass, reason: IllegalReason::PassNotForced } =>
            "illegal pass: a pass is legal only when no placement is",
    );
    let position = Position::new(&Variant::default());
    messages!(StepError:
        OutOfMemory(SHORT) => "not enough memory for the games: 24 bytes needed",
        Length { expected: 2, found: 3 } => "2 games need 2 actions, not 3",
        NotReset {} => "the games have not started, reset them first",
        UnknownAction { game: 1, action: 65, position: Box::new(position) } =>
            "game 1: action 65 does not exist",
        Play { game: 1, action: 64, position: Box::new(position), error: PlayError::GameOver } =>
            "game 1: action 64: the game is over, nothing can be played",
    );
}

#[test]
fn errors_of_texts_and_positions() {
    let (player, piece) = (Player::Light, Piece::Pusher);
    messages!(PositionReason:
        TooManyPieces { player, piece, found: 3, copies: 2 } =>
            "Light has 3 stones of type Pusher, but only 2 exist",
        TooManyTurns { ply: 99, max: 64 } =>
            "99 turns are more than the 64 that a game can have",
        TooManyPasses { passes: 4, placements: 4, most: 3 } =>
            "4 passes are more than the 3 that 4 placements leave room for; a pass never follows a \
             pass",
        TooFewTurns { player, stones: 3, turns: 2 } => "Light has 3 stones after only 2 turns",
        LastTurnMissing { ply: 3 } => "3 turns have been played, but the last one is not given",
        LastTurnBeforeStart {} => "a last turn is given, but no turn has been played",
        PassWithoutTurn { player } =>
            "the last turn is a pass, but every turn of Light placed a stone",
        LastStoneMissing { player, piece, cell: FIRST } =>
            "the last turn needs a Pusher of Light on cell 0",
        NoOpeningStone {} => "Light has no stone on an opening cell",
    );
    let reasons = vec![
        PositionReason::NoOpeningStone,
        PositionReason::LastTurnBeforeStart,
    ];
    let impossible = PositionError { reasons };
    let message = "impossible position: Light has no stone on an opening cell; a last turn is \
                   given, but no turn has been played";
    assert_eq!(impossible.to_string(), message);
    let parse = |found: &str| ParseError {
        at: 3,
        found: found.to_owned(),
        expected: "a move".to_owned(),
    };
    assert_eq!(
        parse("").to_string(),
        "expected a move, but the text ends (character 3)"
    );
    let unread = "expected a move, found \"q9\" (character 3)";
    assert_eq!(parse("q9").to_string(), unread);
    messages!(PositionTextError:
        Parse(parse("q9")) => unread,
        Impossible(impossible) => message,
    );
    messages!(RecordError:
        Parse(parse("q9")) => unread,
        Play {
            number: 9,
            text: "a1+".to_owned(),
            before: Position::new(&Variant::default()),
            error: PlayError::GameOver,
        } => "move 9 (a1+): the game is over, nothing can be played",
    );
}

#[test]
fn errors_of_files() {
    let kind = FileKind {
        name: "book",
        letters: "MIJNBOOK",
        version: 1,
    };
    messages!(FileError:
        Foreign { kind } => "the file is not a book: it does not start with MIJNBOOK",
        Version { kind, found: 9 } =>
            "the book has format version 9, this package reads version 1",
        Length { kind, found: 100, expected: 200 } =>
            "the book is truncated or has been added to: it has 100 bytes and should have 200",
        Checksum { kind } => "the book is damaged: its checksum does not match",
    );
    messages!(BookError:
        File(FileError::Checksum { kind }) => "the book is damaged: its checksum does not match",
        Content { at: 7 } => "the book is invalid at byte 7",
    );
    let kind = FileKind {
        name: "network",
        ..kind
    };
    messages!(NetworkError:
        File(FileError::Checksum { kind }) => "the network is damaged: its checksum does not match",
        Content { at: 7 } => "the network is invalid at byte 7",
        Variant { reason: "copies must be an integer, not \"x\"".to_owned() } =>
            "the network names an invalid variant: copies must be an integer, not \"x\"",
        Inputs { found: 39, expected: 38 } =>
            "the network reads 39 numbers for each position, this package works out 38",
        Architecture { found: "x".to_owned() } =>
            "the network has the architecture \"x\", this package knows \"symmetric\" and \"cells\"",
        Nothing { what: "heads" } => "the network has 0 heads, it needs at least 1",
        Heads { units: 96, heads: 5 } =>
            "the network has 96 units, which must be a multiple of its 5 heads",
        Count { found: 5, expected: Some(6) } => "the network has 5 weights, its layers need 6",
        Count { found: 5, expected: None } =>
            "the network has 5 weights, its layers need more than can be counted",
        NotFinite { index: 5 } => "weight 5 of the network is infinite or NaN",
    );
}

#[test]
fn errors_of_searches_and_players() {
    messages!(Halt:
        OutOfMemory(SHORT) => "not enough memory for the games: 24 bytes needed",
        Stopped {} => "the search was stopped",
        NodeLimit { max_nodes: 10 } => "the search needs more than the 10 nodes allowed",
        TimeLimit {} => "the search needs more than the time allowed",
    );
    messages!(ChoiceError:
        Halted(Halt::Stopped) => "the search was stopped",
        Logit { index: 2, action: 3, logit: f32::NAN } =>
            "position 2: the logit of action 3 is NaN, not finite",
    );
    messages!(BestResponseError:
        TooManyCells { cells: 20 } =>
            "a best-response search needs a board of at most 16 cells, this one has 20",
        TooManyPositions { max_positions: 100, ply: 2, at_ply: 52 } =>
            "more than max_positions=100 positions can be reached in games against this player; 52 of \
             them after 2 turns",
        Illegal { number: 3 } => "position 3: the actions chosen are not all legal, or there is none",
        Halted(Halt::Stopped) => "the search was stopped",
    );
    messages!(UpdateError:
        Halted(Halt::OutOfMemory(SHORT)) => "not enough memory for the games: 24 bytes needed",
        NothingSelected {} => "no leaf waits for an update: call select first",
        Logit { row: 1, action: 2, logit: f32::INFINITY } =>
            "leaf 1: the logit of action 2 is inf, it must be finite or -inf",
        NoLegalAction { row: 1 } =>
            "leaf 1: the logit of every legal action is -inf, one must be finite",
        Value { row: 1, value: f32::NAN } => "leaf 1: the value is NaN, it must be finite",
    );
    messages!(SelfPlayError:
        Halted(Halt::Stopped) => "the search was stopped",
        Evaluation(UpdateError::Value { row: 1, value: f32::NAN }) =>
            "the network's evaluation cannot be used: leaf 1: the value is NaN, it must be finite",
    );
    let depth: DepthError = Depth::new(65).unwrap_err();
    assert_eq!(depth.to_string(), "depth must be 1 to 64 plies, not 65");
    let epsilon: EpsilonError = Epsilon::new(1.5).unwrap_err();
    assert_eq!(epsilon.to_string(), "epsilon must be 0 to 1, not 1.5");
    let plies: OpeningError = opening(&Variant::default(), 99, 0).unwrap_err();
    assert_eq!(
        plies.to_string(),
        "no game was found that goes on after 99 random opening plies; ask for fewer"
    );
    let name: UnknownName = "points".parse::<Reward>().unwrap_err();
    assert_eq!(
        name.to_string(),
        "unknown reward \"points\"; choose one of outcome, margin"
    );
}

#[test]
fn errors_of_states() {
    let reasons = vec![PositionReason::NoOpeningStone];
    let impossible = PositionError { reasons };
    messages!(WordsError:
        Cells { first: 13, found: 7000 } => "bits 13 to 25 hold 7000, four cells are at most 6560",
        OffBoard { cell: 12, num_cells: 12 } =>
            "there is a stone on cell 12, but the board has only 12 cells",
        TwoStones { cell: 3 } => "cell 3 has a stone of Light and one of Dark",
        TypeWithoutStone { cell: 3 } => "cell 3 has a type but not a stone",
        LastTurn { found: 19, num_cells: 16 } =>
            "the last turn is 19, it must be 0 (none), 1 (pass) or 2 to 17 (a cell)",
        UnusedBits { found: 1 << 15 } =>
            "the last word is 0x8000, but its bits 15 to 62 must be 0",
        EndedTwice {} => "the game was over, so an illegal action cannot have ended it",
        Impossible(impossible) =>
            "impossible position: Light has no stone on an opening cell",
    );
    let error = StepError::NotReset;
    let message = error.to_string();
    messages!(FunctionalError:
        State {
            index: 2,
            words: "0x1 0x2".to_owned(),
            error: Box::new(WordsError::TwoStones { cell: 3 }),
        } => "state 2 (0x1 0x2): cell 3 has a stone of Light and one of Dark",
        Action(error) => message,
        IllegalEnd { index: 2 } =>
            "state 2: an illegal action has ended the game, which a Position cannot show",
        OutOfMemory(SHORT) => "not enough memory for the games: 24 bytes needed",
        Stopped {} => "the call was stopped",
    );
}

#[test]
fn errors_of_layouts() {
    let layout: UnknownLayout = "pixels".parse::<Layout>().unwrap_err();
    assert!(
        layout
            .to_string()
            .starts_with("unknown observation layout \"pixels\"")
    );
}

#[test]
fn every_error_type_has_an_example() {
    fn check(path: &Path, own: &str) {
        if path.is_dir() {
            for entry in fs::read_dir(path).unwrap() {
                check(&entry.unwrap().path(), own);
            }
            return;
        }
        let text = fs::read_to_string(path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            if !(line.starts_with("#[derive(") && line.ends_with("Error)]")) {
                continue;
            }
            let mut after = lines[number..].iter();
            let head = after.find_map(|line| line.strip_prefix("pub ")).unwrap();
            let name = head.split_whitespace().nth(1).unwrap();
            let listed = own.contains(&format!("({name}:"))
                || own.contains(&format!(": {name} ="))
                || own.contains(&format!("{name}::check"))
                || own.contains(&format!("= {name} {{"));
            assert!(listed || name == "ParseError", "{name} has no example");
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    check(&root, include_str!("error_messages.rs"));
}
