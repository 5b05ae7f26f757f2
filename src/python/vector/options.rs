//! The options of a batch environment as the core takes them.

use pyo3::prelude::*;

use crate::encode::VariantSet;
use crate::python::convert::lists::Listed;
use crate::python::players::policy::PyBuiltinPolicy;
use crate::vector::{Opponent, Seeds};

/// A seed for the first game, the others counting up, or one for each game.
#[derive(FromPyObject)]
pub(super) enum PySeeds {
    From(u64),
    Each(Listed<Option<u64>>),
}

impl PySeeds {
    pub(super) fn core(seeds: Option<&Self>) -> Seeds<'_> {
        match seeds {
            None => Seeds::Keep,
            Some(Self::From(seed)) => Seeds::From(*seed),
            Some(Self::Each(seeds)) => Seeds::Each(&seeds.0),
        }
    }
}

/// A built-in policy plays inside the step; any other object is asked by the caller.
pub(super) fn parse_opponent(
    opponent: Option<&Bound<'_, PyAny>>,
    variants: &VariantSet,
) -> PyResult<Opponent> {
    let Some(policy) = opponent else {
        return Ok(Opponent::SelfPlay);
    };
    let Ok(native) = policy.cast::<PyBuiltinPolicy>() else {
        return Ok(Opponent::Outside);
    };
    let policy = native.get().core(policy.py(), variants.all())?;
    Ok(Opponent::Policy(policy))
}
