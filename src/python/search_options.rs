//! `mijnlieff.SearchOptions`: the settings of tree searches, their defaults and their checks.

use pyo3::Borrowed;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::names::shortened;
use crate::python::convert::floats::{
    CPuct, CScale, CVisit, DirichletAlpha, DirichletShare, MarginWeight, Temperature,
};
use crate::python::convert::integers::{
    MaxConsidered, NumSimulations, SolveLeavesBelow, SolveRootsBelow,
};
use crate::python::convert::shown::{Word, argument, type_texts};
use crate::python::convert::text::Text;
use crate::tree_search::{Backup, Root, TreeConfig};

type_texts! {
    RootName: "Literal['gumbel', 'puct']";
    BackupName: "Literal['mean', 'policy']";
}

/// The settings in the order of the constructor.
const NAMES: [&str; 13] = [
    "num_simulations",
    "root",
    "c_puct",
    "temperature",
    "max_considered",
    "c_visit",
    "c_scale",
    "backup",
    "dirichlet_alpha",
    "dirichlet_share",
    "margin_weight",
    "solve_roots_below",
    "solve_leaves_below",
];

/// How a tree search works; `TreeSearch`, `SelfPlay` and policies that search take it.
///
/// It is immutable, equal when all settings are, and can be pickled. The settings of the root that
/// is not used are checked too, and have no effect.
///
/// ``root="gumbel"`` samples `max_considered` actions without replacement, visits them by
/// sequential halving, and follows the improved policy below the root (Danihelka et al. 2022,
/// "Policy improvement by planning with Gumbel"; values are weighed as they are, not rescaled).
/// ``root="puct"`` follows upper confidence bounds weighted by the policy everywhere (Silver et al.
/// 2017); an action without visits counts with the value of its node so far. Neither tries actions
/// whose logit is -inf, and no noise changes that.
///
/// Args:
///     num_simulations: of each search, the evaluation of the root not counted.
///     root: ``"gumbel"`` or ``"puct"``.
///     c_puct: weight of the policy against the values, for PUCT.
///     temperature: 0 chooses the best action. Gumbel: scale of the noise at the root. PUCT:
///         actions are drawn in proportion to visits to the power of 1 over this.
///     max_considered: actions that Gumbel samples at the root, 1 to 1024.
///     c_visit: Gumbel's values weigh ``(c_visit + most visits) * c_scale``.
///     c_scale: see `c_visit`.
///     backup: how Gumbel's values of simulations make up those of the positions above. ``"mean"``:
///         as their mean, so that actions count by their visits. ``"policy"``: actions with visits
///         count by the improved policy, so what was only tried out costs a position nothing. The
///         network's own value counts as one more visit.
///     dirichlet_alpha: concentration of the noise in the root's policy, for PUCT.
///     dirichlet_share: share of that noise in the root's policy, 0 to 1, for PUCT.
///     margin_weight: the value of a finished game is ``(1 - w) * outcome + w * margin / 8``, the
///         last term limited to -1 and 1. So is that of a leaf for which the network gives an
///         outcome and a margin. If it gives one value, that should be of the same kind: 0 suits
///         one that predicts the outcome alone.
///     solve_roots_below: roots with at most this many empty cells are solved exactly and not
///         searched; 0 solves none.
///     solve_leaves_below: the same for positions below the root, which then need no network.
///
/// Raises:
///     ValueError: a setting out of range.
///     TypeError: a setting of another type.
#[pyclass(name = "SearchOptions", module = "mijnlieff", frozen, eq, get_all)]
#[derive(Clone, PartialEq)]
#[pyo3(from_py_object)]
pub(crate) struct PySearchOptions {
    /// Simulations of each search.
    num_simulations: usize,
    /// ``"gumbel"`` or ``"puct"``.
    root: Word<RootName>,
    /// Weight of the policy against the values, for PUCT.
    c_puct: f64,
    /// How random the choice of an action is.
    temperature: f64,
    /// Actions that Gumbel samples at the root.
    max_considered: usize,
    /// Added to the most visits in the weight of Gumbel's values.
    c_visit: f64,
    /// Weight of Gumbel's values against the logits.
    c_scale: f64,
    /// How Gumbel's values of simulations make up those of the positions above.
    backup: Word<BackupName>,
    /// Concentration of the noise in the root's policy, for PUCT.
    dirichlet_alpha: f64,
    /// Share of that noise in the root's policy, for PUCT.
    dirichlet_share: f64,
    /// Share of the margin, as opposed to the outcome, in the value of a position.
    margin_weight: f64,
    /// The most empty cells of roots that are solved.
    solve_roots_below: usize,
    /// The most empty cells of positions below the root that are solved.
    solve_leaves_below: usize,
}

