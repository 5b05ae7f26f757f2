//! The `NumPy` arrays that a batch environment writes into and hands out.

use numpy::{Element, PyArray, PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::arrays::Dtype;
use crate::encode::{Layout, num_actions};
use crate::game::Variant;
use crate::vector::{BatchEnv, Buffers, Observations, View};

/// What observations look like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    pub(super) layout: Layout,
    pub(super) dtype: Dtype,
}

/// An array of observations in one of the number types.
enum ObservationArray {
    Float32(Py<PyArrayDyn<f32>>),
    Uint8(Py<PyArrayDyn<u8>>),
    Packed(Py<PyArrayDyn<u64>>),
}

impl ObservationArray {
    fn new(py: Python<'_>, variant: &Variant, format: Format, rows: Option<usize>) -> Self {
        let mut shape: Vec<usize> = rows.into_iter().collect();
        shape.extend(format.layout.shape(variant));
        match (format.layout, format.dtype) {
            (Layout::Packed, _) => Self::Packed(zeros(py, &shape)),
            (_, Dtype::Float32) => Self::Float32(zeros(py, &shape)),
            (_, Dtype::Uint8) => Self::Uint8(zeros(py, &shape)),
        }
    }

    fn object<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        match self {
            Self::Float32(array) => array.bind(py).as_any(),
            Self::Uint8(array) => array.bind(py).as_any(),
            Self::Packed(array) => array.bind(py).as_any(),
        }
    }

    fn memory<'a>(&'a mut self, py: Python<'a>, layout: Layout) -> Observations<'a> {
        match self {
            Self::Float32(array) => Observations::Float32(layout, numbers(array.bind(py))),
            Self::Uint8(array) => Observations::Uint8(layout, numbers(array.bind(py))),
            Self::Packed(array) => Observations::Packed(numbers(array.bind(py))),
        }
    }
}

/// One array of each kind that every step returns.
pub(super) struct Outputs {
    layout: Layout,
    observations: ObservationArray,
    action_mask: Py<PyArrayDyn<i8>>,
    to_play: Py<PyArrayDyn<i8>>,
    rewards: Py<PyArrayDyn<f32>>,
    terminations: Py<PyArrayDyn<bool>>,
    truncations: Py<PyArrayDyn<bool>>,
}

impl Outputs {
    pub(super) fn new(py: Python<'_>, variant: &Variant, format: Format, rows: usize) -> Self {
        Self {
            layout: format.layout,
            observations: ObservationArray::new(py, variant, format, Some(rows)),
            action_mask: zeros(py, &[rows, num_actions(variant)]),
            to_play: zeros(py, &[rows]),
            rewards: zeros(py, &[rows]),
            terminations: zeros(py, &[rows]),
            truncations: zeros(py, &[rows]),
        }
    }

    /// Whether nobody else can see these arrays any more.
    ///
    /// Whoever uses an array, a view of it, its buffer or a tensor on its memory holds a reference.
    pub(super) fn is_free(&self, py: Python<'_>) -> bool {
        let arrays = [
            self.observations.object(py),
            self.action_mask.bind(py).as_any(),
            self.to_play.bind(py).as_any(),
            self.rewards.bind(py).as_any(),
            self.terminations.bind(py).as_any(),
            self.truncations.bind(py).as_any(),
        ];
        arrays.into_iter().all(|array| {
            // SAFETY: `array` is a live object, and we hold the GIL.
            unsafe { pyo3::ffi::Py_REFCNT(array.as_ptr()) == 1 }
        })
    }

    /// The memory of what the agent sees.
    pub(super) fn view<'a>(&'a mut self, py: Python<'a>) -> View<'a> {
        View {
            observations: self.observations.memory(py, self.layout),
            action_mask: numbers(self.action_mask.bind(py)),
            to_play: numbers(self.to_play.bind(py)),
        }
    }

    /// The memory of what a step returns.
    pub(super) fn buffers<'a>(&'a mut self, py: Python<'a>) -> Buffers<'a> {
        Buffers {
            rewards: numbers(self.rewards.bind(py)),
            terminations: numbers(self.terminations.bind(py)),
            view: View {
                observations: self.observations.memory(py, self.layout),
                action_mask: numbers(self.action_mask.bind(py)),
                to_play: numbers(self.to_play.bind(py)),
            },
        }
    }

