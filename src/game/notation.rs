//! Text of cells, moves, positions and whole games, both ways.
//!
//! A position is one line of three words: the rows of the board from the top, separated by `/`; the
//! last turn (a cell, `pass`, or `-` at the start); and the number of turns so far, which also says
//! who moves next. A cell is `.` when empty and `_` when missing; stones are `S` Straight,
//! `D` Diagonal, `P` Pusher and `L` puLler, upper case for Light, lower case for Dark.

use thiserror::Error;

use super::{
    Board, Cell, Move, ParseError, Piece, PlayError, Player, Position, PositionError, Variant,
};

const STONES: [char; 4] = ['S', 'D', 'P', 'L'];

impl Board {
    /// The name of a cell: its column in letters, its row in digits.
    #[must_use]
    pub fn cell_name(&self, cell: Cell) -> String {
        let (x, y) = self.cells()[cell.index()];
        format!("{}{}", column_name(usize::from(x)), y + 1)
    }

    /// The cell with this name, if it exists.
    #[must_use]
    pub fn cell_named(&self, name: &str) -> Option<Cell> {
        let mut cells = self.all().into_iter();
        cells.find(|&cell| self.cell_name(cell) == name)
    }
}

/// `a`, `b`, ... `z`, `aa`, `ab`, ...
fn column_name(x: usize) -> String {
    let letter = |i: usize| char::from(b'a' + i as u8);
    if x < 26 {
        letter(x).to_string()
    } else {
        format!("{}{}", letter(x / 26 - 1), letter(x % 26))
    }
}

/// The text of a move, such as `a1+` or `pass`.
#[must_use]
pub fn format_move(board: &Board, mv: Move) -> String {
    match mv {
        Move::Pass => "pass".to_owned(),
        Move::Place { piece, cell } => board.cell_name(cell) + piece.sign(),
    }
}

/// The move with this text; `(passa)` is read as a pass as well.
///
/// ```
/// use mijnlieff::game::{Board, Move, Piece, parse_move};
/// let board = Board::default();
/// let cell = board.cell_at(2, 1).unwrap();
/// assert_eq!(parse_move(&board, "c2><"), Ok(Move::Place { piece: Piece::Puller, cell }));
/// assert!(parse_move(&board, "e1+").is_err());
/// ```
///
/// # Errors
///
/// When the text is neither a cell of the board followed by a sign nor a pass.
pub fn parse_move(board: &Board, text: &str) -> Result<Move, ParseError> {
    if matches!(text, "pass" | "(passa)") {
        return Ok(Move::Pass);
    }
    let error = |at: usize, expected: String| {
        ParseError::new(text[..at].chars().count(), &text[at..], expected)
    };
    // The sign starts after the last digit; a letter x before it is a column.
    let end = text
        .rfind(|c: char| c.is_ascii_digit())
        .map_or(text.len(), |last| last + 1);
    let cell = board.cell_named(&text[..end]).ok_or_else(|| {
        let last = board.cell_name(Cell::new(board.num_cells() - 1));
        error(
            0,
            format!("a cell of the board (a1 to {last}) and a sign, or 'pass'"),
        )
    })?;
    let piece = Piece::ALL
        .into_iter()
        .find(|piece| piece.sign() == &text[end..])
        .ok_or_else(|| error(end, "a sign (+, x, <> or ><)".to_owned()))?;
    Ok(Move::Place { piece, cell })
}

/// A game record that cannot be read or played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The text is not a record.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// A move of the record cannot be played.
    #[error("move {number} ({text}): {error}")]
    Play {
        /// The number of the move, from 1.
        number: usize,
        /// The text of the move.
        text: String,
        /// The position before it.
        before: Position,
        /// Why not.
        error: PlayError,
    },
}

