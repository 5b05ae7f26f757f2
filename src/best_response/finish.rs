//! The guarantees, computed backwards from the ends of the games.

use super::layer::{Layer, POSITIONS, Target};
use super::{BestResponseError, BestResponseSearch, SOLVED_AT_ONCE, look_at_flag};
use crate::encode::action_of;
use crate::game::Position;
use crate::memory::{filled, make_room, with_room};
use crate::search::Limits;

/// The guarantees of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestResponse {
    /// The margin that the player is guaranteed from each start, in points.
    pub margins: Vec<i32>,
    /// The positions that can be reached after 0, 1, ... plies, in which the game is not over.
    pub positions: Vec<usize>,
    /// The mistakes, one entry for each number of plies after which the player may be to move.
    pub mistakes: Vec<Mistakes>,
    /// One game for each position in which the outcome is given away, up to that move; the
    /// shortest first.
    pub refutations: Vec<Line>,
    /// A game with the least margin, up to its end or to a solved position.
    pub worst: Line,
}

/// The positions in which the player gives the outcome away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mistakes {
    /// The plies before the positions.
    pub ply: usize,
    /// The positions in which the player is to move, reached by games in which the outcome was kept.
    pub kept: usize,
    /// Those of them in which the player may give it away.
    pub given_away: usize,
}

/// Actions from one of the starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The number of the start.
    pub start: usize,
    /// The actions from there.
    pub actions: Vec<usize>,
}

/// A position, and an action that gives the outcome away.
type Mistake = (u32, u8);

impl BestResponseSearch {
    /// Computes the player's guarantees, with up to `max_refutations` refutations.
    ///
    /// # Errors
    ///
    /// When a limit is reached, or memory does not suffice.
    ///
    /// # Panics
    ///
    /// If positions are left to ask.
    pub fn finish(
        mut self,
        num_threads: usize,
        max_refutations: usize,
        limits: Limits<'_>,
    ) -> Result<BestResponse, BestResponseError> {
        assert!(self.is_answered(), "positions are left to ask");
        for ply in (0..self.ply).rev() {
            self.compute_values(ply, limits)?;
        }
        let mut mistakes = Vec::new();
        let mut refutations = Vec::new();
        // Whether each position of the layer can be reached before the outcome is given away.
        let mut kept = self.kept_starts(0, num_threads, limits)?;
        for ply in 0..self.ply {
            let mut after = self.kept_starts(ply + 1, num_threads, limits)?;
            if self.config.moves_at(ply) {
                let found = self.follow_policy(ply, &kept, &mut after, num_threads, limits)?;
                if !kept.is_empty() {
                    mistakes.push(Mistakes {
                        ply,
                        kept: kept.iter().filter(|&&it| it).count(),
                        given_away: found.len(),
                    });
                }
                for (place, action) in found {
                    if refutations.len() == max_refutations {
                        break;
                    }
                    make_room(&mut refutations, POSITIONS, 1)?;
                    let mut line = self.line_to(ply, place as usize);
                    line.actions.push(usize::from(action));
                    refutations.push(line);
                }
            } else {
                self.follow_opponent(ply, &kept, &mut after, limits)?;
            }
            kept = after;
        }
        let value = |&(ply, place): &(usize, usize)| i32::from(self.layers[ply].values[place]);
        let margins: Vec<i32> = self.starts.iter().map(value).collect();
        let mut positions: Vec<_> = self.layers.iter().map(|layer| layer.nodes.len()).collect();
        while positions.last() == Some(&0) {
            positions.pop();
        }
        Ok(BestResponse {
            worst: self.worst_line(&margins),
            margins,
            positions,
            mistakes,
            refutations,
        })
    }