#[pymethods]
impl PySearchOptions {
    #[new]
    #[pyo3(signature = (
        num_simulations: "SupportsIndex" = 64, root: "str" = "gumbel", *,
        c_puct: "SupportsFloat | SupportsIndex" = 1.5, temperature: "SupportsFloat | SupportsIndex" = 1.0,
        max_considered: "SupportsIndex" = 16, c_visit: "SupportsFloat | SupportsIndex" = 50.0,
        c_scale: "SupportsFloat | SupportsIndex" = 0.5, backup: "str" = "mean",
        dirichlet_alpha: "SupportsFloat | SupportsIndex" = 0.5,
        dirichlet_share: "SupportsFloat | SupportsIndex" = 0.0,
        margin_weight: "SupportsFloat | SupportsIndex" = 0.5,
        solve_roots_below: "SupportsIndex" = 0, solve_leaves_below: "SupportsIndex" = 0
    ))]
    #[allow(clippy::too_many_arguments)] // they are keywords in Python
    fn new(
        #[pyo3(from_py_with = NumSimulations::number)] num_simulations: usize,
        #[pyo3(from_py_with = Text::plain)] root: &str,
        #[pyo3(from_py_with = CPuct::number)] c_puct: f64,
        #[pyo3(from_py_with = Temperature::number)] temperature: f64,
        #[pyo3(from_py_with = MaxConsidered::number)] max_considered: usize,
        #[pyo3(from_py_with = CVisit::number)] c_visit: f64,
        #[pyo3(from_py_with = CScale::number)] c_scale: f64,
        #[pyo3(from_py_with = Text::plain)] backup: &str,
        #[pyo3(from_py_with = DirichletAlpha::number)] dirichlet_alpha: f64,
        #[pyo3(from_py_with = DirichletShare::number)] dirichlet_share: f64,
        #[pyo3(from_py_with = MarginWeight::number)] margin_weight: f64,
        #[pyo3(from_py_with = SolveRootsBelow::number)] solve_roots_below: usize,
        #[pyo3(from_py_with = SolveLeavesBelow::number)] solve_leaves_below: usize,
    ) -> PyResult<Self> {
        Ok(Self {
            num_simulations,
            root: one_of("root", root, ["gumbel", "puct"])?.into(),
            c_puct,
            temperature,
            max_considered,
            c_visit,
            c_scale,
            backup: one_of("backup", backup, ["mean", "policy"])?.into(),
            dirichlet_alpha,
            dirichlet_share,
            margin_weight,
            solve_roots_below,
            solve_leaves_below,
        })
    }

    /// The same options but for some.
    ///
    /// Args:
    ///     changes: new values by name.
    ///
    /// Raises:
    ///     ValueError: as in the class.
    ///     TypeError: as in the class, or an option that does not exist.
    #[pyo3(signature = (**changes: "Any"))]
    fn replace(slf: &Bound<'_, Self>, changes: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let Some(changes) = changes else {
            return Ok(slf.get().clone());
        };
        let settings = Self::settings(slf)?;
        settings.update(changes.as_mapping())?;
        slf.get_type()
            .call((), Some(&settings))?
            .extract()
            .map_err(PyErr::from)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let default = slf.get_type().call0()?;
        let mut shown = Vec::new();
        for (name, value) in Self::settings(slf)? {
            let name: String = name.extract()?;
            let always = ["num_simulations", "root"].contains(&name.as_str());
            if always || !value.eq(default.getattr(&*name)?)? {
                shown.push(format!("{name}={}", value.repr()?));
            }
        }
        Ok(format!("SearchOptions({})", shown.join(", ")))
    }

    fn __hash__(slf: &Bound<'_, Self>) -> PyResult<isize> {
        Self::settings(slf)?.values().to_tuple().hash()
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let py = slf.py();
        // What `object.__reduce_ex__` gives where all arguments are keywords.
        let make = py.import("copyreg")?.getattr("__newobj_ex__")?;
        let made_from = (slf.get_type(), PyTuple::empty(py), Self::settings(slf)?);
        Ok((make, made_from.into_pyobject(py)?.into_any()))
    }
}

