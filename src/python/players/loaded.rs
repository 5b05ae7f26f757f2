//! A network of the core, kept ready on the boards that it is asked about.

#![allow(
    clippy::mutable_key_type,
    reason = "boards are hashed and compared by what never changes"
)]

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ndarray::Array2;
use pyo3::prelude::*;

use crate::game::{Board, Opening, Position, Variant};
use crate::memory::{make_room, zeroed};
use crate::network::{BoardNetwork, CanvasRows, Choice, Evaluations, Network, Scope};
use crate::python::convert::integers::Threads;
use crate::python::exceptions;
use crate::python::interrupt::run_unless_quick;
use crate::python::rules::batch::by_variant;
use crate::python::rules::position::{PyPosition, check_all_playable};
use crate::python::rules::variant::PyVariant;
use crate::search::Limits;

/// Up to this many positions take less time than starting the thread that makes Ctrl-C work.
const QUICK_POSITIONS: usize = 16;

/// The most bytes that a network for a canvas takes on the boards that it stays ready for, and on those
/// that it is made ready for at once, except in self-play; a single board may take more. With 64 units
/// and 4 blocks it takes 0.3 MB on 16 cells, and 4 MB on 64.
const MOST_BYTES: u64 = 1 << 29;

/// A network, with the boards that it is ready for.
pub(crate) struct Loaded {
    pub(super) network: Network,
    /// Whoever locks it also holds the GIL, so it is free when Python forks the process.
    ready: Mutex<Ready>,
}

/// A network on boards that it was needed for.
#[derive(Default)]
struct Ready {
    networks: HashMap<Arc<Board>, Arc<BoardNetwork>>,
    /// The bytes that they take.
    bytes: u64,
}

impl Ready {
    /// Keeps the network on a board, and forgets all others where there is no room beside them.
    fn keep(&mut self, board: &Arc<Board>, network: &Arc<BoardNetwork>, bytes: u64) {
        if self.bytes + bytes > MOST_BYTES {
            *self = Self::default();
        }
        let before = self.networks.insert(Arc::clone(board), Arc::clone(network));
        // Another thread may have made it meanwhile.
        if before.is_none() {
            self.bytes += bytes;
        }
    }
}

impl Loaded {
    pub(super) fn new(network: Network) -> Self {
        let ready = Mutex::default();
        Self { network, ready }
    }

    /// The boards that it was trained on, in words.
    pub(super) fn scope_text(&self) -> String {
        match self.network.scope() {
            Scope::Variant(variant) => PyVariant(Arc::new(variant.clone())).__repr__(),
            Scope::Canvas { canvas, copies } => format!(
                "boards that fit {} x {} cells, with {copies} copies",
                canvas.height(),
                canvas.width()
            ),
        }
    }

    /// Fails unless the network knows the board and the copies of a variant.
    ///
    /// # Errors
    ///
    /// `PolicyError`.
    pub(super) fn check_variant(&self, variant: &Arc<Variant>) -> PyResult<()> {
        if self.network.scope().contains(variant) {
            return Ok(());
        }
        let (expected, found) = (self.scope_text(), PyVariant(Arc::clone(variant)).__repr__());
        Err(exceptions::PolicyError::new_err(format!(
            "the network was trained on {expected} and cannot play {found}"
        )))
    }

    /// The network on the boards of these variants, all at once, whatever they take. Self-play needs
    /// that, as each of its threads has games on any of them; other callers take [`Loaded::in_runs`].
    ///
    /// # Errors
    ///
    /// As [`Loaded::check_variant`], and `MemoryError`; also on Ctrl-C.
    pub(crate) fn on(
        &self,
        py: Python<'_>,
        variants: &[Arc<Variant>],
    ) -> PyResult<Vec<Arc<BoardNetwork>>> {
        let mut found: HashMap<_, Arc<BoardNetwork>> = HashMap::new();
        for variant in variants {
            py.check_signals()?;
            self.check_variant(variant)?;
            let board = variant.board();
            if found.contains_key(board) {
                continue;
            }
            let known = self.ready(py).networks.get(board).cloned();
            let network = if let Some(known) = known {
                known
            } else {
                let new = Arc::new(py.detach(|| self.network.on(variant))?);
                let bytes = self.network.bytes_on(board);
                self.ready(py).keep(board, &new, bytes);
                new
            };
            found.insert(board, network);
        }
        let of = |variant: &Arc<Variant>| Arc::clone(&found[variant.board()]);
        Ok(variants.iter().map(of).collect())
    }

