//! The settings of tree searches, checked.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::game::shortened;
use crate::tree_search::Root;

/// The settings of both roots; those of the other root are checked too.
pub(crate) struct RootSettings {
    pub(crate) c_puct: f32,
    pub(crate) max_considered: usize,
    pub(crate) c_visit: f32,
    pub(crate) c_scale: f32,
    pub(crate) dirichlet_alpha: f32,
    pub(crate) dirichlet_share: f32,
}

impl RootSettings {
    /// The root of this name.
    ///
    /// # Errors
    ///
    /// `ValueError` for an unknown name or a setting out of range.
    pub(crate) fn root(&self, name: &str) -> PyResult<Root> {
        let Self {
            c_puct,
            max_considered,
            c_visit,
            c_scale,
            dirichlet_alpha,
            dirichlet_share,
        } = *self;
        check_number("c_puct", c_puct, 0.0, f32::MAX)?;
        check_number("c_visit", c_visit, 0.0, f32::MAX)?;
        check_number("c_scale", c_scale, 0.0, f32::MAX)?;
        let least = f32::MIN_POSITIVE;
        check_number("dirichlet_alpha", dirichlet_alpha, least, f32::MAX)?;
        check_number("dirichlet_share", dirichlet_share, 0.0, 1.0)?;
        match name {
            "puct" => Ok(Root::Puct {
                c_puct,
                dirichlet_share,
                dirichlet_alpha,
            }),
            "gumbel" => Ok(Root::Gumbel {
                max_considered,
                c_visit,
                c_scale,
            }),
            _ => {
                let name = shortened(name);
                let message = format!("unknown root {name:?}; choose gumbel or puct");
                Err(PyValueError::new_err(message))
            }
        }
    }
}

/// A number in a range; `f32::MAX` stands for all finite numbers.
///
/// # Errors
///
/// `ValueError` for others.
#[allow(clippy::float_cmp)] // a marker, not the result of a calculation
pub(crate) fn check_number(name: &str, number: f32, least: f32, most: f32) -> PyResult<()> {
    if (least..=most).contains(&number) {
        return Ok(());
    }
    let range = if most == f32::MAX {
        format!("a finite number from {least}")
    } else {
        format!("from {least} to {most}")
    };
    Err(PyValueError::new_err(format!(
        "{name} must be {range}, not {number:?}"
    )))
}
