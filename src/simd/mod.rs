//! SIMD: loops that are also compiled for the instructions of newer processors.
//!
//! [`dispatch`] finds out which instructions the processor has, and hands the loop a proof of it
//! ([`Simd`]). Vectors are made only with that proof, so no safe code can run an instruction that the
//! processor lacks.
//!
//! The proofs are written here rather than taken from the crate `pulp`, whose design this is: its
//! `V3` token has all that is needed, but comes with ten more crates.

#[cfg(target_arch = "x86_64")]
mod amx;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod exp;
mod f32x16;
mod f32x8;
mod fetch;
mod i16x16;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(test)]
mod processor;
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "only x86 processors have tiles")
)]
mod tiles;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod with_features;

#[cfg(target_arch = "x86_64")]
use amx::Amx;
#[cfg(target_arch = "x86_64")]
use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use avx512::Avx512Vnni;
pub(crate) use exp::exp;
pub(crate) use f32x8::{LANES, Lanes, Portable, PortableVector, Simd, Vector};
use f32x16::OnHalves;
pub(crate) use f32x16::{WideKernel, WideLanes, WideSimd, WideVector, WideWords};
pub(crate) use fetch::fetch;
pub(crate) use i16x16::WORDS;
#[cfg(target_arch = "aarch64")]
use neon::Neon;
#[cfg(test)]
pub(crate) use processor::{Processor, on};
pub(crate) use tiles::{TILE_ROWS, TILE_WORDS, TileKernel, TileSimd, TileSums, WordTile};

/// A hot loop. `run` and the functions it calls should be `inline(always)`: only inlined code is
/// compiled for the newer instructions. It works on eight numbers at a time with those of `simd`.
pub(crate) trait Kernel {
    /// The result of the loop.
    type Result;

    fn run<V: Simd>(self, simd: V) -> Self::Result;
}

/// Runs a loop compiled for NEON on ARM processors, for AVX2 and its companions on x86 processors that
/// have them, and otherwise portably.
///
/// The result is the same either way.
pub(crate) fn dispatch<K: Kernel>(kernel: K) -> K::Result {
    #[cfg(test)]
    if processor::PROCESSOR.get() < Processor::WithoutAvx512 {
        return kernel.run(Portable);
    }
    #[cfg(target_arch = "x86_64")]
    if !cfg!(portable_only)
        && let Some(avx2) = Avx2::detect()
    {
        return avx2.run(kernel);
    }
    #[cfg(target_arch = "aarch64")]
    if !cfg!(portable_only) {
        return kernel.run(Neon);
    }
    kernel.run(Portable)
}

/// Runs a loop over wide vectors compiled for AVX-512 VNNI if the processor has it, otherwise in
/// halves as [`dispatch`] does.
///
/// The result is the same either way.
pub(crate) fn dispatch_wide<K: WideKernel>(kernel: K) -> K::Result {
    #[cfg(test)]
    if processor::PROCESSOR.get() < Processor::WithoutTiles {
        return dispatch(OnHalves(kernel));
    }
    #[cfg(target_arch = "x86_64")]
    if !cfg!(portable_only)
        && let Some(wide) = Avx512Vnni::detect()
    {
        return wide.run(kernel);
    }
    dispatch(OnHalves(kernel))
}

/// Whether [`dispatch_tiles`] works in tiles, so that what they need is worth its memory.
pub(crate) fn has_tiles() -> bool {
    #[cfg(target_arch = "x86_64")]
    if !cfg!(portable_only) && Amx::detect().is_some() {
        return true;
    }
    cfg!(test)
}

