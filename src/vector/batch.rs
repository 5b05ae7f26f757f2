//! Many games, stepped together.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::buffers::{Buffers, Observations, View};
use super::config::{Config, Seeds};
use super::error::StepError;
use crate::encode::Layout;
use crate::game::Position;
use crate::memory::OutOfMemory;
use crate::policy::Policy;
use crate::threads::Pool;
use crate::vector::step::engine::GameEngine;
use crate::vector::step::game::{Ending, SavedGame};
use crate::vector::step::packed_game::PackedGame;
use crate::vector::step::wide_game::WideGame;

/// The games, in the packed form if the board fits it.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // there is one in a batch
enum EngineForm {
    PackedGame(GameEngine<PackedGame>),
    WideGame(GameEngine<WideGame>),
}

/// Evaluates an expression about the engine, whatever form its games have.
macro_rules! with_engine {
    ($form:expr, $engine:ident => $value:expr) => {
        match $form {
            EngineForm::PackedGame($engine) => $value,
            EngineForm::WideGame($engine) => $value,
        }
    };
}

/// Many games, stepped together.
#[derive(Debug)]
pub struct BatchEnv {
    form: EngineForm,
    started: bool,
    started_before: bool,
    pool: Pool,
    /// The games that wait for an outside opponent, ascending.
    pending: Vec<usize>,
}

impl BatchEnv {
    /// The most games that a batch of the Python package may have; a mistyped number would take all
    /// memory.
    pub const MAX_ENVS: usize = 1 << 24;

    /// A batch that must be reset, and should be seeded, before the first step.
    ///
    /// It can write observations of the `layout` only, on a frame those of [`Layout::Planes`].
    ///
    /// # Errors
    ///
    /// When memory does not suffice for the games or the tables of the variants.
    ///
    /// # Panics
    ///
    /// If `num_envs` or `num_threads` is 0, the layout is not that of the frame, or there are weights
    /// of other variants.
    pub fn new(
        config: Config,
        layout: Layout,
        num_envs: usize,
        num_threads: usize,
    ) -> Result<Self, OutOfMemory> {
        assert_eq!(config.variants.check_layout(layout), Ok(()));
        let count = config.variants.all().len();
        assert!(config.weights.fit(count));
        let form = if PackedGame::fits_all(&config.variants, layout) {
            EngineForm::PackedGame(GameEngine::new(config, num_envs)?)
        } else {
            EngineForm::WideGame(GameEngine::new(config, num_envs)?)
        };
        Ok(Self::with_form(form, num_envs, num_threads))
    }

    /// The same in the form that works for every board, whatever the board; meant for comparisons.
    ///
    /// # Errors
    ///
    /// When memory does not suffice for the games.
    ///
    /// # Panics
    ///
    /// If `num_envs` or `num_threads` is 0.
    pub fn wide(config: Config, num_envs: usize, num_threads: usize) -> Result<Self, OutOfMemory> {
        let form = EngineForm::WideGame(GameEngine::new(config, num_envs)?);
        Ok(Self::with_form(form, num_envs, num_threads))
    }

    fn with_form(form: EngineForm, num_envs: usize, num_threads: usize) -> Self {
        assert!(num_envs > 0 && num_threads > 0);
        Self {
            form,
            started: false,
            started_before: false,
            pool: Pool::new(num_threads),
            pending: Vec::new(),
        }
    }

    /// The settings of the batch.
    #[must_use]
    pub fn config(&self) -> &Config {
        with_engine!(&self.form, engine => engine.config())
    }

    /// The number of games.
    #[must_use]
    pub fn num_envs(&self) -> usize {
        with_engine!(&self.form, engine => engine.len())
    }

    /// Whether the batch has been reset or put at positions.
    #[must_use]
    pub fn is_started(&self) -> bool {
        self.started
    }

    /// The position that a game is in.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    #[must_use]
    pub fn position(&self, game: usize) -> Position {
        with_engine!(&self.form, engine => engine.position(game))
    }

    /// The index of the variant of a game.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    #[must_use]
    pub fn variant(&self, game: usize) -> usize {
        with_engine!(&self.form, engine => engine.variant(game))
    }

    /// The positions that the games are in.
    #[must_use]
    pub fn positions(&self) -> impl ExactSizeIterator<Item = Position> {
        (0..self.num_envs()).map(|game| self.position(game))
    }

    /// Writes the index of the variant of every game.
    ///
    /// # Panics
    ///
    /// If there is not room for one index for each game.
    pub fn write_variants(&self, variants: &mut [i64]) {
        assert_eq!(variants.len(), self.num_envs());
        with_engine!(&self.form, engine => engine.write_variants(variants));
    }

    /// Whether a game is over and waits for its reset.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    #[must_use]
    pub fn is_over(&self, game: usize) -> bool {
        with_engine!(&self.form, engine => engine.is_over(game))
    }