    /// Calls `work` for run after run of these variants, with the numbers of those in it and the network
    /// on their boards. The boards of a run take [`MOST_BYTES`] together.
    ///
    /// # Errors
    ///
    /// Those of [`Loaded::on`] and of `work`.
    fn in_runs(
        &self,
        py: Python<'_>,
        variants: &[Arc<Variant>],
        mut work: impl FnMut(Range<usize>, &[Arc<BoardNetwork>]) -> PyResult<()>,
    ) -> PyResult<()> {
        let mut first = 0;
        while first < variants.len() {
            let mut bytes = 0;
            let fits = |variant: &&Arc<Variant>| {
                bytes += self.network.bytes_on(variant.board());
                bytes <= MOST_BYTES
            };
            let count = variants[first..].iter().take_while(fits).count();
            let run = first..first + count.max(1);
            work(run.clone(), &self.on(py, &variants[run.clone()])?)?;
            first = run.end;
        }
        Ok(())
    }

    fn ready(&self, _py: Python<'_>) -> MutexGuard<'_, Ready> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Evaluates observations, flat ones or planes of the canvas, one in each row.
    ///
    /// # Errors
    ///
    /// When observations on a canvas show no board, memory does not suffice, or on Ctrl-C.
    pub(super) fn evaluate(
        &self,
        py: Python<'_>,
        rows: &Array2<f32>,
        num_threads: usize,
    ) -> PyResult<Evaluations> {
        let is_quick = rows.nrows() <= QUICK_POSITIONS;
        let (canvas, copies) = match self.network.scope() {
            Scope::Variant(variant) => {
                let board = self.on(py, &[Arc::new(variant.clone())])?.remove(0);
                return Ok(run_unless_quick(py, is_quick, |stop| {
                    let limits = Limits::stopped_by(stop);
                    board.evaluate(rows, num_threads, limits)
                })??);
            }
            Scope::Canvas { canvas, copies } => (*canvas, i64::from(*copies)),
        };
        // Takes little time beside the evaluation, before which signals are checked.
        let parts = py.detach(|| CanvasRows::cut(canvas, rows))?;
        let variant = |part: &CanvasRows| {
            Variant::new(Arc::clone(part.board()), Opening::default(), copies).map(Arc::new)
        };
        let variants: Result<Vec<_>, _> = py.detach(|| parts.iter().map(variant).collect());
        let mut all = Evaluations::zeros(rows.nrows(), canvas.num_actions())?;
        self.in_runs(py, &variants?, |run, boards| {
            Ok(run_unless_quick(py, is_quick, |stop| {
                let limits = Limits::stopped_by(stop);
                let mut run = parts[run].iter().zip(boards);
                run.try_for_each(|(part, board)| {
                    part.evaluate(board, rows, num_threads, limits, &mut all)
                })
            })??)
        })?;
        Ok(all)
    }

    /// The actions chosen for positions that are not over, by number.
    ///
    /// # Errors
    ///
    /// As [`Loaded::check_variant`]; also for a game that is over, a logit that is not finite, where
    /// memory does not suffice, and on Ctrl-C.
    pub(super) fn choose(
        &self,
        py: Python<'_>,
        positions: &[PyPosition],
        choice: Choice,
    ) -> PyResult<Vec<i64>> {
        let (variants, indices) = by_variant(py, positions)?;
        for variant in &variants {
            self.check_variant(variant)?;
        }
        check_all_playable(positions, "position")?;
        // The positions of each variant, with their numbers.
        let mut parts: Vec<Vec<(usize, Position)>> = vec![Vec::new(); variants.len()];
        for (number, (position, index)) in positions.iter().zip(indices).enumerate() {
            let part = &mut parts[index];
            make_room(part, "the positions", 1)?;
            part.push((number, position.core));
        }
        let num_threads = Threads::or_cores(None);
        let mut actions = zeroed("the actions", positions.len())?;
        let is_quick = actions.len() <= QUICK_POSITIONS;
        self.in_runs(py, &variants, |run, boards| {
            let parts = &parts[run.clone()];
            let chosen = run_unless_quick(py, is_quick, |stop| {
                let limits = Limits::stopped_by(stop);
                let parts = variants[run].iter().zip(parts).zip(boards);
                let chosen = parts.map(|((variant, part), board)| {
                    board.choose(variant, part, choice, num_threads, limits)
                });
                chosen.collect::<Result<Vec<_>, _>>()
            })??;
            for (part, chosen) in parts.iter().zip(chosen) {
                for (&(number, _), action) in part.iter().zip(chosen) {
                    actions[number] = action as i64;
                }
            }
            Ok(())
        })?;
        Ok(actions)
    }
}
