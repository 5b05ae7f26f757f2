//! How games ended in a step.

use super::game::StepEffect;
use super::state::GameState;
use crate::memory::{OutOfMemory, make_room, with_room};
use crate::vector::batch::Ending;

/// Named in the error if memory does not suffice.
const ENDS: &str = "the games that end in a step";

/// How games ended in a step, by game, and their last states.
#[derive(Debug)]
pub(crate) struct Ends<S> {
    pub(crate) endings: Vec<Ending>,
    pub(crate) states: Vec<S>,
}

impl<S: GameState> Ends<S> {
    pub(crate) const fn new() -> Self {
        Self {
            endings: Vec::new(),
            states: Vec::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        /// Ends whose memory is kept. Games that start together also end together; memory for all of
        /// them at once would rarely be used again.
        const KEPT: usize = 8192;
        self.endings.clear();
        self.states.clear();
        self.endings.shrink_to(KEPT);
        self.states.shrink_to(KEPT);
    }

    /// Makes room for the ends of this many games.
    pub(crate) fn make_room(&mut self, games: usize) -> Result<(), OutOfMemory> {
        make_room(&mut self.endings, ENDS, games)?;
        make_room(&mut self.states, ENDS, games)
    }

    pub(crate) fn add(&mut self, game: usize, effect: &StepEffect<S>) {
        if let Some((ending, state)) = effect.end {
            let game = game as u32;
            self.endings.push(Ending { game, ..ending });
            self.states.push(state);
        }
    }

    pub(crate) fn append(&mut self, more: &mut Self) {
        self.endings.append(&mut more.endings);
        self.states.append(&mut more.states);
    }

    /// Sorts the ends of several rounds by game.
    pub(crate) fn sort(&mut self) -> Result<(), OutOfMemory> {
        let count = self.endings.len();
        let mut order = with_room(ENDS, count)?;
        let mut endings = with_room(ENDS, count)?;
        let mut states = with_room(ENDS, count)?;
        order.extend(0..count);
        order.sort_unstable_by_key(|&i: &usize| self.endings[i].game);
        endings.extend(order.iter().map(|&i| self.endings[i]));
        states.extend(order.iter().map(|&i| self.states[i]));
        (self.endings, self.states) = (endings, states);
        Ok(())
    }
}