    /// What `reset` returns.
    pub(super) fn reset_result<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (self.observations.object(py), self.info(py)?).into_pyobject(py)
    }

    /// What `step` returns.
    pub(super) fn step_result<'py>(
        &self,
        py: Python<'py>,
        info: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let results = (
            self.observations.object(py),
            self.rewards.bind(py),
            self.terminations.bind(py),
            self.truncations.bind(py),
            info,
        );
        results.into_pyobject(py)
    }

    /// The part of `info` that is always there.
    pub(super) fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let info = PyDict::new(py);
        info.set_item(pyo3::intern!(py, "action_mask"), self.action_mask.bind(py))?;
        info.set_item(pyo3::intern!(py, "to_play"), self.to_play.bind(py))?;
        Ok(info)
    }
}

/// What `info` says about games that ended, laid out as Gymnasium does: an array for all games, and
/// under the same name with an underscore the mask of the games it is about.
pub(super) struct EndInfo<'a> {
    pub(super) core: &'a BatchEnv,
    pub(super) format: Format,
    /// Whether `illegal` tells about illegal actions.
    pub(super) illegal: bool,
    /// Whether the observation returned is already that of the next game.
    pub(super) same_step: bool,
}

impl EndInfo<'_> {
    pub(super) fn add_to(&self, info: &Bound<'_, PyDict>) -> PyResult<()> {
        let py = info.py();
        let rows = self.core.num_envs();
        let mut ended = vec![false; rows];
        let mut score = vec![0_i16; 2 * rows];
        let mut winner = vec![-1_i8; rows];
        let mut illegal = vec![false; rows];
        for ending in self.core.endings() {
            let game = ending.game;
            ended[game] = true;
            score[2 * game] = ending.score[0] as i16;
            score[2 * game + 1] = ending.score[1] as i16;
            winner[game] = ending.winner.map_or(-1, |player| player.index() as i8);
            illegal[game] = ending.illegal;
        }
        let ended = PyArray1::from_vec(py, ended);
        let score = PyArray1::from_vec(py, score).reshape([rows, 2])?;
        let winner = PyArray1::from_vec(py, winner);
        let illegal = PyArray1::from_vec(py, illegal);
        let tell = |info: &Bound<'_, PyDict>| {
            info.set_item(pyo3::intern!(py, "score"), &score)?;
            info.set_item(pyo3::intern!(py, "_score"), &ended)?;
            info.set_item(pyo3::intern!(py, "winner"), &winner)?;
            info.set_item(pyo3::intern!(py, "_winner"), &ended)?;
            if self.illegal {
                info.set_item(pyo3::intern!(py, "illegal"), &illegal)?;
                info.set_item(pyo3::intern!(py, "_illegal"), &ended)?;
            }
            Ok::<(), PyErr>(())
        };
        tell(info)?;
        if self.same_step {
            info.set_item(pyo3::intern!(py, "final_obs"), self.final_observations(py))?;
            info.set_item(pyo3::intern!(py, "_final_obs"), &ended)?;
            let last = PyDict::new(py);
            tell(&last)?;
            info.set_item(pyo3::intern!(py, "final_info"), last)?;
            info.set_item(pyo3::intern!(py, "_final_info"), &ended)?;
        }
        Ok(())
    }

    /// An object array with the last observation of every game that ended, and None elsewhere.
    fn final_observations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<Py<PyAny>>> {
        let rows = self.core.num_envs();
        let mut observations: Vec<Py<PyAny>> = (0..rows).map(|_| py.None()).collect();
        let variant = &self.core.config().variant;
        for (i, ending) in self.core.endings().iter().enumerate() {
            let mut array = ObservationArray::new(py, variant, self.format, None);
            let mut memory = array.memory(py, self.format.layout);
            self.core.write_final(i, &mut memory, 0);
            observations[ending.game] = array.object(py).clone().unbind();
        }
        PyArray1::from_vec(py, observations)
    }
}

fn zeros<T: Element>(py: Python<'_>, shape: &[usize]) -> Py<PyArrayDyn<T>> {
    PyArray::zeros(py, shape, false).unbind()
}

/// The numbers of an array that belongs to an [`Outputs`] or has not been handed out yet.
#[allow(clippy::mut_from_ref)] // as `PyArrayMethods::as_slice_mut`; callers hold `&mut`
fn numbers<'a, T: Element>(array: &'a Bound<'_, PyArrayDyn<T>>) -> &'a mut [T] {
    // SAFETY: We made the array, contiguous and of this type, and it cannot be resized while there
    // is a second reference to it. Each field of `Outputs` is borrowed once at a time, through `&mut`.
    // Python code that looks at the environment's own arrays from another thread in the middle of
    // a step sees old and new numbers mixed, as with any NumPy array that two threads share.
    unsafe { array.as_slice_mut() }.expect("our arrays are contiguous")
}