/// Runs work in the tiles of AMX if the processor has them, otherwise gives it back.
///
/// The result is the same as without tiles.
pub(crate) fn dispatch_tiles<K: TileKernel>(kernel: K) -> Option<K> {
    #[cfg(test)]
    match processor::PROCESSOR.get() {
        Processor::Newest => {}
        Processor::Tiles => {
            kernel.run(&mut tests::PortableTiles::new());
            return None;
        }
        _ => return Some(kernel),
    }
    #[cfg(target_arch = "x86_64")]
    if !cfg!(portable_only)
        && let Some(amx) = Amx::detect()
    {
        amx.run(kernel);
        return None;
    }
    Some(kernel)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::f32x16::{Halves, InHalves};
    use super::i16x16::PortableSums;
    use super::*;
    use crate::encode::{Layout, VariantSet, num_actions};
    use crate::game::{Board, Opening, Position, Variant};
    use crate::policy::{Policy, opening};
    use crate::random::{Draw, SplitMix64};
    use crate::search::Limits;
    use crate::tree_search::{Backup, LeafValues, NextRoot, Root, TreeConfig, tree_search};
    use crate::vector::{
        Buffers, Config, IllegalAction, Observations, Opponent, Reward, Seeds, View, batch_env,
        rollout,
    };

    /// The results of `work` on this processor and in portable code.
    fn both<R>(work: impl Fn() -> R) -> [R; 2] {
        [Processor::Newest, Processor::Portable].map(|processor| on(processor, &work))
    }

    /// Tiles in plain code, to test what is done with them on processors that have none.
    pub(super) struct PortableTiles(TileSums);

    impl PortableTiles {
        pub(super) fn new() -> Self {
            Self(bytemuck::Zeroable::zeroed())
        }
    }

    impl TileSimd for PortableTiles {
        type Wide = InHalves<Portable>;

        fn wide(&self) -> Self::Wide {
            InHalves(Portable)
        }

        fn write_row(&self, tile: &mut WordTile, row: usize, words: &[i16]) {
            for place in 0..TILE_WORDS {
                let [low, high] = words.get(place).map_or([0; 2], |word| word.to_le_bytes());
                (tile.high[row][place], tile.low[row][place]) = (high, low);
            }
        }

        fn multiply(&mut self, rows: &[WordTile], columns: &[WordTile], previous: &mut TileSums) {
            *previous = self.0;
            self.0 = bytemuck::Zeroable::zeroed();
            for (rows, columns) in rows.iter().zip(columns) {
                for row in 0..TILE_ROWS {
                    for column in 0..WORDS {
                        for place in 0..TILE_WORDS {
                            let byte = (place / 4, 4 * column + place % 4);
                            let high = i32::from(rows.high[row][place] as i8);
                            let low = i32::from(rows.low[row][place]);
                            let column_high = i32::from(columns.high[byte.0][byte.1] as i8);
                            let column_low = i32::from(columns.low[byte.0][byte.1]);
                            let [highs, middle, lows] = &mut (self.0).0;
                            highs[row][column] += high * column_high;
                            middle[row][column] += high * column_low + low * column_high;
                            lows[row][column] += low * column_low;
                        }
                    }
                }
            }
        }

        fn last(&mut self, sums: &mut TileSums) {
            *sums = self.0;
        }

        fn join(&self, TileSums(sums): &TileSums, row: usize) -> <Self::Wide as WideSimd>::Sums {
            let joined: [i32; WORDS] = std::array::from_fn(|column| {
                let [high, middle, low] = [0, 1, 2].map(|part| sums[part][row][column]);
                (high << 16).wrapping_add(middle << 8).wrapping_add(low)
            });
            Halves(bytemuck::cast::<_, [[i32; LANES]; 2]>(joined).map(PortableSums))
        }
    }

    /// Tells how it is run.
    struct Witness;

    impl Kernel for Witness {
        type Result = &'static str;

        fn run<V: Simd>(self, _: V) -> &'static str {
            std::any::type_name::<V>()
        }
    }

    #[test]
    fn dispatch_can_be_made_portable() {
        let portable = std::any::type_name::<Portable>();
        assert_eq!(both(|| dispatch(Witness))[1], portable);
        assert_eq!(dispatch(Witness) == portable, !is_native());
    }

    /// Whether there is code for this processor.
    #[cfg(target_arch = "x86_64")]
    fn is_native() -> bool {
        Avx2::detect().is_some()
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_native() -> bool {
        cfg!(target_arch = "aarch64")
    }

    /// A variant whose games are packed, and one of 20 cells, whose games are not.
    fn variants() -> [Arc<Variant>; 2] {
        let board = Board::from_text(&"####\n".repeat(5)).unwrap();
        let larger = Variant::new(board, Opening::Outside, 2).unwrap();
        [Variant::default(), larger].map(Arc::new)
    }

    fn bits<'a>(numbers: impl IntoIterator<Item = &'a f32>) -> impl Iterator<Item = u32> {
        numbers.into_iter().map(|number| number.to_bits())
    }

    /// The bits of everything that the steps of a batch write.
    fn steps(config: &Config, is_uint8: bool) -> Vec<u32> {
        /// More than a tile, and not a multiple of one.
        const GAMES: usize = 100;
        let variant = config.variants.get(0).clone();
        let mut env = batch_env(config.clone(), Layout::Flat, GAMES, 1).unwrap();
        env.reset(Seeds::From(7), None).unwrap();
        let length = Layout::Flat.len(&variant);
        let (mut floats, mut bytes) = (vec![0.0; GAMES * length], vec![0; GAMES * length]);
        let mut mask = vec![0; GAMES * num_actions(&variant)];
        let (mut to_play, mut rewards) = (vec![0; GAMES], vec![0.0; GAMES]);
        let (mut ended, mut actions) = (vec![false; GAMES], vec![0; GAMES]);
        let mut found = Vec::new();
        for _ in 0..40 {
            env.sample_actions(&mut actions);
            let observations = if is_uint8 {
                Observations::Uint8(Layout::Flat, &mut bytes)
            } else {
                Observations::Float32(Layout::Flat, &mut floats)
            };
            let buffers = Buffers {
                view: View {
                    observations,
                    action_mask: &mut mask,
                    to_play: &mut to_play,
                },
                rewards: &mut rewards,
                terminations: &mut ended,
            };
            env.step(&actions, buffers).unwrap();
            found.extend(actions.iter().map(|&action| action as u32));
            found.extend(bits(&floats).chain(bits(&rewards)));
            found.extend(bytes.iter().map(|&byte| u32::from(byte)));
            found.extend(mask.iter().chain(&to_play).map(|&byte| byte as u32));
            found.extend(ended.iter().map(|&ended| u32::from(ended)));
        }
        found
    }

    #[test]
    fn whole_games_are_the_same_bits_on_all_processors() {
        for variant in variants() {
            for opponent in [Opponent::SelfPlay, Opponent::Policy(Policy::Greedy)] {
                for illegal_action in [IllegalAction::Raise, IllegalAction::Lose] {
                    let config = Config {
                        opponent: opponent.clone(),
                        illegal_action,
                        reward: Reward::Margin,
                        ..Config::new(variant.clone())
                    };
                    for is_uint8 in [false, true] {
                        let [native, portable] = both(|| steps(&config, is_uint8));
                        assert!(native == portable, "{config:?}, uint8: {is_uint8}");
                    }
                }
            }
            let starts = [Position::new(&variant)];
            let play = || rollout(&variant, &starts, 300, 5, 1, Limits::default());
            let [native, portable] = both(play);
            assert_eq!(native, portable);
        }
    }

    /// The bits of the results of successive searches in the same trees, with made-up evaluations.
    fn searches(variant: &Arc<Variant>, root: Root) -> Vec<u32> {
        let positions: Vec<Position> = (0..20)
            .map(|number| opening(variant, number as usize % 7, number).unwrap())
            .collect();
        let config = TreeConfig {
            num_simulations: 40,
            root,
            temperature: 1.0,
            margin_weight: 0.25,
            solve_roots_below: 0,
            solve_leaves_below: 0,
            seed: 3,
        };
        let variants = Arc::new(VariantSet::one(variant.clone()));
        let roots = config.seeded(positions.iter().copied()).unwrap();
        let search = tree_search(&variants, &roots, config, Layout::Flat, Vec::new(), 1);
        let mut search = search.unwrap();
        let again: Vec<NextRoot> = roots.iter().map(|&(it, _)| NextRoot::Follow(it)).collect();
        let width = num_actions(variant);
        let mut rng = SplitMix64::new(11);
        let mut number = || rng.unit() as f32 * 2.0 - 1.0;
        let mut found = Vec::new();
        for round in 0..3 {
            if round > 0 {
                search.restart_each(&again, Limits::default()).unwrap();
            }
            loop {
                let leaves = search.select(Limits::default()).unwrap();
                if leaves == 0 {
                    break;
                }
                let mut floats = vec![0.0; leaves * Layout::Flat.len(variant)];
                let mut mask = vec![0; leaves * width];
                let observations = Observations::Float32(Layout::Flat, &mut floats);
                search.write_leaves(observations, &mut mask);
                found.extend(bits(&floats));
                found.extend(mask.iter().map(|&byte| byte as u32));
                let logits: Vec<f32> = (0..leaves * width).map(|_| 4.0 * number()).collect();
                let values: Vec<f32> = (0..leaves).map(|_| number()).collect();
                let values = LeafValues::Values(&values);
                search.store_evaluations(&logits, values).unwrap();
                search.backpropagate(Limits::default()).unwrap();
            }
            let results = search.results(Limits::default()).unwrap();
            found.extend(results.actions.iter().map(|&action| action as u32));
            found.extend(results.visit_counts.iter().map(|&visits| visits as u32));
            found.extend(bits(&results.policy_targets));
            found.extend(bits(&results.root_values));
            found.extend(bits(&results.root_noise));
            for tree in 0..positions.len() {
                for node in search.nodes(tree, Limits::default()).unwrap() {
                    found.extend([node.visits, node.value.to_bits(), node.prior.to_bits()]);
                }
            }
        }
        search.restart_each(&again, Limits::default()).unwrap();
        search.run_with_rollouts(Limits::default()).unwrap();
        let results = search.results(Limits::default()).unwrap();
        found.extend(bits(&results.policy_targets));
        found
    }

    #[test]
    fn whole_searches_are_the_same_bits_on_all_processors() {
        let puct = Root::Puct {
            c_puct: 1.25,
            dirichlet_share: 0.25,
            dirichlet_alpha: 0.5,
        };
        let [by_mean, by_policy] = [Backup::Mean, Backup::Policy].map(|backup| Root::Gumbel {
            max_considered: 16,
            c_visit: 50.0,
            c_scale: 0.1,
            backup,
        });
        for variant in variants() {
            for root in [puct, by_mean, by_policy] {
                let [native, portable] = both(|| searches(&variant, root));
                assert!(native == portable, "{root:?}");
            }
        }
    }
}
