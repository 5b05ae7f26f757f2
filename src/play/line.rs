//! A game from its start to its last move, with the position that is shown.

use std::sync::Arc;

use crate::game::{Move, PlayError, Player, Position, Variant, format_move, format_record};

/// The positions of a game, one of which is shown.
#[derive(Clone, Debug)]
pub struct Line {
    variant: Arc<Variant>,
    positions: Vec<Position>,
    moves: Vec<Move>,
    shown: usize,
}

impl Line {
    /// A game without moves.
    #[must_use]
    pub fn new(variant: Arc<Variant>, start: Position) -> Self {
        Self {
            variant,
            positions: vec![start],
            moves: Vec::new(),
            shown: 0,
        }
    }

    /// A game with these moves, the last position of which is shown.
    ///
    /// # Errors
    ///
    /// When a move is illegal.
    pub fn with(variant: Arc<Variant>, start: Position, moves: &[Move]) -> Result<Self, PlayError> {
        let mut line = Self::new(variant, start);
        for &mv in moves {
            line.play(mv)?;
        }
        Ok(line)
    }

    /// The variant that is played.
    #[must_use]
    pub fn variant(&self) -> &Arc<Variant> {
        &self.variant
    }

    /// The first position, and the one after each move.
    #[must_use]
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// The moves so far.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The last position, where the game goes on.
    #[must_use]
    pub fn last(&self) -> &Position {
        &self.positions[self.moves.len()]
    }

    /// How many moves lead to the position that is shown.
    #[must_use]
    pub fn shown(&self) -> usize {
        self.shown
    }

    /// The position that is shown.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.positions[self.shown]
    }

    /// Whether the last position is shown.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.shown == self.moves.len()
    }

    /// The game as a record; only its moves if it did not begin at the start of a game.
    #[must_use]
    pub fn record(&self) -> String {
        if self.positions[0].ply() == 0
            && let Ok(record) = format_record(&self.variant, &self.moves)
        {
            return record;
        }
        let names = self.moves.iter();
        let names: Vec<_> = names
            .map(|&mv| format_move(self.variant.board(), mv))
            .collect();
        names.join(", ")
    }

    /// Plays a move in the last position; the new position is shown if the last one was.
    ///
    /// # Errors
    ///
    /// When the move is illegal; nothing has changed.
    pub fn play(&mut self, mv: Move) -> Result<(), PlayError> {
        let next = self.last().play(&self.variant, mv)?;
        let was_live = self.is_live();
        self.positions.push(next);
        self.moves.push(mv);
        if was_live {
            self.shown = self.moves.len();
        }
        Ok(())
    }

    /// Shows the position after so many moves; numbers out of range show the nearest one.
    pub fn show(&mut self, shown: i64) {
        let last = self.moves.len();
        self.shown = usize::try_from(shown.max(0)).map_or(last, |shown| shown.min(last));
    }

    /// Takes back every move after the first `length`, and shows the last position.
    pub fn cut(&mut self, length: usize) {
        self.positions.truncate(length + 1);
        self.moves.truncate(length);
        self.shown = self.moves.len();
    }

    /// How many moves came before the last choice of these players, if one of them has chosen yet. A
    /// forced pass is not a choice.
    #[must_use]
    pub fn last_choice(&self, players: &[Player]) -> Option<usize> {
        let chosen = |&length: &usize| {
            let position = &self.positions[length];
            players.contains(&position.side_to_move()) && !position.must_pass(&self.variant)
        };
        (0..self.moves.len()).rev().find(chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::parse_record;

    #[test]
    fn a_line_steps_and_cuts() {
        let variant = Arc::new(Variant::default());
        let moves = parse_record(&variant, "1. a1+, a3><; 2. a2+").unwrap();
        let mut line = Line::with(variant.clone(), Position::new(&variant), &moves).unwrap();
        assert_eq!(
            (line.shown(), line.is_live(), line.last().ply()),
            (3, true, 3)
        );
        line.show(1);
        assert_eq!((line.position().ply(), line.is_live()), (1, false));
        let first = |line: &Line| line.last().legal_moves(&variant)[0];
        line.play(first(&line)).unwrap();
        assert_eq!((line.shown(), line.moves().len()), (1, 4));
        line.show(-5);
        assert_eq!(line.shown(), 0);
        line.show(99);
        assert!(line.is_live());
        line.cut(2);
        assert_eq!((line.record().as_str(), line.shown()), ("1. a1+, a3><", 2));
        let mut late = Line::new(variant.clone(), *line.last());
        let mv = first(&late);
        late.play(mv).unwrap();
        assert_eq!(late.record(), format_move(variant.board(), mv));
    }
}