/// The text of a game from the first move: numbered full turns, and ` #` after the last move of a
/// finished game.
///
/// # Errors
///
/// When a move cannot be played.
pub fn format_record(variant: &Variant, moves: &[Move]) -> Result<String, RecordError> {
    let mut position = Position::new(variant);
    let mut text = String::new();
    for (ply, &mv) in moves.iter().enumerate() {
        position = play_record_move(variant, &position, ply, mv)?;
        match (ply, ply % 2) {
            (_, 1) => text += ", ",
            (0, _) => text += "1. ",
            _ => text = format!("{text}; {}. ", ply / 2 + 1),
        }
        text += &format_move(variant.board(), mv);
    }
    if position.is_over(variant) {
        text += " #";
    }
    Ok(text)
}

fn play_record_move(
    variant: &Variant,
    position: &Position,
    ply: usize,
    mv: Move,
) -> Result<Position, RecordError> {
    position
        .play(variant, mv)
        .map_err(|error| RecordError::Play {
            number: ply + 1,
            text: format_move(variant.board(), mv),
            before: *position,
            error,
        })
}

/// The moves of a game record; every one is played, so the result is a legal game.
///
/// Full turns are separated by `;` and may be numbered (`1.`), the two moves of a turn by `,`. A `#`
/// may end a finished game, and an unfinished game may stop after any move.
///
/// # Errors
///
/// When the text is not a record or stops in the middle of a turn (after a number or a comma), when a
/// move cannot be played, or when a `#` stands before the end of the game.
pub fn parse_record(variant: &Variant, text: &str) -> Result<Vec<Move>, RecordError> {
    let mut reader = Reader { text, at: 0 };
    let mut position = Position::new(variant);
    let mut moves = Vec::new();
    while !reader.at_end() {
        let ply = moves.len();
        if ply % 2 == 0 {
            reader.turn_number(ply / 2 + 1)?;
        }
        let (start, word) = (reader.at, reader.word());
        let mv = parse_move(variant.board(), word).map_err(|mut error| {
            error.at += reader.characters(start);
            RecordError::Parse(error)
        })?;
        position = play_record_move(variant, &position, ply, mv)?;
        moves.push(mv);
        if reader.skip("#") {
            let over = position.is_over(variant);
            if !over {
                return Err(reader.error("a further move, since the game is not over at #"));
            }
            if !reader.at_end() {
                return Err(reader.error("nothing after the end of the game"));
            }
        } else if !reader.at_end() {
            let (separator, expected) = if ply % 2 == 0 {
                (",", "',' and the reply")
            } else {
                (";", "';' and a turn")
            };
            if !reader.skip(separator) {
                return Err(reader.error(expected));
            }
            if ply % 2 == 0 && reader.at_end() {
                return Err(reader.error("a move after ','"));
            }
        }
    }
    Ok(moves)
}

/// Reads a record from left to right; blanks between words do not matter.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn at_end(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty()
    }

    fn skip(&mut self, token: &str) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Skips a turn number, which must be the right one if there is one at all.
    fn turn_number(&mut self, expected: usize) -> Result<(), RecordError> {
        let digits = self.rest().len()
            - self
                .rest()
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len();
        if digits == 0 {
            return Ok(());
        }
        if self.rest()[..digits] != expected.to_string() {
            return Err(self.error(&format!("the turn number {expected}.")));
        }
        self.at += digits;
        if !self.skip(".") {
            return Err(self.error(&format!("'.' after the turn number {expected}")));
        }
        self.skip_blanks();
        Ok(())
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest
            .find(|c: char| c.is_whitespace() || ",;#".contains(c))
            .unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn characters(&self, bytes: usize) -> usize {
        self.text[..bytes].chars().count()
    }

    fn error(&mut self, expected: &str) -> RecordError {
        self.skip_blanks();
        let found = self.rest().split_whitespace().next().unwrap_or_default();
        RecordError::Parse(ParseError::new(self.characters(self.at), found, expected))
    }
}

