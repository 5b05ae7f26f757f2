//! `mijnlieff._mijnlieff.SelfPlayGames`, on which `mijnlieff.SelfPlay` stands.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::interrupt::run_until;
use super::players::solvers::solvers_of;
use super::samples::PySelfPlaySamples;
use super::search_options::{Options, PySearchOptions, options_with};
use super::tablebase::PyTablebase;
use crate::encode::{Layout, VariantSet};
use crate::python::convert::floats::SolvedTemperature;
use crate::python::convert::integers::{
    Games, NumGames, RandomPlies, Samples as NumSamples, Seed, Threads,
};
use crate::python::players::network::PyNetwork;
use crate::python::rules::canvas::{PyCanvas, variant_set};
use crate::python::rules::variant_argument::Variants;
use crate::search::Limits;
use crate::self_play::{Progress, Samples, SelfPlay, SelfPlayConfig};
use crate::vector::{Dtype, Format};

/// The native part of `mijnlieff.SelfPlay`, which documents the settings.
///
/// It serves one thread at a time; RuntimeError tells a second one.
#[pyclass(name = "SelfPlayGames", module = "mijnlieff._mijnlieff", frozen)]
pub(crate) struct PySelfPlayGames {
    core: Mutex<SelfPlay>,
    /// The progress of the core, which can be read while another thread plays. Whoever locks it also
    /// holds the GIL, and for a moment only.
    progress: Mutex<Progress>,
    variants: Arc<VariantSet>,
    /// The settings of its searches.
    #[pyo3(get)]
    options: PySearchOptions,
    /// Set by `stop` and by Ctrl-C.
    stop: AtomicBool,
}

#[pymethods]
impl PySelfPlayGames {
    #[new]
    #[pyo3(signature = (
        variants, options, *, canvas, num_games, random_plies, solve_book_roots, solved_temperature,
        observation, dtype: "DTypeLike", seed, num_threads, tablebase, **changes: "Any"
    ))]
    #[allow(clippy::too_many_arguments)] // they are keywords in Python
    fn new(
        py: Python<'_>,
        variants: Variants,
        options: Option<Options<'_>>,
        canvas: Option<PyCanvas>,
        num_games: NumGames,
        random_plies: RandomPlies,
        solve_book_roots: bool,
        solved_temperature: SolvedTemperature,
        observation: Layout,
        dtype: &Bound<'_, PyAny>,
        seed: Seed,
        num_threads: Option<Threads>,
        tablebase: Option<&Bound<'_, PyTablebase>>,
        changes: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let variants = Arc::new(variant_set(variants, canvas)?);
        variants.check(observation)?;
        let options = options_with(py, options, changes)?;
        let config = SelfPlayConfig {
            num_games: num_games.0,
            random_plies: random_plies.0,
            format: Format {
                layout: observation,
                dtype: Dtype::parse(dtype)?,
            },
            solve_book_roots,
            solved_temperature: solved_temperature.0 as f32,
            tree: options.tree(seed.0),
        };
        let tablebase = tablebase.map(Bound::get);
        let solvers = solvers_of(py, variants.all(), tablebase, config.solves())?;
        let num_threads = Threads::or_cores(num_threads);
        Ok(Self {
            core: Mutex::new(SelfPlay::new(&variants, config, solvers, num_threads)),
            progress: Mutex::default(),
            variants,
            options,
            stop: AtomicBool::new(false),
        })
    }

    /// Play the next games.
    fn play<'py>(
        &self,
        py: Python<'py>,
        network: &Bound<'py, PyNetwork>,
        games: Games,
    ) -> PyResult<PySelfPlaySamples> {
        let boards = network.get().0.on(py, self.variants.all())?;
        self.run(py, |core, limits| core.play(&boards[..], games.0, limits))
    }

    /// Play the next games until they have this many samples.
    fn play_samples<'py>(
        &self,
        py: Python<'py>,
        network: &Bound<'py, PyNetwork>,
        samples: NumSamples,
    ) -> PyResult<PySelfPlaySamples> {
        let boards = network.get().0.on(py, self.variants.all())?;
        self.run(py, |core, limits| {
            core.play_samples(&boards[..], samples.0, limits)
        })
    }

    /// End the call that plays, or else the next one.
    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The games and the samples of all calls that have returned.
    #[getter]
    fn progress(&self, py: Python<'_>) -> (u64, u64) {
        let progress = *self.shown_progress(py);
        (progress.games, progress.samples)
    }

    /// Go on after this many games with this many samples.
    fn resume(&self, py: Python<'_>, games: u64, samples: u64) -> PyResult<()> {
        let mut core = self.lock()?;
        core.resume(Progress { games, samples })?;
        *self.shown_progress(py) = core.progress();
        Ok(())
    }
}

impl PySelfPlayGames {
    /// The games, unless another thread plays.
    fn lock(&self) -> PyResult<MutexGuard<'_, SelfPlay>> {
        match self.core.try_lock() {
            Ok(core) => Ok(core),
            Err(TryLockError::Poisoned(core)) => Ok(core.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "another thread plays these games; wait for it, or make a SelfPlay for each \
                 thread, with its own seed",
            )),
        }
    }

    fn shown_progress(&self, _py: Python<'_>) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run<E: Into<PyErr> + Send>(
        &self,
        py: Python<'_>,
        play: impl FnOnce(&mut SelfPlay, Limits<'_>) -> Result<Samples, E> + Send,
    ) -> PyResult<PySelfPlaySamples> {
        let mut guard = self.lock()?;
        let core = &mut *guard;
        let before = core.progress();
        let limits = Limits::stopped_by(&self.stop);
        let played = run_until(py, &self.stop, || play(core, limits));
        self.stop.store(false, Ordering::Relaxed);
        if played.is_err() {
            // The games may have ended just before Ctrl-C; then their samples are lost, and the next
            // call plays them again.
            core.resume(before)?;
        }
        let samples = played?.map_err(Into::into)?;
        let samples = PySelfPlaySamples::of(py, &self.variants, samples);
        *self.shown_progress(py) = core.progress();
        Ok(samples)
    }
}
