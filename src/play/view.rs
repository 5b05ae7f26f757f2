//! The state of a table as JSON.

use serde_json::{Value, json};

use super::levels::LEVELS;
use super::table::{Aid, Seat, Table};
use crate::encode::{action_of, pass_action};
use crate::game::{
    Cell, CellSet, Move, Opening, Piece, Player, Position, Variant, format_move, format_position,
};
use crate::search::solver::Solver;

impl Table {
    /// Everything that a page shows, as a JSON object.
    #[must_use]
    pub fn state(&self) -> String {
        let (line, variant) = (&self.line, self.line.variant());
        let seen = self.shows(Aid::Hints) || self.shows(Aid::Evaluation);
        let marked = self.marks_mistakes();
        let aids = Aid::ALL.map(|aid| (aid.name().to_owned(), Value::from(self.shows(aid))));
        json!({
            "number": self.games,
            "game": game(variant),
            "position": shown(variant, line.position()),
            "evaluation": seen.then(|| self.evaluation()),
            "moves": self.moves(marked),
            "marked": marked,
            "values": marked.then(|| self.values()),
            "result": self.result(),
            "record": line.record(),
            "firstPly": line.positions()[0].ply(),
            "shown": line.shown(),
            "isLive": line.is_live(),
            "yourTurn": line.is_live() && self.is_your_turn(),
            "thinking": self.is_thinking(),
            "canUndo": self.last_choice().is_some(),
            "seat": self.seat.name(),
            "askedSeat": self.asked_seat.name(),
            "opponent": self.opponent.name,
            "title": title(&self.opponent.name),
            "choice": self.opponent.choice,
            "opponents": self.choices().into_iter().map(choice).collect::<Vec<_>>(),
            "aids": Value::Object(aids.into_iter().collect()),
            "note": if self.seat == Seat::Both { "" } else { &self.opponent.note },
            "error": self.error,
            "failed": self.failed,
        })
        .to_string()
    }

    /// Light's margin with perfect play, and by action the margin for the side to move.
    fn evaluation(&self) -> Value {
        let (variant, position) = (self.line.variant(), self.line.position());
        if position.is_over(variant) {
            let margin = position.margin(variant);
            return json!({"margin": margin, "hints": null, "pending": false});
        }
        match self.exact.get(variant, position) {
            Some(margins) => json!({
                "margin": position.side_to_move().sign() * margins.best(),
                "hints": margins.by_action(),
                "pending": false,
            }),
            None => json!({
                "margin": null,
                "hints": null,
                "pending": self.exact.lacks(variant, position),
            }),
        }
    }

    /// The moves of the game, with the points that each scored and, if marked, gave away.
    fn moves(&self, marked: bool) -> Vec<Value> {
        let (line, variant) = (&self.line, self.line.variant());
        let losses = self.losses();
        let moves = line.positions().windows(2).zip(line.moves()).zip(losses);
        let row = |((around, &mv), loss): ((&[Position], &Move), _)| {
            let (before, after) = (&around[0], &around[1]);
            let player = before.side_to_move();
            let loss: Option<(i32, bool)> = if marked { loss } else { None };
            let score = |position: &Position| position.score(variant)[player.index()];
            let piece = match mv {
                Move::Place { piece, .. } => Some(piece.index()),
                Move::Pass => None,
            };
            json!({
                "name": format_move(variant.board(), mv),
                "player": player.index(),
                "piece": piece,
                "pass": mv == Move::Pass,
                "scored": score(after) - score(before),
                "loss": loss.map(|(lost, _)| lost),
                "blunder": loss.is_some_and(|(_, changed)| changed),
            })
        };
        moves.map(row).collect()
    }
}

/// The part that stays the same for a whole game.
fn game(variant: &Variant) -> Value {
    let board = variant.board();
    json!({
        "width": board.width(),
        "height": board.height(),
        "cells": board.cells(),
        "names": board.all().into_iter().map(|cell| board.cell_name(cell)).collect::<Vec<_>>(),
        "rows": board.to_text(),
        "opening": variant.opening().name(),
        "copies": variant.copies(),
        "pieces": Piece::ALL.map(|piece| json!({
            "name": piece.name(),
            "sign": piece.sign(),
            "demand": where_to_place(piece),
        })),
        "variant": variant.to_string(),
        "perfectPlay": known_result(variant),
        "passAction": pass_action(variant),
        "exactCells": Solver::MAX_CELLS,
        "exactEnding": Solver::MAX_EMPTY,
    })
}

/// Who wins with perfect play, where that is known without a search.
fn known_result(variant: &Variant) -> &'static str {
    if *variant == Variant::default() {
        "With perfect play Dark wins by 1 point."
    } else {
        ""
    }
}

