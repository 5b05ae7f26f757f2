//! The positions of finished games as arrays.

use ndarray::{Array1, Array2};

use super::config::SelfPlayConfig;
use super::game::Game;
use crate::encode::{VariantSet, move_of, num_actions};
use crate::game::Player;
use crate::memory::{zeroed, zeroed_rows};
use crate::search::solver::NO_MARGIN;
use crate::search::{Halt, Limits};
use crate::tree_search::LeafCounts;
use crate::vector::ObservationRows;

/// Named in the error if there is not enough memory.
const SAMPLES: &str = "the samples of self-play";

/// Decisions of games, one in each row: game after game, and in each ply after ply.
///
/// Observations and actions are those of the canvas of the variants, if they have one.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// The positions, from the side to move.
    pub observations: ObservationRows,
    /// 1 for legal actions, `(samples, num_actions)`.
    pub action_masks: Array2<i8>,
    /// The policy to learn, `(samples, num_actions)`; rows sum to 1.
    pub policy_targets: Array2<f32>,
    /// The exact margin after each legal action, for the side to move, `(samples, num_actions)`, where
    /// the root was solved and play strays from the best; elsewhere the smallest number.
    pub action_margins: Array2<i16>,
    /// The value that the search or the solver gives, for the side to move.
    pub root_values: Array1<f32>,
    /// Points for the side to move: exact for a solved root, otherwise those of the next solved root
    /// of the game, or as the game ended if there is none.
    pub margins: Array1<i16>,
    /// Whether the root was solved: then the policy and the margin are exact.
    pub exact: Array1<bool>,
    /// The index of the variant.
    pub variants: Array1<i64>,
    /// Who is to move, 0 for Light and 1 for Dark.
    pub to_play: Array1<i8>,
    /// Plies before the position, random ones and passes included.
    pub plies: Array1<i16>,
    /// The number of the game.
    pub games: Array1<i64>,
    /// The margin of each game, Light's points less Dark's, in the order of the games.
    pub game_margins: Array1<i16>,
    /// The plies of each game, random ones and passes included.
    pub game_plies: Array1<i16>,
    /// The number of the first game, which has the first row of `game_margins` and `game_plies`.
    pub first_game: i64,
    /// How much work was done for them.
    pub statistics: Statistics,
}

/// How much work was done for some samples. Only `leaves` depends on the number of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Games played.
    pub games: usize,
    /// Plies of all games.
    pub plies: usize,
    /// Roots that were searched.
    pub searched_roots: usize,
    /// Roots that were solved.
    pub solved_roots: usize,
    /// Simulations of all searches.
    pub simulations: usize,
    /// The leaves of the searches.
    pub leaves: LeafCounts,
}

impl Samples {
    /// The samples of games that are over, whose numbers follow each other from `first_game` on.
    pub(super) fn of(
        variants: &VariantSet,
        config: &SelfPlayConfig,
        first_game: u64,
        games: &[Game],
        leaves: LeafCounts,
        limits: Limits<'_>,
    ) -> Result<Self, Halt> {
        let rows = games.iter().map(Game::num_samples).sum();
        let width = variants.num_actions();
        let mut samples = Self {
            observations: ObservationRows::zeroed(SAMPLES, variants.of(0), config.format, rows)?,
            action_masks: zeroed_rows(SAMPLES, rows, width)?,
            policy_targets: zeroed_rows(SAMPLES, rows, width)?,
            action_margins: zeroed_rows(SAMPLES, rows, width)?,
            root_values: zeroed(SAMPLES, rows)?.into(),
            margins: zeroed(SAMPLES, rows)?.into(),
            exact: zeroed(SAMPLES, rows)?.into(),
            variants: zeroed(SAMPLES, rows)?.into(),
            to_play: zeroed(SAMPLES, rows)?.into(),
            plies: zeroed(SAMPLES, rows)?.into(),
            games: zeroed(SAMPLES, rows)?.into(),
            game_margins: zeroed(SAMPLES, games.len())?.into(),
            game_plies: zeroed(SAMPLES, games.len())?.into(),
            first_game: first_game as i64,
            statistics: Statistics {
                games: games.len(),
                leaves,
                ..Statistics::default()
            },
        };
        let mut row = 0;
        for (number, game) in games.iter().enumerate() {
            limits.check_stop()?;
            samples.game_margins[number] = game.position.margin(variants.get(game.variant)) as i16;
            samples.game_plies[number] = game.position.ply() as i16;
            samples.statistics.plies += game.position.ply();
            samples.write(variants, game, row);
            row += game.num_samples();
        }
        let solved = samples.exact.iter().filter(|&&exact| exact).count();
        let searched = rows - solved;
        samples.statistics.solved_roots = solved;
        samples.statistics.searched_roots = searched;
        samples.statistics.simulations = searched * config.tree.num_simulations;
        Ok(samples)
    }

    /// Writes the samples of a game into the rows from `first` on.
    fn write(&mut self, variants: &VariantSet, game: &Game, first: usize) {
        let numbering = variants.of(game.variant);
        let variant = numbering.variant();
        let mut observations = self.observations.memory();
        let width = num_actions(variant);
        let policies = game.policies.chunks_exact(width);
        let margins = game.action_margins.chunks_exact(width);
        let answers = policies.zip(margins);
        for (row, (decision, (policy, margins))) in
            (first..).zip(game.decisions.iter().zip(answers))
        {
            let position = &decision.position;
            observations.write(numbering, row, position);
            let mask = self.action_masks.row_mut(row);
            let mask = mask.into_slice().expect("C order");
            numbering.write_mask(position, mask);
            let targets = self.policy_targets.row_mut(row);
            let targets = targets.into_slice().expect("C order");
            let known = self.action_margins.row_mut(row);
            let known = known.into_slice().expect("C order");
            if numbering.canvas().is_none() {
                targets.copy_from_slice(policy);
                known.copy_from_slice(margins);
            } else {
                known.fill(NO_MARGIN);
                for (action, (&share, &margin)) in policy.iter().zip(margins).enumerate() {
                    let mv = move_of(variant, action).expect("actions of the variant");
                    let slot = numbering.action_of(mv);
                    (targets[slot], known[slot]) = (share, margin);
                }
            }
            self.root_values[row] = decision.value;
            self.exact[row] = decision.margin.is_some();
            self.variants[row] = game.variant as i64;
            self.to_play[row] = i8::from(position.side_to_move() == Player::Dark);
            self.plies[row] = position.ply() as i16;
            self.games[row] = game.number as i64;
        }
        let rows = (first..first + game.num_samples()).rev();
        for (row, margin) in rows.zip(game.margins(variant)) {
            self.margins[row] = margin as i16;
        }
    }

    /// How many there are.
    #[must_use]
    pub fn num_samples(&self) -> usize {
        self.margins.len()
    }
}
