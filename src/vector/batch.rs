//! Many games of one variant, stepped together.

use super::buffers::{Buffers, View};
use super::config::{Autoreset, Config, IllegalAction};
use super::error::StepError;
use super::game::{Ending, Game, SavedGame};
use super::pool::Pool;
use crate::encode::{action_of, move_of, pass_action};
use crate::game::{Move, PlayError, Position};

/// New seeds for the streams of the games.
#[derive(Clone, Copy, Debug)]
pub enum Seeds<'a> {
    /// None: the streams go on.
    Keep,
    /// This seed plus the number of the game.
    From(u64),
    /// One for each game, where there is one.
    Each(&'a [Option<u64>]),
}

impl Seeds<'_> {
    fn of(self, game: usize) -> Option<u64> {
        match self {
            Self::Keep => None,
            Self::From(seed) => Some(seed.wrapping_add(game as u64)),
            Self::Each(seeds) => seeds[game],
        }
    }
}

/// Many games of one variant, stepped together.
#[derive(Debug)]
pub struct BatchEnv {
    config: Config,
    games: Vec<Game>,
    started: bool,
    pool: Pool,
    /// The games that wait for an outside opponent, ascending.
    pending: Vec<usize>,
    /// How games ended in the step under way, by game.
    endings: Vec<Ending>,
    /// The games as they were before the step or reset under way.
    before: Option<(Vec<Game>, bool)>,
}

impl BatchEnv {
    /// A batch that must be reset, and should be seeded, before the first step.
    ///
    /// # Panics
    ///
    /// If `num_envs` or `num_threads` is 0.
    #[must_use]
    pub fn new(config: Config, num_envs: usize, num_threads: usize) -> Self {
        assert!(num_envs > 0 && num_threads > 0);
        let games = (0..num_envs as u64)
            .map(|i| Game::new(&config.variant, i))
            .collect();
        Self {
            config,
            games,
            started: false,
            pool: Pool::new(num_threads),
            pending: Vec::new(),
            endings: Vec::new(),
            before: None,
        }
    }

    /// What is fixed for the batch.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The number of games.
    #[must_use]
    pub fn num_envs(&self) -> usize {
        self.games.len()
    }

    /// The number of threads that large batches use.
    #[must_use]
    pub fn num_threads(&self) -> usize {
        self.pool.threads()
    }

    /// The positions that the games are in.
    #[must_use]
    pub fn positions(&self) -> impl ExactSizeIterator<Item = Position> {
        self.games.iter().map(|game| game.position)
    }

    /// Whether the batch has been reset or put at positions.
    #[must_use]
    pub fn is_started(&self) -> bool {
        self.started
    }

    /// How games ended in the last step, ascending.
    #[must_use]
    pub fn endings(&self) -> &[Ending] {
        &self.endings
    }

    /// Everything about the games that changes.
    #[must_use]
    pub fn save(&self) -> Vec<SavedGame> {
        self.games.iter().map(SavedGame::of).collect()
    }

    /// Takes over what [`BatchEnv::save`] gave, in this batch or another of the same variant.
    ///
    /// # Panics
    ///
    /// If it is not of as many games.
    pub fn restore(&mut self, started: bool, saved: &[SavedGame]) {
        assert_eq!(saved.len(), self.games.len());
        self.roll_back();
        self.games = saved.iter().map(SavedGame::game).collect();
        self.started = started;
    }

    /// Whether a game is over and waits for its reset.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    #[must_use]
    pub fn is_over(&self, game: usize) -> bool {
        self.games[game].over
    }

    /// Restarts the streams of the games.
    ///
    /// # Panics
    ///
    /// If there is not one seed a game.
    pub fn seed(&mut self, seeds: Seeds<'_>) {
        for (i, game) in self.games.iter_mut().enumerate() {
            if let Some(seed) = seeds.of(i) {
                game.seed(seed);
            }
        }
    }

    /// Starts new games: all, or those that the mask selects.
    ///
    /// The seeds restart the streams of the games that start. With an outside opponent use
    /// [`BatchEnv::start_reset`].
    ///
    /// # Panics
    ///
    /// If the seeds or the mask do not have one entry a game.
    pub fn reset(&mut self, seeds: Seeds<'_>, mask: Option<&[bool]>) {
        assert!(mask.is_none_or(|mask| mask.len() == self.games.len()));
        self.pending.clear();
        for (i, game) in self.games.iter_mut().enumerate() {
            if mask.is_none_or(|mask| mask[i]) {
                if let Some(seed) = seeds.of(i) {
                    game.seed(seed);
                }
                if game.reset(&self.config) {
                    self.pending.push(i);
                }
            }
        }
        self.started = true;
    }

