//! The state of a game in a batch, of which there are two representations with the same meaning.

use std::sync::Arc;

use crate::encode::VariantSet;
use crate::game::Position;
use crate::memory::OutOfMemory;
use crate::simd::Simd;
use crate::vector::buffers::Observations;

/// The state of a game as a batch steps it. Actions are numbered as its [`VariantSet`] has them.
pub(crate) trait GameState: Copy + std::fmt::Debug + Send + Sync + 'static {
    /// Whether games side by side may have several variants.
    const IS_MIXABLE: bool;

    /// Tables that are computed once for a set of variants.
    type Rules: std::fmt::Debug + Send + Sync;

    /// Equal only for states whose observations and futures are equal.
    type Key: Copy + Eq + std::fmt::Debug + std::hash::Hash + Send + Sync;

    fn rules(variants: &Arc<VariantSet>) -> Result<Self::Rules, OutOfMemory>;

    /// The state of a position of the variant of this index.
    fn from_position(rules: &Self::Rules, variant: usize, position: &Position) -> Self;

    fn position(&self, rules: &Self::Rules) -> Position;

    /// The index of the variant of the game.
    fn variant(&self) -> usize;

    /// The game in these words (see [`crate::encode::PositionWords`]), if this type can read them itself.
    fn from_words(_: &Self::Rules, _: &[u64]) -> Option<Self> {
        None
    }

    /// Writes the words of the game, and whether an illegal action has ended it.
    fn write_words(&self, illegal: bool, words: &mut [u64]);

    /// The first state of a game of the variant of this index.
    fn start(rules: &Self::Rules, variant: usize) -> Self;

    /// 0 if Light is to move, 1 if Dark is.
    fn to_play(&self) -> usize;

    fn is_over(&self, rules: &Self::Rules) -> bool;

    /// Whether a pass is the only legal action.
    fn must_pass(&self, rules: &Self::Rules) -> bool;

    /// Whether the action is legal; the answer is arbitrary for an action that does not exist.
    fn is_legal(&self, rules: &Self::Rules, action: usize) -> bool;

    /// The state after an action, which must be legal.
    fn play(&self, rules: &Self::Rules, action: usize) -> Self;

    /// Plays an action, which must be legal, and returns whether the game is not over. A state that is
    /// `held` may do so for any action, and become any other state: it is about to be replaced.
    fn advance(&mut self, rules: &Self::Rules, action: usize, held: bool) -> bool;

    /// How many actions are legal.
    fn count_legal(&self, rules: &Self::Rules) -> usize;

    /// The legal action of this rank, in ascending order; it must exist.
    fn nth_legal(&self, rules: &Self::Rules, rank: usize) -> usize;

    /// Writes the numbers of the legal actions, given one for every action, one after the other, and
    /// returns how many there are. What follows them, up to eight more, may be overwritten.
    fn pick_legal<V: Simd>(
        &self,
        simd: V,
        rules: &Self::Rules,
        numbers: &[f32],
        out: &mut [f32],
    ) -> usize;

    /// How many cells are empty.
    fn count_empty(&self, rules: &Self::Rules) -> usize;

    /// The points of Light and Dark.
    fn score(&self, rules: &Self::Rules) -> [u16; 2];

    /// A key that differs for positions that look different to the side to move.
    fn key(&self) -> Self::Key;

    /// Writes the observations of states into the rows from `first` on.
    fn write_observations<'a, V: Simd>(
        simd: V,
        rules: &Self::Rules,
        states: impl Iterator<Item = &'a Self>,
        observations: &mut Observations<'_>,
        first: usize,
    ) where
        Self: 'a;

    /// Writes the legal actions of states, one row after the other; with `true` beside it, which
    /// says that the game is over, the pass.
    fn write_masks<'a, V: Simd>(
        simd: V,
        rules: &Self::Rules,
        states: impl Iterator<Item = (&'a Self, bool)>,
        masks: &mut [i8],
    ) where
        Self: 'a;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Canvas;
    use crate::game::{Board, Opening, Variant, parse_position};
    use crate::random::{Draw, SplitMix64};
    use crate::simd::Portable;
    use crate::vector::step::packed_game::PackedGame;
    use crate::vector::step::wide_game::WideGame;

    /// Plays random games of every variant and compares each state with its position.
    fn check<S: GameState>(variants: VariantSet) {
        let variants = Arc::new(variants);
        let rules = S::rules(&variants).unwrap();
        let numbers: Vec<f32> = (0..variants.num_actions()).map(|it| it as f32).collect();
        let mut picked = vec![0.0; variants.num_actions() + 8];
        let mut rng = SplitMix64::new(8);
        for (index, variant) in variants.all().iter().enumerate() {
            let numbering = variants.of(index);
            let mut state = S::start(&rules, index);
            let mut position = Position::new(variant);
            loop {
                assert_eq!(state.position(&rules), position);
                assert_eq!(state.variant(), index);
                assert_eq!(state.to_play(), position.side_to_move().index());
                assert_eq!(state.score(&rules), position.score(variant));
                assert_eq!(state.must_pass(&rules), position.must_pass(variant));
                let empty = variant.board().num_cells() - position.occupied().len();
                assert_eq!(state.count_empty(&rules), empty);
                let again = S::from_position(&rules, index, &position);
                assert_eq!(again.key(), state.key());
                assert_eq!(state.is_over(&rules), position.is_over(variant));
                if position.is_over(variant) {
                    break;
                }
                let moves = position.legal_moves(variant);
                let actions = moves.iter().map(|&mv| numbering.action_of(mv));
                let mut actions: Vec<usize> = actions.collect();
                actions.sort_unstable();
                let all = 0..variants.num_actions();
                let exists = |action: &usize| numbering.move_of(*action).is_some();
                let legal = all.filter(exists).filter(|&it| state.is_legal(&rules, it));
                assert!(legal.eq(actions.iter().copied()), "{position:?}");
                assert_eq!(state.count_legal(&rules), actions.len());
                let ranks = 0..actions.len();
                assert!(
                    ranks
                        .map(|it| state.nth_legal(&rules, it))
                        .eq(actions.iter().copied())
                );
                let count = state.pick_legal(Portable, &rules, &numbers, &mut picked);
                let expected: Vec<f32> = actions.iter().map(|&it| it as f32).collect();
                assert_eq!(picked[..count], expected, "{position:?}");
                let action = actions[rng.below(actions.len() as u64) as usize];
                state = state.play(&rules, action);
                let mv = numbering.move_of(action).unwrap();
                position = position.play_unchecked(variant, mv);
            }
        }
    }

    fn games(boards: &[&str], copies: i64) -> Vec<Arc<Variant>> {
        let mut variants = Vec::new();
        for text in boards {
            for opening in Opening::ALL {
                let board = Board::from_text(text).unwrap();
                variants.push(Arc::new(Variant::new(board, opening, copies).unwrap()));
            }
        }
        variants
    }

    #[test]
    fn packed_games_follow_the_rules() {
        for board in ["####\n####\n####\n####", "..####\n######\n######"] {
            for copies in 1..=3 {
                for variant in games(&[board], copies) {
                    check::<PackedGame>(VariantSet::one(variant));
                }
            }
        }
    }

    #[test]
    fn a_pass_ends_a_game_where_the_board_is_full_and_the_other_hand_empty() {
        fn check<S: GameState>(variants: &Arc<VariantSet>, position: &Position) {
            let rules = S::rules(variants).unwrap();
            let state = S::from_position(&rules, 0, position);
            assert!(state.must_pass(&rules) && !state.is_over(&rules));
            let passed = state.play(&rules, state.nth_legal(&rules, 0));
            assert!(passed.is_over(&rules));
        }
        // Light has placed all twelve pieces, Dark only four.
        let variant = games(&["####\n####\n####\n####"], 3).remove(0);
        let position = parse_position(&variant, "SSSD/DDPP/PLLL/sdpl a4 23").unwrap();
        let variants = Arc::new(VariantSet::one(variant));
        check::<PackedGame>(&variants, &position);
        check::<WideGame>(&variants, &position);
    }

    #[test]
    fn wide_games_follow_the_rules_on_canvases_of_all_sizes() {
        let small = ["##\n##", "####\n####\n####\n####", ".###\n####\n###."];
        let row = "########";
        let large = [row; 8].join("\n");
        let large = ["#########\n#########\n####.####", &large];
        for (boards, side) in [(&small[..], 4), (&small, 8), (&small, 9), (&large, 9)] {
            let canvas = Canvas::new(side, side).unwrap();
            for copies in [1, 2, 8] {
                check::<WideGame>(VariantSet::on_canvas(games(boards, copies), canvas).unwrap());
            }
        }
        for variant in games(&large, 5) {
            check::<WideGame>(VariantSet::one(variant));
        }
    }
}
