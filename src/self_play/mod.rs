//! Games of self-play with a tree search for every decision, for learners.
//!
//! [`SelfPlay::play`] plays whole games and returns their positions with targets to learn, as
//! [`Samples`]. Game `i` depends on the seed, on `i` and on the network. It does not depend on the
//! other games, on how many are played at once or on the number of threads.
//!
//! A game starts with random plies, which are not samples. Then each decision is a sample. A root
//! with few empty cells is solved, and so is one that the book knows, if asked for; any other is
//! searched, and the part of the tree below the action played is kept. A forced pass is not a
//! decision. Once a root with few empty cells has been solved, so are all that follow. They are
//! perfect play, or stray from it with a temperature. In either case a searched root learns the
//! exact margin of the solved root that follows it.

#![forbid(unsafe_code)]

mod config;
mod error;
mod evaluator;
mod game;
mod player;
mod samples;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

pub use config::SelfPlayConfig;
pub use error::SelfPlayError;
pub use evaluator::Evaluator;
pub use samples::{ObservationRows, Samples, Statistics};

use self::game::{GAMES, Game};
use self::player::GamePlayer;
use crate::game::Variant;
use crate::memory::make_room;
use crate::search::Limits;
use crate::search::solver::Solver;
use crate::threads::map_in_order;
use crate::tree_search::LeafCounts;

/// Plays games; each call continues with the next game of the seed.
#[derive(Debug)]
pub struct SelfPlay {
    variant: Arc<Variant>,
    config: SelfPlayConfig,
    solver: Option<Arc<Solver>>,
    num_threads: usize,
    progress: Progress,
}

/// The progress of a [`SelfPlay`], from which another one can continue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The number of games, which is also the number of the next.
    pub games: u64,
    /// The samples of these games.
    pub samples: u64,
}

impl SelfPlay {
    /// The first game is number 0. `solver` solves positions, see [`SelfPlayConfig::solves`].
    ///
    /// # Panics
    ///
    /// If positions are to be solved and there is no solver, or `num_threads` is 0.
    #[must_use]
    pub fn new(
        variant: &Arc<Variant>,
        config: SelfPlayConfig,
        solver: Option<Arc<Solver>>,
        num_threads: usize,
    ) -> Self {
        assert!(num_threads > 0);
        assert!(solver.is_some() || !config.solves(), "no solver");
        Self {
            variant: variant.clone(),
            config,
            solver,
            num_threads,
            progress: Progress::default(),
        }
    }

    /// The variant that is played.
    #[must_use]
    pub fn variant(&self) -> &Arc<Variant> {
        &self.variant
    }

    /// The progress so far.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Continues from the progress of another one.
    pub fn resume(&mut self, progress: Progress) {
        self.progress = progress;
    }

    /// Plays the next games, as many as asked for.
    ///
    /// # Errors
    ///
    /// When the stop flag is set, memory does not suffice or an evaluation cannot be used. Then
    /// nothing has changed: the next call plays the same games.
    ///
    /// # Panics
    ///
    /// If the evaluations do not have the shape that the variant needs.
    pub fn play<E: Evaluator>(
        &mut self,
        evaluator: &E,
        games: usize,
        limits: Limits<'_>,
    ) -> Result<Samples, SelfPlayError> {
        let mut played = Vec::new();
        let mut counts = LeafCounts::default();
        self.append(evaluator, games, limits, &mut played, &mut counts)?;
        self.conclude(&played, counts, limits)
    }

    /// Plays the next games until they have at least this many samples.
    ///
    /// How many games are begun together depends on the samples of all games so far, not on the
    /// number of threads.
    ///
    /// # Errors
    ///
    /// As [`SelfPlay::play`].
    ///
    /// # Panics
    ///
    /// As [`SelfPlay::play`].
    pub fn play_samples<E: Evaluator>(
        &mut self,
        evaluator: &E,
        samples: usize,
        limits: Limits<'_>,
    ) -> Result<Samples, SelfPlayError> {
        let mut played: Vec<Game> = Vec::new();
        let mut counts = LeafCounts::default();
        let mut found = 0;
        while found < samples {
            // The first guess is a sample for every cell.
            let games = self.progress.games + played.len() as u64 + 1;
            let before = self.progress.samples + found as u64;
            let before = before + self.variant.board().num_cells() as u64;
            let missing = (samples - found) as u128;
            let games = (missing * u128::from(games)).div_ceil(u128::from(before));
            let (games, first) = (games.min(missing) as usize, played.len());
            self.append(evaluator, games, limits, &mut played, &mut counts)?;
            let new = played[first..].iter().map(Game::num_samples);
            found += new.sum::<usize>();
        }
        self.conclude(&played, counts, limits)
    }

    /// Plays games and appends them in their order.
    fn append<E: Evaluator>(
        &self,
        evaluator: &E,
        games: usize,
        limits: Limits<'_>,
        played: &mut Vec<Game>,
        counts: &mut LeafCounts,
    ) -> Result<(), SelfPlayError> {
        if games == 0 {
            return Ok(());
        }
        make_room(played, GAMES, games)?;
        let first = self.progress.games.wrapping_add(played.len() as u64);
        let at_once = self.config.num_games.min(games);
        let workers = self.num_threads.min(at_once);
        let shared = GamePlayer {
            variant: &self.variant,
            config: &self.config,
            solver: self.solver.as_ref(),
            evaluator,
            limits,
            slots: at_once.div_ceil(workers),
            first,
            games: games as u64,
            begun: AtomicU64::new(0),
        };
        let parts = map_in_order(0..workers, workers, || (), |(), _| shared.play())?;
        for (games, own) in parts {
            played.extend(games);
            counts.evaluated += own.evaluated;
            counts.shared += own.shared;
            counts.recalled += own.recalled;
            counts.solved += own.solved;
        }
        let new = played.len() - games;
        played[new..].sort_unstable_by_key(|game| game.number.wrapping_sub(first));
        Ok(())
    }

    fn conclude(
        &mut self,
        played: &[Game],
        leaves: LeafCounts,
        limits: Limits<'_>,
    ) -> Result<Samples, SelfPlayError> {
        let samples = Samples::of(&self.variant, &self.config, played, leaves, limits)?;
        self.progress.games = self.progress.games.wrapping_add(played.len() as u64);
        self.progress.samples += samples.len() as u64;
        Ok(samples)
    }
}
