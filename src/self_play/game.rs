//! One game, from its opening to its end.

use std::sync::Arc;

use rand::Rng;

use super::config::SelfPlayConfig;
use crate::elementary::exp;
use crate::encode::{action_of, move_of, num_actions};
use crate::game::{Move, Position, Variant};
use crate::memory::make_room;
use crate::random::{Draw, SplitMix64};
use crate::search::solver::{NO_MARGIN, Solver};
use crate::search::{Halt, Limits};

/// Named in the error if there is not enough memory.
pub(super) const GAMES: &str = "the games of self-play";

/// A game and its decisions so far.
#[derive(Debug)]
pub(super) struct Game {
    pub(super) number: u64,
    /// The index of its variant.
    pub(super) variant: usize,
    pub(super) position: Position,
    /// The seed of its tree.
    pub(super) tree_seed: u64,
    pub(super) decisions: Vec<Decision>,
    /// The policy targets of the decisions, `num_actions` each.
    pub(super) policies: Vec<f32>,
    /// The exact margins of all actions where play strays from the best, `num_actions` each, or
    /// [`NO_MARGIN`].
    pub(super) action_margins: Vec<i16>,
    /// How far play strays from the best actions of solved roots, in points.
    temperature: f64,
    rng: SplitMix64,
}

/// A position in which an action was chosen.
#[derive(Debug)]
pub(super) struct Decision {
    pub(super) position: Position,
    /// The value of the root, for the side to move.
    pub(super) value: f32,
    /// Its exact margin for the side to move, if it was solved.
    pub(super) margin: Option<i32>,
}

/// The rules that a game is played by.
#[derive(Clone, Copy)]
pub(super) struct GameContext<'a> {
    pub(super) variant: &'a Variant,
    pub(super) config: &'a SelfPlayConfig,
    pub(super) solver: Option<&'a Arc<Solver>>,
    pub(super) limits: Limits<'a>,
}

/// The stream of the game of this number, and the index of its variant; with one variant, nothing is
/// drawn.
pub(super) fn stream_of(seed: u64, number: u64, variants: usize) -> (SplitMix64, usize) {
    let mut rng = SplitMix64::stream(seed, number);
    let variant = if variants > 1 {
        rng.below(variants as u64) as usize
    } else {
        0
    };
    (rng, variant)
}

impl Game {
    /// The game of this number after its random plies, none of which ends it.
    pub(super) fn start(context: GameContext<'_>, variants: usize, number: u64) -> Self {
        let GameContext {
            variant, config, ..
        } = context;
        let (mut rng, index) = stream_of(config.tree.seed, number, variants);
        let tree_seed = rng.next_u64();
        let mut position = Position::new(variant);
        for _ in 0..rng.below(config.random_plies as u64 + 1) {
            let moves = position.legal_moves(variant);
            let mv = moves[rng.below(moves.len() as u64) as usize];
            let next = position.play_unchecked(variant, mv);
            if next.is_over(variant) {
                break;
            }
            position = next;
        }
        let most = f64::from(config.solved_temperature);
        let temperature = if most > 0.0 { most * rng.unit() } else { 0.0 };
        Self {
            number,
            variant: index,
            position,
            tree_seed,
            decisions: Vec::new(),
            policies: Vec::new(),
            action_margins: Vec::new(),
            temperature,
            rng,
        }
    }

    pub(super) fn num_samples(&self) -> usize {
        self.decisions.len()
    }

