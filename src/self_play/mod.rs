//! Games of self-play with a tree search for every decision, for learners.
//!
//! [`SelfPlay::play`] plays whole games and returns their positions with targets to learn, as
//! [`Samples`]. Game `i` depends on the seed, on `i` and on the network. It does not depend on the
//! other games, on how many are played at once or on the number of threads.
//!
//! A game first draws its variant, if there are several, each equally likely. Games of one variant are
//! played together, so that its positions are evaluated together.
//!
//! It starts with random plies, which are not samples. Then each decision is a sample. A root
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
mod search;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

pub use config::SelfPlayConfig;
pub use error::{ProgressError, SelfPlayError};
pub use evaluator::Evaluator;
pub use samples::{Samples, Statistics};
pub use search::choose_by_search;

use self::game::{GAMES, Game, stream_of};
use self::player::GamePlayer;
use crate::encode::VariantSet;
use crate::memory::{OutOfMemory, make_room};
use crate::search::Limits;
use crate::search::solver::Solver;
use crate::threads::map_in_order;
use crate::tree_search::LeafCounts;

/// Plays games; each call continues with the next game of the seed.
#[derive(Debug)]
pub struct SelfPlay {
    variants: Arc<VariantSet>,
    config: SelfPlayConfig,
    /// One for each variant, or none.
    solvers: Vec<Arc<Solver>>,
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

impl Progress {
    /// The most games and the most samples to continue from: sums with what is played later stay exact.
    pub const MOST: u64 = 1 << 62;
}

impl SelfPlay {
    /// The first game is number 0. `solvers` has one for each variant if positions are solved, see
    /// [`SelfPlayConfig::solves`], and is empty otherwise.
    ///
    /// # Panics
    ///
    /// If there are not as many solvers, or the variants cannot have the layout.
    #[must_use]
    pub fn new(
        variants: &Arc<VariantSet>,
        config: SelfPlayConfig,
        solvers: Vec<Arc<Solver>>,
        num_threads: usize,
    ) -> Self {
        assert!(variants.check(config.format.layout).is_ok());
        let needed = if config.solves() {
            variants.all().len()
        } else {
            0
        };
        assert_eq!(solvers.len(), needed, "solvers");
        Self {
            variants: variants.clone(),
            config,
            solvers,
            num_threads,
            progress: Progress::default(),
        }
    }

    /// The variants that are played.
    #[must_use]
    pub fn variants(&self) -> &Arc<VariantSet> {
        &self.variants
    }

    /// The progress so far.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Continues from the progress of another one.
    ///
    /// # Errors
    ///
    /// When no games can have made this progress.
    pub fn resume(&mut self, progress: Progress) -> Result<(), ProgressError> {
        let variants = self.variants.all().iter();
        let longest = variants.map(|variant| variant.max_game_length() as u64);
        let most = progress.games.saturating_mul(longest.max().unwrap_or(0));
        if progress.games > Progress::MOST || progress.samples > most.min(Progress::MOST) {
            return Err(ProgressError(progress));
        }
        self.progress = progress;
        Ok(())
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
    /// If the evaluations do not have the shape that their variant needs.
    pub fn play<E: Evaluator + ?Sized>(
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
    pub fn play_samples<E: Evaluator + ?Sized>(
        &mut self,
        evaluator: &E,
        samples: usize,
        limits: Limits<'_>,
    ) -> Result<Samples, SelfPlayError> {
        let mut played: Vec<Game> = Vec::new();
        let mut counts = LeafCounts::default();
        let mut found = 0;
        let variants = self.variants.all();
        let cells = variants.iter().map(|variant| variant.board().num_cells());
        let cells = cells.sum::<usize>() / variants.len();
        while found < samples {
            // The first guess is a sample for every cell.
            let games = self.progress.games + played.len() as u64 + 1;
            let before = self.progress.samples + found as u64;
            let before = before + cells as u64;
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
    fn append<E: Evaluator + ?Sized>(
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
        let first = self.progress.games + played.len() as u64;
        let at_once = self.config.num_games.min(games);
        let workers = self.num_threads.clamp(1, at_once);
        let players = self.players(evaluator, first, games, at_once.div_ceil(workers), limits)?;
        let play = |(): &mut (), _| {
            let (mut over, mut own) = (Vec::new(), LeafCounts::default());
            for player in &players {
                add(&mut own, player.play(&mut over)?);
            }
            Ok::<_, SelfPlayError>((over, own))
        };
        for (games, own) in map_in_order(0..workers, workers, || (), play)? {
            played.extend(games);
            add(counts, own);
        }
        let new = played.len() - games;
        played[new..].sort_unstable_by_key(|game| game.number);
        Ok(())
    }

    /// The games from `first` on, by variant.
    fn players<'a, E: Evaluator + ?Sized>(
        &'a self,
        evaluator: &'a E,
        first: u64,
        games: usize,
        slots: usize,
        limits: Limits<'a>,
    ) -> Result<Vec<GamePlayer<'a, E>>, OutOfMemory> {
        let count = self.variants.all().len();
        let player = |index| GamePlayer {
            variants: &self.variants,
            index,
            config: &self.config,
            solver: self.solvers.get(index),
            evaluator,
            limits,
            slots,
            numbers: Vec::new(),
            begun: AtomicUsize::new(0),
        };
        let mut players: Vec<_> = (0..count).map(player).collect();
        for number in first..first + games as u64 {
            let (_, variant) = stream_of(self.config.tree.seed, number, count);
            let numbers = &mut players[variant].numbers;
            make_room(numbers, GAMES, 1)?;
            numbers.push(number);
        }
        Ok(players)
    }

    fn conclude(
        &mut self,
        played: &[Game],
        leaves: LeafCounts,
        limits: Limits<'_>,
    ) -> Result<Samples, SelfPlayError> {
        let first = self.progress.games;
        let samples = Samples::of(&self.variants, &self.config, first, played, leaves, limits)?;
        self.progress.games += played.len() as u64;
        self.progress.samples += samples.num_samples() as u64;
        Ok(samples)
    }
}

fn add(counts: &mut LeafCounts, own: LeafCounts) {
    counts.evaluated += own.evaluated;
    counts.shared += own.shared;
    counts.recalled += own.recalled;
    counts.solved += own.solved;
}
