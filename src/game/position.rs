//! Positions: the state of a game, its legal moves, and the positions after them.

use std::hash::{Hash, Hasher};

use super::error::PositionReason;
use super::{
    Cell, CellSet, Hand, IllegalReason, Move, Piece, PlayError, Player, PositionError, Variant,
};

/// The effect of the last turn on the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Start,
    Placed(Cell),
    Passed,
}

/// The state of a game: stones, hands, the cells open to the side to move, and whose turn it is.
///
/// Seven machine words and `Copy`. It does not hold its [`Variant`], which every method that needs
/// geometry or the opening rule takes; pass the one it was made from.
///
/// Two positions are equal when they have the same future: same stones by player, hands, allowed
/// cells and side to move. Which type lies where, the last turn and the number of turns are kept
/// for people who look at it, but the rules never read them again, and equality ignores them.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    stones: [CellSet; 2],
    /// The piece index of every stone, low and high bit.
    types: [CellSet; 2],
    allowed: CellSet,
    hands: [Hand; 2],
    ply: u8,
    last: Last,
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

impl Position {
    /// The first position of a game.
    #[must_use]
    pub fn new(variant: &Variant) -> Self {
        Self {
            stones: [CellSet::EMPTY; 2],
            types: [CellSet::EMPTY; 2],
            allowed: variant.opening_cells(),
            hands: [variant.full_hand(); 2],
            ply: 0,
            last: Last::Start,
        }
    }

    /// A position given by what lies on each cell, the last turn, and the number of turns so far.
    ///
    /// # Errors
    ///
    /// Every reason found why no game of the variant reaches it: too many pieces of a type, a
    /// number of turns that does not fit the stones, a last turn that does not fit either, no stone
    /// where Light may open. These are necessary conditions; the turns before the last are not
    /// reconstructed.
    ///
    /// # Panics
    ///
    /// If `stones` does not have one entry per cell.
    pub fn from_stones(
        variant: &Variant,
        stones: &[Option<(Player, Piece)>],
        last: Option<Move>,
        ply: usize,
    ) -> Result<Self, PositionError> {
        assert_eq!(stones.len(), variant.board().num_cells());
        let mut position = Self::new(variant);
        for (index, stone) in stones.iter().enumerate() {
            if let &Some((player, piece)) = stone {
                position.put(player, piece, Cell::new(index));
            }
        }
        Self::from_sets(variant, position.stones, position.types, last, ply)
    }

    /// As [`Position::from_stones`], with the stones as sets: by player, and those whose type index
    /// has its low and its high bit set.
    ///
    /// A cell must be on the board, have one player's stone at most, and a type only with a stone.
    pub(crate) fn from_sets(
        variant: &Variant,
        stones: [CellSet; 2],
        types: [CellSet; 2],
        last: Option<Move>,
        ply: usize,
    ) -> Result<Self, PositionError> {
        let mut reasons = Vec::new();
        let mut hands = [variant.full_hand(); 2];
        for player in Player::ALL {
            let used = count_types(stones[player.index()], types);
            for (piece, found) in Piece::ALL.into_iter().zip(used) {
                let copies = variant.copies();
                if found > usize::from(copies) {
                    reasons.push(PositionReason::TooManyPieces {
                        player,
                        piece,
                        found,
                        copies,
                    });
                }
            }
            let held = used.map(|used| variant.copies().saturating_sub(used as u8));
            hands[player.index()] = Hand::from_counts(held);
        }
        let laid = Self::from_words(variant, stones, types, hands, 0, None);
        laid.check_turns(variant, last, ply, &mut reasons);
        if !reasons.is_empty() {
            return Err(PositionError { reasons });
        }
        let ply = ply as u8; // at most max_game_length, checked above
        Ok(Self::from_words(variant, stones, types, hands, ply, last))
    }

    /// A position from its parts, as other representations keep them; nothing is checked.
    ///
    /// `stones` and `hands` are by player, `types` the low and the high bit of every stone's type
    /// index.
    pub(crate) fn from_words(
        variant: &Variant,
        stones: [CellSet; 2],
        types: [CellSet; 2],
        hands: [Hand; 2],
        ply: u8,
        last: Option<Move>,
    ) -> Self {
        let mut position = Self {
            stones,
            types,
            allowed: variant.opening_cells(),
            hands,
            ply,
            last: Last::Start,
        };
        if let Some(mv) = last {
            position.follow(variant, mv);
        }
        position
    }

