//! What a batch of games can do, whatever represents its games.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::buffers::{Buffers, Observations, View};
use super::config::{Config, Seeds};
use super::error::StepError;
use crate::game::{Player, Position};
use crate::memory::OutOfMemory;
use crate::policy::Policy;

/// The most games that a batch of the Python package may have; a mistyped number would take all
/// memory.
pub const MAX_ENVS: usize = 1 << 24;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ending {
    /// The number of the game in the batch.
    pub game: u32,
    /// The index of the variant of the game.
    pub variant: u16,
    /// The points of Light and Dark.
    pub score: [u16; 2],
    /// The winner, if there is one.
    pub winner: Option<Player>,
    /// Who would be to move in the last position.
    pub to_play: Player,
    /// Whether an illegal action ended the game.
    pub illegal: bool,
    /// The reward of the step, for the player who acted.
    pub reward: f32,
}

/// Everything about a game that changes; enough to continue it elsewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SavedGame {
    /// The index of the variant.
    pub variant: usize,
    /// The position.
    pub position: Position,
    /// The states of the environment's stream and of the sample stream.
    pub streams: [u64; 2],
    /// The agent's side; not used in self-play.
    pub seat: Player,
    /// Whether the game has ended and waits for its reset.
    pub over: bool,
    /// Whether the agent has not acted in this game yet.
    pub fresh: bool,
}

/// Many games, stepped together; [`batch_env`](super::batch_env) makes them.
pub trait BatchEnv: fmt::Debug + Send + Sync {
    /// The settings of the batch.
    #[must_use]
    fn config(&self) -> &Config;

    /// The number of games.
    #[must_use]
    fn num_envs(&self) -> usize;

    /// Whether the batch has been reset or put at positions.
    #[must_use]
    fn is_started(&self) -> bool;

    /// The position that a game is in.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    #[must_use]
    fn position(&self, game: usize) -> Position;

    /// The index of the variant of a game.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    #[must_use]
    fn variant(&self, game: usize) -> usize;

    /// Writes the index of the variant of every game.
    ///
    /// # Panics
    ///
    /// If there is not room for one index for each game.
    fn write_variants(&self, variants: &mut [i64]);

    /// How games ended in the last step, by game.
    #[must_use]
    fn endings(&self) -> &[Ending];

