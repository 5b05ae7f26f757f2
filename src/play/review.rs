//! What a finished game shows: who won, and what the person gave away.

use serde_json::{Value, json};

use super::table::{Seat, Table};
use super::view::points;
use crate::encode::action_of;
use crate::game::{Player, Position};

/// The points that a move gave away, and whether it changed the outcome.
pub(super) type Loss = Option<(i32, bool)>;

impl Table {
    /// The loss by each move, where it is known.
    pub(super) fn losses(&self) -> Vec<Loss> {
        let (line, variant) = (&self.line, self.line.variant());
        let moves = line.positions().iter().zip(line.moves());
        let loss = |(position, &mv): (&Position, _)| {
            let margins = self.exact.get(variant, position)?;
            margins.loss(action_of(variant, mv))
        };
        moves.map(loss).collect()
    }

    /// Light's margin with perfect play in each position of the game, or null where it is not known.
    pub(super) fn values(&self) -> Vec<Option<i32>> {
        let (line, variant) = (&self.line, self.line.variant());
        let value = |position: &Position| {
            if position.is_over(variant) {
                return Some(position.margin(variant));
            }
            let margins = self.exact.get(variant, position)?;
            Some(position.side_to_move().sign() * margins.best())
        };
        line.positions().iter().map(value).collect()
    }

    /// The end of a game that is over: a sentence for the person, one about what was given away, and the
    /// moves that did so.
    pub(super) fn result(&self) -> Value {
        let (line, variant) = (&self.line, self.line.variant());
        if !line.last().is_over(variant) {
            return Value::Null;
        }
        let margin = line.last().margin(variant);
        let own = match self.seat {
            Seat::Light => Some(margin),
            Seat::Dark => Some(-margin),
            _ => None,
        };
        let text = match (own, margin) {
            (_, 0) => "A draw".to_owned(),
            (Some(own), _) if own > 0 => format!("You won by {}", points(own)),
            (Some(own), _) => format!("You lost by {}", points(-own)),
            (None, _) => {
                let winner = [Player::Dark, Player::Light][usize::from(margin > 0)];
                format!("{winner:?} won by {}", points(margin.abs()))
            }
        };
        let players = line.positions().iter().map(Position::side_to_move);
        let moves: Vec<(Player, Loss)> = players.zip(self.losses()).collect();
        let given = |of: &dyn Fn(Player) -> bool| -> Option<i32> {
            let losses = moves.iter().filter(|(player, _)| of(*player));
            losses.map(|(_, loss)| loss.map(|(lost, _)| lost)).sum()
        };
        let is_mistake = |&index: &usize| {
            let (player, loss) = moves[index];
            self.seat.plays(player) && loss.is_some_and(|(lost, _)| lost > 0)
        };
        let mistakes: Vec<usize> = (0..moves.len()).filter(is_mistake).collect();
        let pending = self.next_solution().is_some();
        let review = match (self.seat, given(&|player| self.seat.plays(player))) {
            (_, None) if pending => "Looking for mistakes…".to_owned(),
            (_, None) => "Not all positions of this game can be solved.".to_owned(),
            (Seat::Both, Some(_)) => {
                let of = |player| points(given(&|it| it == player).unwrap_or_default());
                format!(
                    "Light gave away {}, Dark {}.",
                    of(Player::Light),
                    of(Player::Dark)
                )
            }
            (_, Some(0)) => "You gave nothing away: perfect play.".to_owned(),
            (_, Some(lost)) => {
                let first = mistakes
                    .first()
                    .map_or(0, |&index| line.positions()[index].ply());
                format!(
                    "You gave away {}, the first at move {}.",
                    points(lost),
                    first / 2 + 1
                )
            }
        };
        json!({"text": text, "review": review, "margin": own, "mistakes": mistakes})
    }
}