    /// The least margin after any move that is tried or may be chosen, for the whole layer.
    fn compute_values(&mut self, ply: usize, limits: Limits<'_>) -> Result<(), BestResponseError> {
        let (before, after) = self.layers.split_at_mut(ply + 1);
        let (layer, after) = (&mut before[ply], &after[0]);
        for place in 0..layer.nodes.len() {
            look_at_flag(place, limits)?;
            let margins = layer
                .edges(place)
                .iter()
                .map(|edge| value(edge.target(), after));
            // Only solved positions have no edge, and their value is known.
            if let Some(least) = margins.min() {
                layer.values[place] = least;
            }
        }
        Ok(())
    }

    /// Marks the starts of a layer in which the outcome can be kept, and clears all other marks.
    fn kept_starts(
        &self,
        ply: usize,
        num_threads: usize,
        limits: Limits<'_>,
    ) -> Result<Vec<bool>, BestResponseError> {
        let mut kept = filled(POSITIONS, self.layers[ply].nodes.len(), false)?;
        let starts = self.starts.iter().filter(|start| start.0 == ply);
        let places: Vec<u32> = starts.map(|&(_, place)| place as u32).collect();
        for place in self.keeping(ply, &places, num_threads, limits)? {
            kept[place as usize] = true;
        }
        Ok(kept)
    }

    /// Keeps only the positions whose exact margin is enough.
    fn keeping(
        &self,
        ply: usize,
        places: &[u32],
        num_threads: usize,
        limits: Limits<'_>,
    ) -> Result<Vec<u32>, BestResponseError> {
        let mut keeping = with_room(POSITIONS, places.len())?;
        let Some(least) = self.config.least_margin else {
            keeping.extend_from_slice(places);
            return Ok(keeping);
        };
        let layer = &self.layers[ply];
        let is_own = self.config.moves_at(ply);
        for part in places.chunks(SOLVED_AT_ONCE) {
            let (mut positions, mut doubtful) = (Vec::new(), Vec::new());
            for &place in part {
                // The player's guarantee is a lower bound of the exact margin.
                if i32::from(layer.values[place as usize]) >= least {
                    keeping.push(place);
                } else {
                    doubtful.push(place);
                    positions.push(layer.nodes[place as usize].position(&self.variant, ply));
                }
            }
            // For the opponent, the margin has the other sign.
            let bound = if is_own { least } else { 1 - least };
            let solver = &self.solver;
            let reached = solver.are_at_least(&positions, bound, num_threads, limits)?;
            let doubtful = doubtful.into_iter().zip(reached);
            let enough = doubtful.filter(|&(_, reached)| reached == is_own);
            keeping.extend(enough.map(|(place, _)| place));
        }
        Ok(keeping)
    }

    /// Marks the positions that the player reaches while the outcome is kept. Returns those in
    /// which a move that it may choose gives the outcome away.
    fn follow_policy(
        &mut self,
        ply: usize,
        kept: &[bool],
        after: &mut [bool],
        num_threads: usize,
        limits: Limits<'_>,
    ) -> Result<Vec<Mistake>, BestResponseError> {
        let mut reached = with_room(POSITIONS, after.len())?;
        let mut is_reached = filled(POSITIONS, after.len(), false)?;
        for place in places_of(kept) {
            for edge in self.layers[ply].edges(place) {
                if let Target::Node(next) = edge.target()
                    && !std::mem::replace(&mut is_reached[next], true)
                {
                    reached.push(next as u32);
                }
            }
        }
        let mut starts = with_room(POSITIONS, after.len())?;
        starts.extend_from_slice(after);
        for place in self.keeping(ply + 1, &reached, num_threads, limits)? {
            after[place as usize] = true;
        }
        let mut mistakes = Vec::new();
        for place in places_of(kept) {
            look_at_flag(place, limits)?;
            let (before, next) = self.layers.split_at_mut(ply + 1);
            let (layer, next) = (&before[ply], &mut next[0]);
            let mut worst: Option<(i8, u8)> = None;
            for (edge, &action) in layer.edges(place).iter().zip(layer.actions(place)) {
                let target = edge.target();
                let is_kept = match target {
                    Target::Node(node) if after[node] => {
                        if !starts[node] {
                            next.nodes[node].reach_by(place, action);
                        }
                        true
                    }
                    Target::Node(_) => false,
                    Target::End(margin) => self.config.is_enough(margin),
                };
                let value = value(target, next);
                if !is_kept && worst.is_none_or(|(least, _)| value < least) {
                    worst = Some((value, action));
                }
            }
            if let Some((_, action)) = worst {
                make_room(&mut mistakes, POSITIONS, 1)?;
                mistakes.push((place as u32, action));
            }
        }
        Ok(mistakes)
    }

