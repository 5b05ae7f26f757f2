//! A network of the core, kept ready on the boards that it is asked about.

#![allow(
    clippy::mutable_key_type,
    reason = "boards are hashed and compared by what never changes"
)]

use std::collections::HashMap;
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

/// The most boards for which a network for a canvas stays ready.
const MOST_BOARDS: usize = 256;

/// A network, with the boards that it is ready for.
pub(crate) struct Loaded {
    pub(super) network: Network,
    /// The network on boards that it was needed for. Whoever locks it also holds the GIL, so it is free
    /// when Python forks the process.
    boards: Mutex<BoardNetworks>,
}

type BoardNetworks = HashMap<Arc<Board>, Arc<BoardNetwork>>;

impl Loaded {
    pub(super) fn new(network: Network) -> Self {
        let boards = Mutex::default();
        Self { network, boards }
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

    /// The network on the boards of these variants.
    ///
    /// # Errors
    ///
    /// As [`Loaded::check_variant`], and `MemoryError`; also on Ctrl-C.
    pub(crate) fn on(
        &self,
        py: Python<'_>,
        variants: &[Arc<Variant>],
    ) -> PyResult<Vec<Arc<BoardNetwork>>> {
        let mut ready = HashMap::new();
        for variant in variants {
            py.check_signals()?;
            self.check_variant(variant)?;
            let known = self.boards(py).get(variant.board()).cloned();
            let known = match known {
                Some(known) => known,
                None => Arc::new(py.detach(|| self.network.on(variant))?),
            };
            ready.insert(Arc::clone(variant.board()), known);
        }
        let found = variants
            .iter()
            .map(|variant| Arc::clone(&ready[variant.board()]));
        let found = found.collect();
        let mut boards = self.boards(py);
        if boards.len() + ready.len() > MOST_BOARDS {
            boards.clear();
        }
        boards.extend(ready.into_iter().take(MOST_BOARDS));
        Ok(found)
    }

    fn boards(&self, _py: Python<'_>) -> MutexGuard<'_, BoardNetworks> {
        self.boards.lock().unwrap_or_else(PoisonError::into_inner)
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
        let parts = CanvasRows::cut(canvas, rows)?;
        let variant = |part: &CanvasRows| {
            Variant::new(Arc::clone(part.board()), Opening::default(), copies).map(Arc::new)
        };
        let variants: Result<Vec<_>, _> = parts.iter().map(variant).collect();
        let boards = self.on(py, &variants?)?;
        Ok(run_unless_quick(py, is_quick, |stop| {
            let limits = Limits::stopped_by(stop);
            CanvasRows::evaluate(&parts, &boards, rows, num_threads, limits)
        })??)
    }

    /// The actions chosen for positions that are not over, by number.
    ///
    /// # Errors
    ///
    /// As [`Loaded::check_variant`]; also for a game that is over, a logit that is not finite, and on
    /// Ctrl-C.
    pub(super) fn choose(
        &self,
        py: Python<'_>,
        positions: &[PyPosition],
        choice: Choice,
    ) -> PyResult<Vec<i64>> {
        let (variants, indices) = by_variant(py, positions)?;
        let boards = self.on(py, &variants)?;
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
        let chosen = run_unless_quick(py, actions.len() <= QUICK_POSITIONS, |stop| {
            let limits = Limits::stopped_by(stop);
            let parts = variants.iter().zip(&parts).zip(&boards);
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
        Ok(actions)
    }
}