    /// Writes the observations of the last positions of [`BatchEnv::endings`], one row after the
    /// other; where an illegal action ended the game, of the position before it.
    ///
    /// # Panics
    ///
    /// If there are fewer rows than [`BatchEnv::endings`].
    fn write_finals(&self, observations: &mut Observations<'_>);

    /// Everything about the games that changes.
    ///
    /// # Errors
    ///
    /// When memory does not suffice.
    fn save(&self) -> Result<Vec<SavedGame>, OutOfMemory>;

    /// Restores a state from [`BatchEnv::save`], of this batch or another of the same variants.
    ///
    /// # Panics
    ///
    /// If it is not of as many games, or of variants that do not exist.
    fn restore(&mut self, started: bool, saved: &[SavedGame]);

    /// Restarts the streams of the games.
    ///
    /// # Panics
    ///
    /// If there is not one seed for each game.
    fn seed(&mut self, seeds: Seeds<'_>);

    /// Starts new games: all, or those that the mask selects.
    ///
    /// The seeds restart the streams of the games that start. With an outside opponent use
    /// [`BatchEnv::start_reset`].
    ///
    /// # Errors
    ///
    /// When memory does not suffice; no game has started.
    ///
    /// # Panics
    ///
    /// If the seeds or the mask do not have one entry a game.
    fn reset(&mut self, seeds: Seeds<'_>, mask: Option<&[bool]>) -> Result<(), OutOfMemory>;

    /// Puts games at positions, each with the index of its variant: all games or those that the mask
    /// selects; the agent takes the side to move.
    ///
    /// # Panics
    ///
    /// If there is not one position for each of these games, or one of them is over or its variant does
    /// not exist; if the mask does not have one entry a game, or leaves some out before all have started.
    fn set_positions(&mut self, positions: &[(usize, Position)], mask: Option<&[bool]>);

    /// Writes the legal actions of every game, as a step does.
    ///
    /// # Panics
    ///
    /// If there is not room for one row for each game.
    fn write_masks(&self, masks: &mut [i8]);

    /// Writes the observation, the mask and the player to move of every game.
    ///
    /// # Panics
    ///
    /// If the buffers do not fit the batch.
    fn observe(&self, view: &mut View<'_>);

    /// Draws a legal action for every game, each equally likely.
    ///
    /// Every game draws once from its sample stream, also when it is over or must pass, and takes
    /// the action of that rank in ascending order. A game that is over gets the pass.
    ///
    /// # Panics
    ///
    /// If there is not room for one action for each game.
    fn sample_actions(&mut self, actions: &mut [i64]);

    /// Plays one action in every game, writes the results, and returns how games ended.
    ///
    /// Against an outside opponent use [`BatchEnv::start_step`].
    ///
    /// # Errors
    ///
    /// When an action cannot be played, or memory does not suffice. Games that restart in this step
    /// take any action. No game has moved, and nothing has been written.
    ///
    /// # Panics
    ///
    /// If the buffers do not fit the batch.
    fn step(&mut self, actions: &[i64], buffers: Buffers<'_>) -> Result<&[Ending], StepError>;

    /// Plays the agent's actions; then the games that [`BatchEnv::pending`] lists wait.
    ///
    /// # Errors
    ///
    /// As [`BatchEnv::step`].
    fn start_step(&mut self, actions: &[i64]) -> Result<(), StepError>;

    /// Starts new games like [`BatchEnv::reset`]; then those in [`BatchEnv::pending`] wait.
    ///
    /// # Errors
    ///
    /// When memory does not suffice; no game has started.
    ///
    /// # Panics
    ///
    /// If the seeds or the mask do not have one entry a game.
    fn start_reset(&mut self, seeds: Seeds<'_>, mask: Option<&[bool]>) -> Result<(), OutOfMemory>;

    /// The flag that stops every search of a step or reset at once. The games are then in arbitrary
    /// states: call [`BatchEnv::roll_back`].
    #[must_use]
    fn stop_flag(&self) -> Arc<AtomicBool>;

    /// Remembers the games as they are now, for [`BatchEnv::roll_back`].
    ///
    /// # Errors
    ///
    /// When memory does not suffice for a copy of the games.
    fn hold(&mut self) -> Result<(), OutOfMemory>;

    /// Drops the games that [`BatchEnv::hold`] remembered.
    fn release(&mut self);

    /// The games in which an outside opponent must move, ascending.
    #[must_use]
    fn pending(&self) -> &[usize];

    /// Plays the opponent's action in every pending game; some may then be pending again.
    ///
    /// # Errors
    ///
    /// When there is not one action a pending game, one of them cannot be played, or memory does not
    /// suffice. No game has moved.
    fn answer(&mut self, actions: &[i64]) -> Result<(), StepError>;

    /// Aborts the step or reset under way: everything is as it was at [`BatchEnv::hold`].
    fn roll_back(&mut self);

    /// Ends the step under way, in which no game may be pending any more, and writes the results.
    ///
    /// # Errors
    ///
    /// When memory does not suffice; the step has not ended.
    ///
    /// # Panics
    ///
    /// If the buffers do not fit the batch or a game is pending.
    fn finish_step(&mut self, buffers: Buffers<'_>) -> Result<&[Ending], OutOfMemory>;
}

impl dyn BatchEnv + '_ {
    /// Whether a step or reset may take so long that Ctrl-C should work during it.
    ///
    /// A search of depth `d` looks into some `b^(d - 1)` positions, `b` being the moves of a position,
    /// and takes some 5 ns for each, but never less than 0.2 us; measured on the standard board.
    #[must_use]
    pub fn searches_long(&self) -> bool {
        const NODES: f64 = 5e6;
        const LEAST_NODES: f64 = 40.0;
        let depth = match self.config().opponent.policy() {
            Some(Policy::Minimax(depth)) => depth.plies(),
            Some(Policy::Greedy) => 1,
            Some(Policy::Perfect(_)) => return true,
            _ => return false,
        };
        let moves = self.config().variants.num_actions() as f64 / 4.0;
        let nodes = moves.powi(i32::from(depth) - 1).max(LEAST_NODES);
        self.num_envs() as f64 * nodes > NODES
    }

    /// Writes whether each pending game started in the step under way, after another one ended.
    ///
    /// # Panics
    ///
    /// If there is not room for one entry for each of [`BatchEnv::pending`].
    pub fn write_restarts(&self, restarts: &mut [bool]) {
        assert_eq!(restarts.len(), self.pending().len());
        restarts.fill(false);
        for ending in self.endings() {
            if let Ok(waiting) = self.pending().binary_search(&(ending.game as usize)) {
                restarts[waiting] = true;
            }
        }
    }
}
