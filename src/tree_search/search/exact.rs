//! Positions with an exact value, which need no evaluation.

use std::sync::Arc;

use crate::encode::VariantSet;
use crate::search::solver::Solver;
use crate::search::{Halt, Limits};
use crate::tree_search::config::TreeConfig;
use crate::vector::step::state::GameState;

/// Exact values of positions, from the rules and from solvers if there are any.
pub(crate) struct Exact<'a, S: GameState> {
    pub(crate) rules: &'a S::Rules,
    pub(crate) config: &'a TreeConfig,
    pub(crate) variants: &'a VariantSet,
    /// One for each variant, or none.
    pub(crate) solvers: &'a [Arc<Solver>],
    pub(crate) limits: Limits<'a>,
}

/// A solved root.
#[derive(Clone, Debug)]
pub(crate) struct Solved {
    pub(crate) actions: Vec<usize>,
    /// The value of each of them for the side to move.
    pub(crate) values: Vec<f32>,
}

impl<S: GameState> Exact<'_, S> {
    /// The value of a position for the side to move, if the game is over or few cells are empty.
    ///
    /// # Errors
    ///
    /// When the solver was stopped.
    #[inline(always)]
    pub(crate) fn value(&self, state: &S) -> Result<Option<f32>, Halt> {
        let margin = if state.is_over(self.rules) {
            let score = state.score(self.rules).map(i32::from);
            let own = state.to_play();
            score[own] - score[1 - own]
        } else if let Some(solver) = self.solver_for(state, self.config.solve_leaves_below) {
            let position = state.position(self.rules);
            let margin = solver.margin(&position, self.limits);
            margin.map_err(|(halt, _)| halt)?
        } else {
            return Ok(None);
        };
        Ok(Some(self.config.value(margin)))
    }

    /// Whether [`Exact::solve`] solves a position.
    pub(crate) fn solves(&self, state: &S) -> bool {
        self.solver_for(state, self.config.solve_roots_below)
            .is_some()
    }

    /// The values of all actions of a position for the side to move, if few cells are empty.
    ///
    /// # Errors
    ///
    /// When the solver was stopped.
    pub(crate) fn solve(&self, state: &S) -> Result<Option<Solved>, Halt> {
        let Some(solver) = self.solver_for(state, self.config.solve_roots_below) else {
            return Ok(None);
        };
        let position = state.position(self.rules);
        let solution = solver.solve(&position, self.limits);
        let moves = solution.map_err(|unsolved| unsolved.halt)?.moves;
        let numbering = self.variants.of(state.variant());
        Ok(Some(Solved {
            actions: moves
                .iter()
                .map(|&(mv, _)| numbering.action_of(mv))
                .collect(),
            values: moves
                .iter()
                .map(|&(_, margin)| self.config.value(margin))
                .collect(),
        }))
    }

    #[inline(always)]
    fn solver_for(&self, state: &S, most_empty: usize) -> Option<&Solver> {
        let solver = self.solvers.get(state.variant())?;
        // A full board, where only passes are left, has no empty cell either.
        let is_due = most_empty > 0 && state.count_empty(self.rules) <= most_empty;
        is_due.then_some(solver)
    }
}
