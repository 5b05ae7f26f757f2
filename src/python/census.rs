//! What `mijnlieff.Tablebase.census` returns.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::python::convert::arrays::{AnyArray, Array1, shaped};
use crate::tablebase::{Census, CensusPosition, Facts, PlyCensus};

/// The counts as arrays by name.
pub(super) fn arrays<'py>(
    py: Python<'py>,
    census: &Census,
    with_facts: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let found = Found { py, census };
    let arrays = PyDict::new(py);
    arrays.set_item("margins", found.rows(|ply| ply.margins.to_vec()))?;
    arrays.set_item("as_they_are", found.counts(|ply| ply.as_they_are))?;
    if !with_facts {
        return Ok(arrays);
    }
    arrays.set_item("passes", found.counts(|ply| ply.facts.passes))?;
    arrays.set_item("can_block", found.counts(|ply| ply.facts.can_block))?;
    arrays.set_item("block_decides", found.counts(|ply| ply.facts.block_decides))?;
    arrays.set_item("single_saving", found.counts(|ply| ply.facts.single_saving))?;
    arrays.set_item("actions", found.counts(|ply| ply.facts.actions))?;
    arrays.set_item("swings", found.rows(|ply| ply.facts.swings.to_vec()))?;
    arrays.set_item("best_share", found.means(|facts| facts.best_share))?;
    arrays.set_item("kept_share", found.means(|facts| facts.kept_share))?;
    arrays.set_item("regret", found.means(|facts| facts.regret))?;
    arrays.set_item("outcome_regret", found.means(|facts| facts.outcome_regret))?;
    arrays.set_item("hardest", found.rows(|ply| numbers(ply.facts.hardest)))?;
    arrays.set_item("widest", found.rows(|ply| numbers(ply.facts.widest)))?;
    arrays.set_item("forced", Array1::from_vec(py, signed(&census.forced)))?;
    let most_forced = signed(&numbers(census.most_forced));
    arrays.set_item("most_forced", Array1::from_vec(py, most_forced))?;
    let exchanges = census.exchanges.as_flattened().iter();
    let exchanges = exchanges.map(|exchange| exchange.points as f64 / exchange.positions as f64);
    arrays.set_item("exchanges", shaped(py, exchanges.collect(), (4, 4)))?;
    Ok(arrays)
}

struct Found<'py, 'a> {
    py: Python<'py>,
    census: &'a Census,
}

impl Found<'_, '_> {
    fn counts(&self, count: impl Fn(&PlyCensus) -> u64) -> Array1<i64> {
        let counts: Vec<u64> = self.census.plies.iter().map(count).collect();
        Array1::from_vec(self.py, signed(&counts))
    }

    fn rows(&self, row: impl Fn(&PlyCensus) -> Vec<u64>) -> AnyArray {
        let rows: Vec<Vec<u64>> = self.census.plies.iter().map(row).collect();
        let shape = (rows.len(), rows[0].len());
        shaped(self.py, signed(&rows.concat()), shape).into_any()
    }

    /// A sum over the positions of each ply, as a mean.
    fn means(&self, sum: impl Fn(&Facts) -> f64) -> Array1<f64> {
        let plies = self.census.plies.iter();
        let means = plies.map(|ply| sum(&ply.facts) / ply.margins.iter().sum::<u64>() as f64);
        Array1::from_vec(self.py, means.collect())
    }
}

fn signed(counts: &[u64]) -> Vec<i64> {
    counts.iter().map(|&count| count as i64).collect()
}

fn numbers(position: CensusPosition) -> Vec<u64> {
    vec![
        position.number.into(),
        position.own.into(),
        position.opp.into(),
        position.allowed.into(),
        (position.hands & 0xff).into(),
        (position.hands >> 16).into(),
    ]
}