    /// Puts every game at a position; the agent takes the side to move.
    ///
    /// # Panics
    ///
    /// If there is not one position a game, or one of them is over.
    pub fn set_positions(&mut self, positions: &[Position]) {
        assert_eq!(positions.len(), self.games.len());
        for (game, &position) in self.games.iter_mut().zip(positions) {
            assert!(!position.is_over(&self.config.variant));
            game.place(position);
        }
        self.started = true;
    }

    /// Writes what the agent sees of every game.
    ///
    /// # Panics
    ///
    /// If the buffers do not fit the batch.
    pub fn observe(&self, view: &mut View<'_>) {
        view.assert_rows(&self.config.variant, self.games.len());
        for (row, game) in self.games.iter().enumerate() {
            view.write(&self.config.variant, row, &game.position, game.over);
        }
    }

    /// Draws a legal action for every game, each equally likely.
    ///
    /// Every game draws once from its sample stream, also when it is over or must pass, and takes
    /// the action of that rank in ascending order. A game that is over gets the pass.
    ///
    /// # Panics
    ///
    /// If there is not room for one action a game.
    pub fn sample_actions(&mut self, actions: &mut [i64]) {
        assert_eq!(actions.len(), self.games.len());
        let variant = &self.config.variant;
        let pass = pass_action(variant) as i64;
        for (game, action) in self.games.iter_mut().zip(actions) {
            let moves = game.position.legal_moves(variant);
            let rank = game.sample_stream.below(moves.len().max(1) as u64) as usize;
            *action = match moves.get(rank) {
                Some(&mv) if !game.over => action_of(variant, mv) as i64,
                _ => pass,
            };
        }
    }

    /// Whether every action can be played; games that start anew in this step take any.
    ///
    /// # Errors
    ///
    /// The first reason found.
    pub fn check_actions(&self, actions: &[i64]) -> Result<(), StepError> {
        let (expected, found) = (self.games.len(), actions.len());
        if expected != found {
            return Err(StepError::Length { expected, found });
        }
        if !self.started {
            return Err(StepError::NotReset);
        }
        for (i, (game, &action)) in self.games.iter().zip(actions).enumerate() {
            self.check_action(i, game, action)?;
        }
        Ok(())
    }

    fn check_action(&self, index: usize, game: &Game, action: i64) -> Result<(), StepError> {
        let variant = &self.config.variant;
        let position = || Box::new(game.position);
        if game.over {
            return match self.config.autoreset {
                Autoreset::SameStep | Autoreset::NextStep => Ok(()),
                Autoreset::Disabled => Err(StepError::Play {
                    game: index,
                    action,
                    position: position(),
                    error: PlayError::GameOver,
                }),
            };
        }
        let Some(mv) = parse(&self.config, action) else {
            return Err(StepError::UnknownAction {
                game: index,
                action,
                position: position(),
            });
        };
        match game.position.check(variant, mv) {
            Err(error) if self.config.illegal_action == IllegalAction::Raise => {
                Err(StepError::Play {
                    game: index,
                    action,
                    position: position(),
                    error,
                })
            }
            _ => Ok(()),
        }
    }

    /// Plays one action in every game and writes the results; how games ended comes back.
    ///
    /// Against an outside opponent use [`BatchEnv::start_step`].
    ///
    /// # Errors
    ///
    /// See [`BatchEnv::check_actions`]. No game has moved, and nothing has been written.
    ///
    /// # Panics
    ///
    /// If the buffers do not fit the batch.
    pub fn step(&mut self, actions: &[i64], buffers: Buffers<'_>) -> Result<&[Ending], StepError> {
        buffers.assert_rows(&self.config.variant, self.games.len());
        self.check_actions(actions)?;
        self.endings.clear();
        let block = Block {
            config: &self.config,
            first: 0,
            games: &mut self.games,
            actions,
            buffers,
        };
        let blocks = self.pool.blocks(actions.len());
        if blocks == 1 {
            block.step(&mut self.endings);
        } else {
            self.endings = self.pool.run(|| block.step_parallel(blocks));
        }
        Ok(&self.endings)
    }

    /// Plays the agent's actions; then the games that [`BatchEnv::pending`] lists wait.
    ///
    /// # Errors
    ///
    /// See [`BatchEnv::check_actions`]. No game has moved.
    pub fn start_step(&mut self, actions: &[i64]) -> Result<(), StepError> {
        self.check_actions(actions)?;
        self.before = Some((self.games.clone(), self.started));
        self.endings.clear();
        self.pending.clear();
        for (i, (game, &action)) in self.games.iter_mut().zip(actions).enumerate() {
            let mut ending = None;
            let mv = legal(&self.config, game, action);
            if game.act(&self.config, mv, &mut ending) {
                self.pending.push(i);
            }
            self.endings
                .extend(ending.map(|ending| Ending { game: i, ..ending }));
        }
        Ok(())
    }

    /// Starts new games like [`BatchEnv::reset`]; then those in [`BatchEnv::pending`] wait.
    ///
    /// # Panics
    ///
    /// If the seeds or the mask do not have one entry a game.
    pub fn start_reset(&mut self, seeds: Seeds<'_>, mask: Option<&[bool]>) {
        self.before = Some((self.games.clone(), self.started));
        self.endings.clear();
        self.reset(seeds, mask);
    }