    /// Marks the positions that the opponent reaches while the outcome is kept.
    fn follow_opponent(
        &mut self,
        ply: usize,
        kept: &[bool],
        after: &mut [bool],
        limits: Limits<'_>,
    ) -> Result<(), BestResponseError> {
        for place in places_of(kept) {
            look_at_flag(place, limits)?;
            let (before, next) = self.layers.split_at_mut(ply + 1);
            let (layer, next) = (&before[ply], &mut next[0]);
            let position = layer.nodes[place].position(&self.variant, ply);
            let moves = position.legal_moves(&self.variant);
            for (edge, mv) in layer.edges(place).iter().zip(moves) {
                if let Target::Node(node) = edge.target()
                    && !std::mem::replace(&mut after[node], true)
                {
                    let action = action_of(&self.variant, mv) as u8;
                    next.nodes[node].reach_by(place, action);
                }
            }
        }
        Ok(())
    }

    /// The actions of the first game that led to a position.
    fn line_to(&self, mut ply: usize, mut place: usize) -> Line {
        let mut actions = Vec::new();
        loop {
            let node = &self.layers[ply].nodes[place];
            if node.parent == super::Node::NO_PARENT {
                break;
            }
            actions.push(usize::from(node.action));
            ply -= 1;
            place = node.parent as usize;
        }
        actions.reverse();
        let start = self.starts.iter().position(|&it| it == (ply, place));
        Line {
            start: start.expect("every line begins at a start"),
            actions,
        }
    }

    /// A game with the least margin of all starts, as far as the search followed it.
    fn worst_line(&self, margins: &[i32]) -> Line {
        let worst = (0..margins.len()).min_by_key(|&start| margins[start]);
        let start = worst.expect("a search has a start");
        let (mut ply, mut place) = self.starts[start];
        let mut actions = Vec::new();
        loop {
            let (layer, after) = (&self.layers[ply], &self.layers[ply + 1]);
            let edges = layer.edges(place).iter().map(|edge| edge.target());
            let worst = edges.enumerate().min_by_key(|&(_, it)| value(it, after));
            let Some((number, target)) = worst else {
                break; // solved
            };
            actions.push(self.action_of_edge(ply, place, number));
            match target {
                Target::End(_) => break,
                Target::Node(next) => (ply, place) = (ply + 1, next),
            }
        }
        Line { start, actions }
    }

    fn action_of_edge(&self, ply: usize, place: usize, number: usize) -> usize {
        let layer = &self.layers[ply];
        if self.config.moves_at(ply) {
            return usize::from(layer.actions(place)[number]);
        }
        let position: Position = layer.nodes[place].position(&self.variant, ply);
        action_of(&self.variant, position.legal_moves(&self.variant)[number])
    }
}

/// The numbers of the positions that are marked.
fn places_of(marks: &[bool]) -> impl Iterator<Item = usize> {
    marks
        .iter()
        .enumerate()
        .filter(|(_, mark)| **mark)
        .map(|(place, _)| place)
}

/// The margin that the player is guaranteed after a move.
fn value(target: Target, after: &Layer) -> i8 {
    match target {
        Target::Node(place) => after.values[place],
        Target::End(margin) => margin,
    }
}