    /// How games ended in the last step, by game.
    #[must_use]
    pub fn endings(&self) -> &[Ending] {
        with_engine!(&self.form, engine => engine.endings())
    }

    /// The last position of a game that ended in the last step; the one before an illegal action.
    ///
    /// # Panics
    ///
    /// If there is no [`BatchEnv::endings`] of this number.
    #[must_use]
    pub fn final_position(&self, ending: usize) -> Position {
        with_engine!(&self.form, engine => engine.final_position(ending))
    }

    /// Writes the observation of every [`BatchEnv::final_position`], one row after the other.
    ///
    /// # Panics
    ///
    /// If there are fewer rows than [`BatchEnv::endings`].
    pub fn write_finals(&self, observations: &mut Observations<'_>) {
        with_engine!(&self.form, engine => engine.write_finals(observations));
    }

    /// Everything about the games that changes.
    ///
    /// # Errors
    ///
    /// When memory does not suffice.
    pub fn save(&self) -> Result<Vec<SavedGame>, OutOfMemory> {
        with_engine!(&self.form, engine => engine.save())
    }

    /// Restores a state from [`BatchEnv::save`], of this batch or another of the same variants.
    ///
    /// # Panics
    ///
    /// If it is not of as many games, or of variants that do not exist.
    pub fn restore(&mut self, started: bool, saved: &[SavedGame]) {
        assert_eq!(saved.len(), self.num_envs());
        self.pending.clear();
        with_engine!(&mut self.form, engine => engine.restore(saved));
        self.started = started;
    }

    /// Restarts the streams of the games.
    ///
    /// # Panics
    ///
    /// If there is not one seed for each game.
    pub fn seed(&mut self, seeds: Seeds<'_>) {
        with_engine!(&mut self.form, engine => engine.seed(seeds));
    }

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
    pub fn reset(&mut self, seeds: Seeds<'_>, mask: Option<&[bool]>) -> Result<(), OutOfMemory> {
        assert!(mask.is_none_or(|mask| mask.len() == self.num_envs()));
        self.pending = with_engine!(&mut self.form, engine => engine.reset(seeds, mask))?;
        self.started = true;
        Ok(())
    }

    /// Puts games at positions, each with the index of its variant: all games or those that the mask
    /// selects; the agent takes the side to move.
    ///
    /// # Panics
    ///
    /// If there is not one position for each of these games, or one of them is over or its variant does
    /// not exist; if the mask does not have one entry a game, or leaves some out before all have started.
    pub fn set_positions(&mut self, positions: &[(usize, Position)], mask: Option<&[bool]>) {
        let chosen = mask.map_or(self.num_envs(), |mask| {
            assert_eq!(mask.len(), self.num_envs());
            mask.iter().filter(|&&chosen| chosen).count()
        });
        assert_eq!(positions.len(), chosen);
        assert!(self.started || chosen == self.num_envs());
        let variants = &self.config().variants;
        let is_over =
            |(variant, position): &(usize, Position)| position.is_over(variants.get(*variant));
        assert!(!positions.iter().any(is_over));
        with_engine!(&mut self.form, engine => engine.set_positions(positions, mask));
        self.started = true;
    }

    /// Writes the legal actions of every game, as a step does.
    ///
    /// # Panics
    ///
    /// If there is not room for one row for each game.
    pub fn write_masks(&self, masks: &mut [i8]) {
        let width = self.config().variants.num_actions();
        assert_eq!(masks.len(), self.num_envs() * width);
        with_engine!(&self.form, engine => engine.write_masks(masks));
    }

    /// Writes the observation, the mask and the player to move of every game.
    ///
    /// # Panics
    ///
    /// If the buffers do not fit the batch.
    pub fn observe(&self, view: &mut View<'_>) {
        view.assert_rows(&self.config().variants, self.num_envs());
        with_engine!(&self.form, engine => engine.observe(view));
    }

    /// Draws a legal action for every game, each equally likely.
    ///
    /// Every game draws once from its sample stream, also when it is over or must pass, and takes
    /// the action of that rank in ascending order. A game that is over gets the pass.
    ///
    /// # Panics
    ///
    /// If there is not room for one action for each game.
    pub fn sample_actions(&mut self, actions: &mut [i64]) {
        assert_eq!(actions.len(), self.num_envs());
        let pool = &mut self.pool;
        with_engine!(&mut self.form, engine => engine.sample_actions(actions, pool));
    }

    /// Checks that every action can be played; games that restart in this step take any action.
    ///
    /// # Errors
    ///
    /// The first reason found.
    pub fn check_actions(&mut self, actions: &[i64]) -> Result<(), StepError> {
        let (expected, found) = (self.num_envs(), actions.len());
        if expected != found {
            return Err(StepError::Length { expected, found });
        }
        if !self.started {
            return Err(StepError::NotReset);
        }
        let pool = &mut self.pool;
        with_engine!(&self.form, engine => engine.check_actions(actions, pool))
    }