    fn check_turns(
        &self,
        variant: &Variant,
        last: Option<Move>,
        ply: usize,
        reasons: &mut Vec<PositionReason>,
    ) {
        let stones = self.stones.map(CellSet::len);
        let turns = [ply.div_ceil(2), ply / 2];
        let mover = Player::ALL[1 - ply % 2];
        let max = variant.max_game_length();
        // A pass opens every empty cell, so a placement or the end of the game follows it.
        let placements = self.occupied().len();
        let passes = ply.saturating_sub(placements);
        let most = match last {
            Some(Move::Pass) => placements,
            _ => placements.saturating_sub(1),
        };
        if ply > max {
            reasons.push(PositionReason::TooManyTurns { ply, max });
        } else if passes > most {
            reasons.push(PositionReason::TooManyPasses {
                passes,
                placements,
                most,
            });
        }
        for player in Player::ALL {
            let (stones, turns) = (stones[player.index()], turns[player.index()]);
            if stones > turns {
                reasons.push(PositionReason::TooFewTurns {
                    player,
                    stones,
                    turns,
                });
            }
        }
        match last {
            None if ply > 0 => reasons.push(PositionReason::LastTurnMissing { ply }),
            Some(_) if ply == 0 => reasons.push(PositionReason::LastTurnBeforeStart),
            Some(Move::Pass) if stones[mover.index()] >= turns[mover.index()] => {
                reasons.push(PositionReason::PassWithoutTurn { player: mover });
            }
            // A pass leaves the hand as it was, and who has run out has no further turn.
            Some(Move::Pass) if self.hand(mover).is_empty() => {
                reasons.push(PositionReason::PassWithoutPieces { player: mover });
            }
            Some(Move::Place { piece, cell }) if self.stone_at(cell) != Some((mover, piece)) => {
                reasons.push(PositionReason::LastStoneMissing {
                    player: mover,
                    piece,
                    cell,
                });
            }
            _ => {}
        }
        let opened = (self.stones[0] & variant.opening_cells())
            .into_iter()
            .any(|cell| variant.opening().admits(self.type_at(cell)));
        if ply > 0 && !opened {
            reasons.push(PositionReason::NoOpeningStone);
        }
    }

    /// Who acts next. Turns alternate strictly, passes included.
    #[must_use]
    pub fn side_to_move(&self) -> Player {
        Player::ALL[usize::from(self.ply % 2)]
    }

    /// The number of actions so far, passes included.
    #[must_use]
    pub fn ply(&self) -> usize {
        usize::from(self.ply)
    }

    /// The action that led here; none at the start.
    #[must_use]
    pub fn last_move(&self) -> Option<Move> {
        match self.last {
            Last::Start => None,
            Last::Passed => Some(Move::Pass),
            Last::Placed(cell) => Some(Move::Place {
                piece: self.type_at(cell),
                cell,
            }),
        }
    }

    /// The cells with a stone of this player.
    #[must_use]
    pub fn stones(&self, player: Player) -> CellSet {
        self.stones[player.index()]
    }

    /// The cells with a stone.
    #[must_use]
    pub fn occupied(&self) -> CellSet {
        self.stones[0] | self.stones[1]
    }

    /// The player and the type of the stone on this cell.
    #[must_use]
    pub fn stone_at(&self, cell: Cell) -> Option<(Player, Piece)> {
        Player::ALL
            .into_iter()
            .find(|player| self.stones[player.index()].contains(cell))
            .map(|player| (player, self.type_at(cell)))
    }

    /// The stones whose type index has its low bit set, and those with its high bit.
    pub(crate) fn types(&self) -> [CellSet; 2] {
        self.types
    }

    /// The pieces that this player still holds.
    #[must_use]
    pub fn hand(&self, player: Player) -> Hand {
        self.hands[player.index()]
    }

    /// The empty cells that the opponent's last piece, or the opening rule, leaves open.
    #[must_use]
    pub fn allowed(&self) -> CellSet {
        self.allowed
    }

    /// Whether the game is over.
    #[must_use]
    pub fn is_over(&self, variant: &Variant) -> bool {
        // The side to move never has an empty hand before the game is over: when a player runs out,
        // the opponent's next turn is the last.
        self.hands[self.side_to_move().index()].is_empty()
            || (self.last == Last::Passed && self.empty(variant).is_empty())
    }

    /// The points of Light and Dark.
    #[must_use]
    pub fn score(&self, variant: &Variant) -> [u16; 2] {
        self.stones.map(|stones| variant.board().points(stones))
    }

    /// The points of Light minus those of Dark.
    #[must_use]
    pub fn margin(&self, variant: &Variant) -> i32 {
        let [light, dark] = self.score(variant);
        i32::from(light) - i32::from(dark)
    }

    /// The points of a player minus those of the opponent.
    #[must_use]
    pub fn margin_of(&self, variant: &Variant, player: Player) -> i32 {
        player.sign() * self.margin(variant)
    }

    /// Whether a pass is the only legal move: the game is not over, but no cell is allowed.
    #[must_use]
    pub fn must_pass(&self, variant: &Variant) -> bool {
        self.allowed.is_empty() && !self.is_over(variant)
    }

    /// The types that the side to move may place now.
    pub fn placeable(&self, variant: &Variant) -> impl Iterator<Item = Piece> {
        let opening = variant.opening();
        let first = self.ply == 0;
        self.hand(self.side_to_move())
            .pieces()
            .filter(move |&piece| !first || opening.admits(piece))
    }