impl PySearchOptions {
    /// The simulations of each search.
    pub(crate) fn num_simulations(&self) -> usize {
        self.num_simulations
    }

    /// The name of the root.
    pub(crate) fn root(&self) -> &'static str {
        self.root.0
    }

    /// The searches with trees of this seed and the following.
    pub(crate) fn tree(&self, seed: u64) -> TreeConfig {
        let root = if self.root.0 == "puct" {
            Root::Puct {
                c_puct: self.c_puct as f32,
                dirichlet_share: self.dirichlet_share as f32,
                dirichlet_alpha: self.dirichlet_alpha as f32,
            }
        } else {
            Root::Gumbel {
                max_considered: self.max_considered,
                c_visit: self.c_visit as f32,
                c_scale: self.c_scale as f32,
                backup: if self.backup.0 == "policy" {
                    Backup::Policy
                } else {
                    Backup::Mean
                },
            }
        };
        TreeConfig {
            num_simulations: self.num_simulations,
            root,
            temperature: self.temperature as f32,
            margin_weight: self.margin_weight,
            solve_roots_below: self.solve_roots_below,
            solve_leaves_below: self.solve_leaves_below,
            seed,
        }
    }

    /// The settings by name, as the constructor takes them.
    fn settings<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let settings = PyDict::new(slf.py());
        for name in NAMES {
            settings.set_item(name, slf.getattr(name)?)?;
        }
        Ok(settings)
    }
}

/// The argument `options`: a `SearchOptions`, or the number of simulations.
pub(crate) struct Options<'py>(Bound<'py, PySearchOptions>);

argument!(Options<'py>: "SearchOptions | SupportsIndex" = |given: Borrowed<'_, 'py, PyAny>| {
    if let Ok(options) = given.cast::<PySearchOptions>() {
        return Ok(Self(options.to_owned()));
    }
    let simulations = NumSimulations::number(&given)?;
    let class = given.py().get_type::<PySearchOptions>();
    Ok(Self(class.call1((simulations,))?.cast_into()?))
});

/// The options of a call: those given, or the defaults, with what the keywords change.
///
/// # Errors
///
/// `ValueError` and `TypeError` as `SearchOptions.replace`.
pub(crate) fn options_with(
    py: Python<'_>,
    options: Option<Options<'_>>,
    changes: Option<&Bound<'_, PyDict>>,
) -> PyResult<PySearchOptions> {
    match options {
        Some(Options(options)) => PySearchOptions::replace(&options, changes),
        None => Ok(py
            .get_type::<PySearchOptions>()
            .call((), changes)?
            .extract()?),
    }
}

/// The name that was given, of two that an argument may have.
///
/// # Errors
///
/// `ValueError` for another.
fn one_of(argument: &str, given: &str, names: [&'static str; 2]) -> PyResult<&'static str> {
    let found = names.into_iter().find(|&name| name == given);
    found.ok_or_else(|| {
        let (given, [first, second]) = (shortened(given), names);
        PyValueError::new_err(format!(
            "unknown {argument} {given:?}; choose {first} or {second}"
        ))
    })
}