    /// Plays one action in every game, writes the results, and returns how games ended.
    ///
    /// Against an outside opponent use [`BatchEnv::start_step`].
    ///
    /// # Errors
    ///
    /// See [`BatchEnv::check_actions`], or when memory does not suffice. No game has moved, and
    /// nothing has been written.
    ///
    /// # Panics
    ///
    /// If the buffers do not fit the batch.
    pub fn step(&mut self, actions: &[i64], buffers: Buffers<'_>) -> Result<&[Ending], StepError> {
        buffers.assert_rows(&self.config().variants, self.num_envs());
        self.check_actions(actions)?;
        let pool = &mut self.pool;
        with_engine!(&mut self.form, engine => engine.step(actions, buffers, pool))?;
        Ok(self.endings())
    }

    /// Plays the agent's actions; then the games that [`BatchEnv::pending`] lists wait.
    ///
    /// # Errors
    ///
    /// See [`BatchEnv::check_actions`], or when memory does not suffice. No game has moved.
    pub fn start_step(&mut self, actions: &[i64]) -> Result<(), StepError> {
        self.check_actions(actions)?;
        self.hold()?;
        match with_engine!(&mut self.form, engine => engine.start_step(actions)) {
            Ok(pending) => self.pending = pending,
            Err(error) => {
                self.roll_back();
                return Err(error.into());
            }
        }
        Ok(())
    }

    /// Starts new games like [`BatchEnv::reset`]; then those in [`BatchEnv::pending`] wait.
    ///
    /// # Errors
    ///
    /// When memory does not suffice; no game has started.
    ///
    /// # Panics
    ///
    /// If the seeds or the mask do not have one entry a game.
    pub fn start_reset(
        &mut self,
        seeds: Seeds<'_>,
        mask: Option<&[bool]>,
    ) -> Result<(), OutOfMemory> {
        self.hold()?;
        let done = self.reset(seeds, mask);
        if done.is_err() {
            self.roll_back();
        }
        done
    }

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

    /// The flag that stops every search of a step or reset at once. The games are then in arbitrary
    /// states: call [`BatchEnv::roll_back`].
    #[must_use]
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        with_engine!(&self.form, engine => engine.stop_flag())
    }

    /// Remembers the games as they are now, for [`BatchEnv::roll_back`].
    ///
    /// # Errors
    ///
    /// When memory does not suffice for a copy of the games.
    pub fn hold(&mut self) -> Result<(), OutOfMemory> {
        self.started_before = self.started;
        with_engine!(&mut self.form, engine => engine.hold())
    }

    /// Drops the games that [`BatchEnv::hold`] remembered.
    pub fn release(&mut self) {
        with_engine!(&mut self.form, engine => engine.release());
    }

    /// The games in which an outside opponent must move, ascending.
    #[must_use]
    pub fn pending(&self) -> &[usize] {
        &self.pending
    }

    /// Writes whether each pending game started in the step under way, after another one ended.
    ///
    /// # Panics
    ///
    /// If there is not room for one entry for each of [`BatchEnv::pending`].
    pub fn write_restarts(&self, restarts: &mut [bool]) {
        assert_eq!(restarts.len(), self.pending.len());
        restarts.fill(false);
        for ending in self.endings() {
            if let Ok(waiting) = self.pending.binary_search(&(ending.game as usize)) {
                restarts[waiting] = true;
            }
        }
    }

    /// Plays the opponent's action in every pending game; some may then be pending again.
    ///
    /// # Errors
    ///
    /// When there is not one action a pending game, one of them cannot be played, or memory does not
    /// suffice. No game has moved.
    pub fn answer(&mut self, actions: &[i64]) -> Result<(), StepError> {
        let (expected, found) = (self.pending.len(), actions.len());
        if expected != found {
            return Err(StepError::Length { expected, found });
        }
        let pending = &self.pending;
        self.pending = with_engine!(&mut self.form, engine => engine.answer(pending, actions))?;
        Ok(())
    }

    /// Gives up the step or reset under way: everything is as it was at [`BatchEnv::hold`].
    pub fn roll_back(&mut self) {
        with_engine!(&mut self.form, engine => engine.roll_back());
        self.started = self.started_before;
        self.pending.clear();
    }

    /// Ends the step under way, in which no game may be pending any more, and writes the results.
    ///
    /// # Errors
    ///
    /// When memory does not suffice; the step has not ended.
    ///
    /// # Panics
    ///
    /// If the buffers do not fit the batch or a game is pending.
    pub fn finish_step(&mut self, buffers: Buffers<'_>) -> Result<&[Ending], OutOfMemory> {
        assert!(self.pending.is_empty());
        buffers.assert_rows(&self.config().variants, self.num_envs());
        with_engine!(&mut self.form, engine => engine.finish_step(buffers))?;
        Ok(self.endings())
    }
}