    /// Plays forced passes and solves roots until a search is needed or the game is over; returns
    /// whether a search is needed.
    pub(super) fn play_on(&mut self, context: GameContext<'_>) -> Result<bool, Halt> {
        let variant = context.variant;
        while !self.position.is_over(variant) {
            if self.position.must_pass(variant) {
                self.position = self.position.play_unchecked(variant, Move::Pass);
                continue;
            }
            match context.solver {
                Some(solver) if self.is_solved(context, solver) => {
                    self.play_solved(context, solver)?;
                }
                _ => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Whether the root is solved and not searched.
    fn is_solved(&self, context: GameContext<'_>, solver: &Solver) -> bool {
        let config = context.config;
        let stones = self.position.occupied().len();
        context.variant.board().num_cells() - stones <= config.tree.solve_roots_below
            || (config.solve_book_roots && solver.knows_moves(&self.position))
    }

    /// Solves the position and plays one of its best actions, or strays from them.
    fn play_solved(&mut self, context: GameContext<'_>, solver: &Solver) -> Result<(), Halt> {
        let GameContext {
            variant,
            config,
            limits,
            ..
        } = context;
        let position = self.position;
        let solve = || {
            let solution = solver.solve(&position, limits);
            solution.map_err(|unsolved| unsolved.halt)
        };
        let value_of = |margin| config.tree.value(margin);
        let strays = self.temperature > 0.0;
        // The moves that may be played, and how they end; others are not needed.
        let (margin, moves) = if strays {
            let solution = solve()?;
            (solution.margin, solution.moves)
        } else {
            let margin = solver.margin(&position, limits);
            let margin = margin.map_err(|(halt, _)| halt)?;
            // Actions are compared as in a search, for which some margins are equal.
            let [less, value, more] = [margin - 1, margin, margin + 1].map(value_of);
            let moves = if less < value && value < more {
                let best = solver.best_moves(&position, limits)?;
                best.iter().map(|mv| (mv, margin)).collect()
            } else {
                solve()?.moves
            };
            (margin, moves)
        };
        let value = value_of(margin);
        let best = moves.iter().filter(|&&(_, other)| value_of(other) >= value);
        let best: Vec<Move> = best.map(|&(mv, _)| mv).collect();
        self.make_room(variant)?;
        let row = self.decide(variant, value, Some(margin));
        for &mv in &best {
            row[action_of(variant, mv)] = 1.0 / best.len() as f32;
        }
        let chosen = if strays {
            let first = self.action_margins.len() - num_actions(variant);
            for &(mv, margin) in &moves {
                self.action_margins[first + action_of(variant, mv)] = margin as i16;
            }
            self.draw_by_margin(&moves, margin)
        } else {
            best[self.rng.below(best.len() as u64) as usize]
        };
        self.position = self.position.play_unchecked(variant, chosen);
        Ok(())
    }

    /// A move, with probabilities `softmax(margins / temperature)`.
    fn draw_by_margin(&mut self, moves: &[(Move, i32)], best: i32) -> Move {
        let unit = self.rng.unit();
        let weight = |margin: i32| exp(f64::from(margin - best) / self.temperature);
        let total: f64 = moves.iter().map(|&(_, margin)| weight(margin)).sum();
        let drawn = unit * total;
        let mut below = 0.0;
        let chosen = moves.iter().find(|&&(_, margin)| {
            below += weight(margin);
            drawn < below
        });
        // The last, if rounding makes the sum of all a little less than the total.
        chosen
            .or(moves.last())
            .expect("a live position has a move")
            .0
    }

    /// Plays the action that a search has chosen.
    pub(super) fn play_searched(
        &mut self,
        variant: &Variant,
        action: usize,
        value: f32,
        policy: &[f32],
    ) -> Result<(), Halt> {
        self.make_room(variant)?;
        self.decide(variant, value, None).copy_from_slice(policy);
        let mv = move_of(variant, action).expect("a search chooses legal actions");
        self.position = self.position.play_unchecked(variant, mv);
        Ok(())
    }

    fn make_room(&mut self, variant: &Variant) -> Result<(), Halt> {
        make_room(&mut self.decisions, GAMES, 1)?;
        make_room(&mut self.policies, GAMES, num_actions(variant))?;
        Ok(make_room(
            &mut self.action_margins,
            GAMES,
            num_actions(variant),
        )?)
    }

    /// Adds a decision, for which there must be room; returns the row of its policy.
    fn decide(&mut self, variant: &Variant, value: f32, margin: Option<i32>) -> &mut [f32] {
        self.decisions.push(Decision {
            position: self.position,
            value,
            margin,
        });
        let start = self.policies.len();
        self.action_margins
            .resize(start + num_actions(variant), NO_MARGIN);
        self.policies.resize(start + num_actions(variant), 0.0);
        &mut self.policies[start..]
    }

    /// The margins to learn, for the side to move of each decision, the last first: exact ones, and
    /// between them that of the next solved decision or of the end of the game.
    pub(super) fn margins(&self, variant: &Variant) -> impl Iterator<Item = i32> {
        let mut light = self.position.margin(variant);
        self.decisions.iter().rev().map(move |decision| {
            let sign = decision.position.side_to_move().sign();
            light = decision.margin.map_or(light, |margin| sign * margin);
            sign * light
        })
    }
}