    /// The moves that the side to move may play; empty only when the game is over.
    ///
    /// Order: by piece, then by cell, a pass alone; that is ascending action index.
    #[must_use]
    pub fn legal_moves(&self, variant: &Variant) -> Vec<Move> {
        if self.is_over(variant) {
            return Vec::new();
        }
        if self.allowed.is_empty() {
            return vec![Move::Pass];
        }
        self.placeable(variant)
            .flat_map(|piece| {
                self.allowed
                    .into_iter()
                    .map(move |cell| Move::Place { piece, cell })
            })
            .collect()
    }

    /// How many moves are legal.
    #[must_use]
    pub fn count_legal_moves(&self, variant: &Variant) -> usize {
        match (self.is_over(variant), self.allowed.len()) {
            (true, _) => 0,
            (false, 0) => 1,
            (false, cells) => self.placeable(variant).count() * cells,
        }
    }

    /// Whether the move is legal.
    #[must_use]
    pub fn is_legal(&self, variant: &Variant, mv: Move) -> bool {
        self.check(variant, mv).is_ok()
    }

    /// Whether the move is legal, and if not, why.
    ///
    /// # Errors
    ///
    /// The first reason found.
    pub fn check(&self, variant: &Variant, mv: Move) -> Result<(), PlayError> {
        if self.is_over(variant) {
            return Err(PlayError::GameOver);
        }
        let illegal = |reason| Err(PlayError::Illegal { mv, reason });
        let Move::Place { piece, cell } = mv else {
            let forced = self.allowed.is_empty();
            return if forced {
                Ok(())
            } else {
                illegal(IllegalReason::PassNotForced)
            };
        };
        if cell.index() >= variant.board().num_cells() {
            illegal(IllegalReason::OffBoard)
        } else if self.allowed.is_empty() {
            illegal(IllegalReason::MustPass)
        } else if self.occupied().contains(cell) {
            illegal(IllegalReason::Occupied)
        } else if !self.allowed.contains(cell) {
            let opening = self.last == Last::Start;
            illegal(if opening {
                IllegalReason::OpeningCell
            } else {
                IllegalReason::NotAllowed
            })
        } else if self.hand(self.side_to_move()).count(piece) == 0 {
            illegal(IllegalReason::NotHeld)
        } else if !self.placeable(variant).any(|held| held == piece) {
            illegal(IllegalReason::OpeningPiece)
        } else {
            Ok(())
        }
    }

    /// The position after this move.
    ///
    /// # Errors
    ///
    /// When the game is over or the move is illegal.
    pub fn play(&self, variant: &Variant, mv: Move) -> Result<Self, PlayError> {
        self.check(variant, mv)?;
        Ok(self.play_unchecked(variant, mv))
    }

    /// The position after this move, which must be legal; [`Position::play`] checks.
    ///
    /// After an illegal move the position is invalid, and a debug build may panic.
    #[must_use]
    pub fn play_unchecked(&self, variant: &Variant, mv: Move) -> Self {
        let mut next = *self;
        if let Move::Place { piece, cell } = mv {
            let player = self.side_to_move();
            next.put(player, piece, cell);
            next.hands[player.index()].take(piece);
        }
        next.follow(variant, mv);
        next.ply += 1;
        next
    }

    /// Remembers a turn whose stone lies on the board, and opens the cells that it leaves.
    #[inline]
    fn follow(&mut self, variant: &Variant, mv: Move) {
        match mv {
            Move::Pass => {
                self.last = Last::Passed;
                self.allowed = self.empty(variant);
            }
            Move::Place { piece, cell } => {
                self.last = Last::Placed(cell);
                self.allowed = variant.board().reach(piece, cell) - self.occupied();
            }
        }
    }

    fn empty(&self, variant: &Variant) -> CellSet {
        variant.board().all() - self.occupied()
    }

    fn type_at(&self, cell: Cell) -> Piece {
        Piece::at(self.types, cell)
    }

    fn put(&mut self, player: Player, piece: Piece, cell: Cell) {
        let stones = &mut self.stones[player.index()];
        *stones = stones.with(cell);
        for bit in 0..2 {
            if piece.index() >> bit & 1 == 1 {
                self.types[bit] = self.types[bit].with(cell);
            }
        }
    }

    fn identity(&self) -> ([CellSet; 2], CellSet, [Hand; 2], Player, bool) {
        let passed = self.last == Last::Passed;
        (
            self.stones,
            self.allowed,
            self.hands,
            self.side_to_move(),
            passed && self.allowed.is_empty(),
        )
    }
}

/// The stones of each type among some, by the bits of all types.
pub(crate) fn count_types(stones: CellSet, [low, high]: [CellSet; 2]) -> [usize; 4] {
    let (even, odd) = (stones - low, stones & low);
    [even - high, odd - high, even & high, odd & high].map(CellSet::len)
}