    /// The games in which an outside opponent must move, ascending.
    #[must_use]
    pub fn pending(&self) -> &[usize] {
        &self.pending
    }

    /// Plays the opponent's action in every pending game; some may then be pending again.
    ///
    /// # Errors
    ///
    /// When there is not one action a pending game, or one of them cannot be played. No game has
    /// moved.
    pub fn answer(&mut self, actions: &[i64]) -> Result<(), StepError> {
        let (expected, found) = (self.pending.len(), actions.len());
        if expected != found {
            return Err(StepError::Length { expected, found });
        }
        let mut moves = Vec::with_capacity(found);
        for (&i, &action) in self.pending.iter().zip(actions) {
            let position = &self.games[i].position;
            let mv = parse(&self.config, action).ok_or_else(|| StepError::UnknownAction {
                game: i,
                action,
                position: Box::new(*position),
            })?;
            position
                .check(&self.config.variant, mv)
                .map_err(|error| StepError::Play {
                    game: i,
                    action,
                    position: Box::new(*position),
                    error,
                })?;
            moves.push(mv);
        }
        let mut still = Vec::new();
        for (i, mv) in std::mem::take(&mut self.pending).into_iter().zip(moves) {
            let mut ending = None;
            if self.games[i].answer(&self.config, mv, &mut ending) {
                still.push(i);
            }
            self.endings
                .extend(ending.map(|ending| Ending { game: i, ..ending }));
        }
        self.pending = still;
        Ok(())
    }

    /// Gives up the step or reset under way: everything is as before it.
    pub fn roll_back(&mut self) {
        if let Some((games, started)) = self.before.take() {
            self.games = games;
            self.started = started;
        }
        self.pending.clear();
        self.endings.clear();
    }

    /// Ends the step under way, in which no game may be pending any more, and writes the results.
    ///
    /// # Panics
    ///
    /// If the buffers do not fit the batch or a game is pending.
    pub fn finish_step(&mut self, mut buffers: Buffers<'_>) -> &[Ending] {
        assert!(self.pending.is_empty());
        self.before = None;
        self.observe(&mut buffers.view);
        buffers.rewards.fill(0.0);
        buffers.terminations.fill(false);
        self.endings.sort_unstable_by_key(|ending| ending.game);
        for ending in &self.endings {
            buffers.rewards[ending.game] = ending.reward;
            buffers.terminations[ending.game] = true;
        }
        &self.endings
    }
}

/// The move with this index.
fn parse(config: &Config, action: i64) -> Option<Move> {
    move_of(&config.variant, usize::try_from(action).ok()?)
}

/// The move with this index if it is legal.
fn legal(config: &Config, game: &Game, action: i64) -> Option<Move> {
    parse(config, action).filter(|&mv| game.position.is_legal(&config.variant, mv))
}

/// Games that lie next to each other, and their part of everything.
struct Block<'a> {
    config: &'a Config,
    first: usize,
    games: &'a mut [Game],
    actions: &'a [i64],
    buffers: Buffers<'a>,
}

impl Block<'_> {
    fn step_parallel(self, blocks: usize) -> Vec<Ending> {
        let mut endings = Vec::new();
        if blocks == 1 {
            self.step(&mut endings);
            return endings;
        }
        let half = self.games.len() * (blocks / 2) / blocks;
        let games = self.games.split_at_mut(half);
        let actions = self.actions.split_at(half);
        let buffers = self.buffers.split_at(&self.config.variant, half);
        let [head, tail] = [
            (self.first, games.0, actions.0, buffers.0),
            (self.first + half, games.1, actions.1, buffers.1),
        ]
        .map(|(first, games, actions, buffers)| Block {
            config: self.config,
            first,
            games,
            actions,
            buffers,
        });
        let (mut endings, more) = rayon::join(
            || head.step_parallel(blocks / 2),
            || tail.step_parallel(blocks - blocks / 2),
        );
        endings.extend(more);
        endings
    }

    fn step(mut self, endings: &mut Vec<Ending>) {
        for (row, (game, &action)) in self.games.iter_mut().zip(self.actions).enumerate() {
            let mut ending = None;
            let mv = if self.config.illegal_action == IllegalAction::Raise {
                parse(self.config, action) // the whole batch has been checked
            } else {
                legal(self.config, game, action)
            };
            game.act(self.config, mv, &mut ending);
            self.buffers.rewards[row] = ending.map_or(0.0, |ending| ending.reward);
            self.buffers.terminations[row] = ending.is_some();
            endings.extend(ending.map(|ending| Ending {
                game: self.first + row,
                ..ending
            }));
            self.buffers
                .view
                .write(&self.config.variant, row, &game.position, game.over);
        }
    }
}
