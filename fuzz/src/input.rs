//! Decisions read off the bytes of an input.

use std::sync::{Arc, LazyLock};

use mijnlieff::game::{Board, Move, Opening, Piece, Player, Position, Variant};

/// Boards that are made once: with gaps, joined at corners, in pieces, long, small and full.
static BOARDS: LazyLock<Vec<Arc<Board>>> = LazyLock::new(|| {
    [
        "####\n####\n####\n####",
        "##..\n##..\n..##\n..##",
        "########\n########",
        "##...##\n#######\n.#####.",
        "###\n#.#\n###",
        "################",
        "#.#",
        "#",
        "#####\n#####\n#####\n##.##",
        ".####\n#.###\n##.##\n###.#",
        "########\n########\n########\n########\n########\n########\n########\n########",
        "#..............................#",
    ]
    .into_iter()
    .map(|text| Arc::new(Board::from_text(text).expect("the text is a board")))
    .collect()
});

/// The bytes of an input that have not been read yet. After the last one every byte is 0.
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.bytes.split_first() else {
            return 0;
        };
        self.bytes = rest;
        first
    }

    /// A number from 0 to `count - 1`; `count` must not be 0.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        if count <= 256 {
            usize::from(self.byte()) % count
        } else {
            self.number() as usize % count
        }
    }

    pub(crate) fn number(&mut self) -> u32 {
        u32::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    pub(crate) fn word(&mut self) -> u64 {
        u64::from(self.number()) | u64::from(self.number()) << 32
    }

    /// All bytes that are left.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.bytes)
    }

    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// The rest as text: as it is, or with a token for every byte.
    pub(crate) fn text(&mut self, tokens: &[&str]) -> String {
        if self.below(2) == 0 {
            String::from_utf8_lossy(self.rest()).into_owned()
        } else {
            let token = |&byte: &u8| tokens[usize::from(byte) % tokens.len()];
            self.rest().iter().map(token).collect()
        }
    }

    /// The text after a few deletions, insertions and repetitions, or none.
    pub(crate) fn edited(&mut self, text: &str, tokens: &[&str]) -> String {
        let mut characters: Vec<char> = text.chars().collect();
        for _ in 0..self.below(4) {
            let at = self.below(characters.len() + 1);
            let end = characters.len().min(at + self.below(4));
            match self.below(3) {
                0 => {
                    characters.drain(at..end);
                }
                1 => {
                    let token = self.one_of(tokens);
                    characters.splice(at..end, token.chars());
                }
                _ => {
                    let repeated = characters[at..end].to_vec();
                    characters.splice(at..at, repeated);
                }
            }
        }
        characters.into_iter().collect()
    }

    /// Any board: one of the list above, a rectangle with holes, or scattered cells.
    pub(crate) fn board(&mut self) -> Arc<Board> {
        let kind = self.below(BOARDS.len() + 4);
        if let Some(board) = BOARDS.get(kind) {
            return Arc::clone(board);
        }
        let cells: Vec<(i32, i32)> = if kind.is_multiple_of(2) {
            let width = 1 + self.below(64);
            let height = 1 + self.below(64 / width);
            let holes: Vec<usize> = (0..self.below(16))
                .map(|_| self.below(width * height))
                .collect();
            let left: Vec<usize> = (0..width * height)
                .filter(|cell| !holes.contains(cell))
                .collect();
            let cells = if left.is_empty() { vec![0] } else { left };
            cells
                .into_iter()
                .map(|cell| ((cell % width) as i32, (cell / width) as i32))
                .collect()
        } else {
            let (width, height) = (1 + self.below(64), 1 + self.below(64));
            (0..=self.below(64))
                .map(|_| (self.below(width) as i32, self.below(height) as i32))
                .collect()
        };
        Arc::new(Board::from_cells(cells).expect("1 to 64 near cells make a board"))
    }

    /// Any board with any opening rule and any number of copies.
    pub(crate) fn variant(&mut self) -> Variant {
        let board = self.board();
        self.variant_on(board)
    }

    /// As [`Input::variant`], on a board of the list: to make a board takes longer than most tests of
    /// it.
    pub(crate) fn listed_variant(&mut self) -> Variant {
        let number = self.below(BOARDS.len());
        self.variant_on(Arc::clone(&BOARDS[number]))
    }

    fn variant_on(&mut self, board: Arc<Board>) -> Variant {
        let opening = self.one_of(&Opening::ALL);
        let copies = self.one_of(&[2, 2, 1, 3, 4, 16, 127]);
        Variant::new(board, opening, copies).expect("1 to 127 copies make a variant")
    }

    /// A legal move; none when the game is over.
    pub(crate) fn legal_move(&mut self, variant: &Variant, position: &Position) -> Option<Move> {
        let moves = position.legal_moves(variant);
        (!moves.is_empty()).then(|| self.one_of(&moves))
    }

    /// The moves of a game to its end, or to where a byte stops it.
    pub(crate) fn game(&mut self, variant: &Variant) -> (Vec<Move>, Position) {
        let (mut moves, mut position) = (Vec::new(), Position::new(variant));
        let length = self.below(variant.max_game_length().min(255) + 1);
        while moves.len() < length {
            let Some(mv) = self.legal_move(variant, &position) else {
                break;
            };
            moves.push(mv);
            position = position.play_unchecked(variant, mv);
        }
        (moves, position)
    }

    /// Stones laid on the board, some last turn, and some number of plies.
    pub(crate) fn laid_stones(&mut self, variant: &Variant) -> LaidStones {
        let stone = |byte: u8| {
            let player = Player::ALL[usize::from(byte >> 2 & 1)];
            (byte >= 192).then(|| (player, Piece::ALL[usize::from(byte & 3)]))
        };
        let ply = self.below(variant.max_game_length() + 2);
        let number = self.below(16);
        let cells = variant.board().all().into_iter();
        let stones: Vec<_> = cells.clone().map(|_| stone(self.byte())).collect();
        let mut placements = cells.filter_map(|cell| {
            let (_, piece) = stones[cell.index()]?;
            Some(Move::Place { piece, cell })
        });
        let last = (ply > 0).then(|| placements.nth(number).unwrap_or(Move::Pass));
        LaidStones { stones, last, ply }
    }
}

/// The arguments of [`Position::from_stones`].
pub(crate) struct LaidStones {
    pub(crate) stones: Vec<Option<(Player, Piece)>>,
    pub(crate) last: Option<Move>,
    pub(crate) ply: usize,
}