/// The text of a position; see the module's page for the format.
#[must_use]
pub fn format_position(variant: &Variant, position: &Position) -> String {
    let board = variant.board();
    let character = |x, y| match board.cell_at(x, y).map(|cell| position.stone_at(cell)) {
        None => '_',
        Some(None) => '.',
        Some(Some((Player::Light, piece))) => STONES[piece.index()],
        Some(Some((Player::Dark, piece))) => STONES[piece.index()].to_ascii_lowercase(),
    };
    let row = |y| {
        (0..board.width())
            .map(|x| character(x, y))
            .collect::<String>()
    };
    let rows: Vec<String> = (0..board.height()).rev().map(row).collect();
    let last = match position.last_move() {
        None => "-".to_owned(),
        Some(Move::Pass) => "pass".to_owned(),
        Some(Move::Place { cell, .. }) => board.cell_name(cell),
    };
    format!("{} {last} {}", rows.join("/"), position.ply())
}

/// A position text that cannot be read, or that describes an impossible position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PositionTextError {
    /// The text is not a position of the board.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// No game of the variant reaches the position.
    #[error(transparent)]
    Impossible(#[from] PositionError),
}

/// The position with this text; see the module's page for the format.
///
/// # Errors
///
/// When the text does not fit the board, or when [`Position::from_stones`] finds it impossible.
pub fn parse_position(variant: &Variant, text: &str) -> Result<Position, PositionTextError> {
    let board = variant.board();
    let error = |at: usize, found: &str, expected: String| {
        PositionTextError::Parse(ParseError::new(at, found, expected))
    };
    // Not collected, as a text may have any number of words.
    let mut words = text.split_whitespace();
    let first = (words.next(), words.next(), words.next(), words.next());
    let (Some(drawing), Some(last), Some(ply), None) = first else {
        return Err(error(
            0,
            text,
            "three words: board, last turn and number of turns".to_owned(),
        ));
    };
    // In characters; words are slices of the text.
    let start_of = |word: &str| {
        let bytes = word.as_ptr() as usize - text.as_ptr() as usize;
        text[..bytes].chars().count()
    };
    let stones = parse_stones(board, drawing).map_err(|mut error| {
        error.at += start_of(drawing);
        PositionTextError::Parse(error)
    })?;
    let last_move = match last {
        "-" => None,
        "pass" => Some(Move::Pass),
        name => {
            let stone = board
                .cell_named(name)
                .and_then(|cell| Some((cell, stones[cell.index()]?)));
            let (cell, (_, piece)) = stone.ok_or_else(|| {
                error(
                    start_of(name),
                    name,
                    "'-', 'pass', or a cell with a stone".to_owned(),
                )
            })?;
            Some(Move::Place { piece, cell })
        }
    };
    let turns = ply
        .parse::<usize>()
        .map_err(|_| error(start_of(ply), ply, "the number of turns".to_owned()))?;
    Position::from_stones(variant, &stones, last_move, turns).map_err(PositionTextError::Impossible)
}

fn parse_stones(board: &Board, drawing: &str) -> Result<Vec<Option<(Player, Piece)>>, ParseError> {
    let mut stones = vec![None; board.num_cells()];
    let rows = || drawing.split('/');
    let fits = rows().take(board.height() + 1).count() == board.height()
        && rows().all(|row| row.chars().count() == board.width());
    if !fits {
        let expected = format!("{} rows of {} characters", board.height(), board.width());
        return Err(ParseError::new(0, drawing, expected));
    }
    for (row, line) in rows().enumerate() {
        let y = board.height() - 1 - row;
        for (x, character) in line.chars().enumerate() {
            let piece = STONES
                .iter()
                .position(|&stone| stone == character.to_ascii_uppercase());
            let player = if character.is_ascii_uppercase() {
                Player::Light
            } else {
                Player::Dark
            };
            match (board.cell_at(x, y), piece) {
                (Some(cell), Some(piece)) => {
                    stones[cell.index()] = Some((player, Piece::ALL[piece]));
                }
                (Some(_), None) if character == '.' => {}
                (None, _) if character == '_' => {}
                (cell, _) => {
                    let expected = if cell.is_some() {
                        "'.' or one of SDPLsdpl"
                    } else {
                        "'_' (no cell)"
                    };
                    let at = row * (board.width() + 1) + x;
                    return Err(ParseError::new(at, &character.to_string(), expected));
                }
            }
        }
    }
    Ok(stones)
}