/// A position, with a sentence about the state of the game and what it demands.
fn shown(variant: &Variant, position: &Position) -> Value {
    let stones = variant
        .board()
        .all()
        .into_iter()
        .map(|cell| position.stone_at(cell));
    let (owners, pieces): (Vec<usize>, Vec<i8>) = stones
        .map(|stone| {
            stone.map_or((0, -1), |(player, piece)| {
                (player.index() + 1, piece.index() as i8)
            })
        })
        .unzip();
    let hands = Player::ALL.map(|player| position.hand(player).counts());
    let legal = position.legal_moves(variant).into_iter();
    json!({
        "stones": owners,
        "pieces": pieces,
        "hands": hands,
        "score": position.score(variant),
        "runs": Player::ALL.map(|player| runs(variant, position.stones(player))),
        "toPlay": position.side_to_move().index(),
        "ply": position.ply(),
        "isOver": position.is_over(variant),
        "exact": Solver::is_within_reach(variant, position),
        "legal": legal.map(|mv| action_of(variant, mv)).collect::<Vec<_>>(),
        "mustPass": position.must_pass(variant),
        "lastAction": position.last_move().map(|mv| action_of(variant, mv)),
        "notation": format_position(variant, position),
        "status": status(variant, position),
        "demand": demand(variant, position),
    })
}

/// The lines of three and more of these stones, each by its cells.
fn runs(variant: &Variant, stones: CellSet) -> Vec<Vec<usize>> {
    let runs = variant.board().runs(stones).into_iter();
    runs.map(|run| run.into_iter().map(Cell::index).collect())
        .collect()
}

fn status(variant: &Variant, position: &Position) -> String {
    let [light, dark] = position.score(variant);
    if position.is_over(variant) {
        if light == dark {
            return format!("The game is over: a draw, {light} to {dark}");
        }
        let winner = [Player::Light, Player::Dark][usize::from(dark > light)];
        let (most, least) = (light.max(dark), light.min(dark));
        return format!("The game is over: {winner:?} wins {most} to {least}");
    }
    let mover = position.side_to_move();
    if position.must_pass(variant) {
        return format!("{mover:?} has no allowed cell and must pass");
    }
    if position.last_move() == Some(Move::Pass) {
        return format!("{:?} passed, {mover:?} to move", mover.opponent());
    }
    format!("{mover:?} to move")
}

/// What the side to move must do, and why; empty when the game is over.
fn demand(variant: &Variant, position: &Position) -> String {
    if position.is_over(variant) {
        return String::new();
    }
    let mover = position.side_to_move();
    let other = mover.opponent();
    match position.last_move() {
        None => {
            let wanted = match variant.opening() {
                Opening::Outside => "any piece, on a cell at the edge",
                Opening::Corner => "any piece, in a corner",
                Opening::CornerStraight => "a Straight, in a corner",
                Opening::Anywhere => "any piece, anywhere",
            };
            format!("{mover:?} opens: {wanted}")
        }
        Some(Move::Pass) => format!("{other:?} passed: place on any empty cell"),
        Some(Move::Place { piece, cell }) => {
            let name = variant.board().cell_name(cell);
            let none = if position.must_pass(variant) {
                "; no such cell is empty"
            } else {
                ""
            };
            format!(
                "{other:?}'s {} on {name}: place {}{none}",
                piece.name(),
                where_to_place(piece)
            )
        }
    }
}

/// Where the turn after a piece must place, in the words of `docs/rules.md`.
fn where_to_place(piece: Piece) -> &'static str {
    match piece {
        Piece::Straight => "on a cell that shares an unbroken row or column with it",
        Piece::Diagonal => "on a cell that shares an unbroken diagonal with it",
        Piece::Pusher => "on a cell that does not touch it",
        Piece::Puller => "on a cell that touches it, orthogonally or diagonally",
    }
}

/// The name of a player for people.
fn title(policy: &str) -> String {
    let level = LEVELS.iter().position(|level| level.policy == policy);
    level.map_or_else(
        || policy.to_owned(),
        |index| format!("{} (level {})", LEVELS[index].name, index + 1),
    )
}

fn choice(policy: &str) -> Value {
    let level = LEVELS.iter().position(|level| level.policy == policy);
    json!({
        "policy": policy,
        "level": level.map(|index| index + 1),
        "name": level.map_or(policy, |index| LEVELS[index].name),
        "rating": level.map(|index| LEVELS[index].rating),
    })
}

/// A number of points, in words.
pub(super) fn points(count: i32) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} point{plural}")
}
