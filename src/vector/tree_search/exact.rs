//! Positions whose value needs no network.

use super::super::state::State;
use super::tree::Shared;
use crate::encode::action_of;
use crate::game::Variant;
use crate::search::solver::Solver;
use crate::search::{Halt, Limits};

/// What the rules, and a solver where there is one, say about positions.
#[derive(Clone, Copy)]
pub(super) struct Exact<'a> {
    pub(super) variant: &'a Variant,
    pub(super) solver: Option<&'a Solver>,
    pub(super) limits: Limits<'a>,
}

/// A root about which everything is known.
#[derive(Clone, Debug)]
pub(super) struct Solved {
    pub(super) actions: Vec<usize>,
    /// What each of them is worth for the side to move.
    pub(super) values: Vec<f32>,
}

impl Exact<'_> {
    /// What a position is worth for the side to move, if the game is over or few cells are empty.
    ///
    /// # Errors
    ///
    /// When the solver was stopped.
    #[inline(always)]
    pub(super) fn value<S: State>(
        &self,
        shared: &Shared<'_, S>,
        state: &S,
    ) -> Result<Option<f32>, Halt> {
        let margin = if state.is_over(shared.rules) {
            let score = state.score(shared.rules).map(i32::from);
            let own = state.to_play();
            score[own] - score[1 - own]
        } else if let Some(solver) = self.solver_for(shared, state) {
            let position = state.position(shared.rules);
            let margin = solver.margin(&position, self.limits);
            margin.map_err(|(halt, _)| halt)?
        } else {
            return Ok(None);
        };
        Ok(Some(shared.config.value(margin)))
    }

    /// What every action of a position is worth for the side to move, if few cells are empty.
    ///
    /// # Errors
    ///
    /// When the solver was stopped.
    pub(super) fn solve<S: State>(
        &self,
        shared: &Shared<'_, S>,
        state: &S,
    ) -> Result<Option<Solved>, Halt> {
        let Some(solver) = self.solver_for(shared, state) else {
            return Ok(None);
        };
        let position = state.position(shared.rules);
        let solution = solver.solve(&position, self.limits);
        let moves = solution.map_err(|unsolved| unsolved.halt)?.moves;
        Ok(Some(Solved {
            actions: moves
                .iter()
                .map(|&(mv, _)| action_of(self.variant, mv))
                .collect(),
            values: moves
                .iter()
                .map(|&(_, margin)| shared.config.value(margin))
                .collect(),
        }))
    }

    #[inline(always)]
    fn solver_for<S: State>(&self, shared: &Shared<'_, S>, state: &S) -> Option<&Solver> {
        let solver = self.solver?;
        (state.count_empty(shared.rules) <= shared.config.solve_below).then_some(solver)
    }
}
