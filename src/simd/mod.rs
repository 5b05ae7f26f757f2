//! SIMD: loops that are also compiled for the instructions of newer processors.
//!
//! [`dispatch`] finds out which instructions the processor has, and hands the loop a proof of it
//! ([`Simd`]). Vectors are made only with that proof, so no safe code can run an instruction that the
//! processor lacks.
//!
//! The proofs are written here rather than taken from the crate `pulp`, whose design this is: its
//! `V3` token has all that is needed, but comes with ten more crates.

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
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod with_features;

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
    if tests::PROCESSOR.get() == tests::Processor::Portable {
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
    if tests::PROCESSOR.get() != tests::Processor::Newest {
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use ndarray::Array2;

    use super::*;
    use crate::encode::{Layout, num_actions};
    use crate::file_header::fnv1a;
    use crate::game::{Board, Opening, Position, Variant};
    use crate::network::{Architecture, Network, NetworkWeights};
    use crate::policy::{Policy, opening};
    use crate::random::{Draw, SplitMix64};
    use crate::search::Limits;
    use crate::tree_search::{Root, TreeConfig, tree_search};
    use crate::vector::{
        Buffers, Config, IllegalAction, Observations, Opponent, Reward, Seeds, View, batch_env,
        rollout,
    };

    /// A processor whose code can be run.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) enum Processor {
        /// This one.
        Newest,
        /// This one, as if it had no AVX-512.
        WithoutAvx512,
        /// One with neither AVX2 nor NEON.
        Portable,
    }

    thread_local! {
        /// The processor for which [`dispatch`] and [`dispatch_wide`] choose code on this thread.
        pub(super) static PROCESSOR: Cell<Processor> = const { Cell::new(Processor::Newest) };
    }

    /// The result of `work` on a processor.
    fn on<R>(processor: Processor, work: impl Fn() -> R) -> R {
        PROCESSOR.set(processor);
        let found = work();
        PROCESSOR.set(Processor::Newest);
        found
    }

    /// The results of `work` on this processor and in portable code.
    fn both<R>(work: impl Fn() -> R) -> [R; 2] {
        [Processor::Newest, Processor::Portable].map(|processor| on(processor, &work))
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
            let play = || rollout(&variant, &starts, 300, 5, 1, &AtomicBool::new(false));
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
        let mut search = tree_search(variant, &positions, config, Layout::Flat, None, 1).unwrap();
        let width = num_actions(variant);
        let mut rng = SplitMix64::new(11);
        let mut number = || rng.unit() as f32 * 2.0 - 1.0;
        let mut found = Vec::new();
        for round in 0..3 {
            if round > 0 {
                search.restart(&positions, Limits::default()).unwrap();
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
                search.update(&logits, &values).unwrap();
            }
            let results = search.results(Limits::default()).unwrap();
            found.extend(results.actions.iter().map(|&action| action as u32));
            found.extend(results.visit_counts.iter().map(|&visits| visits as u32));
            found.extend(bits(&results.policy_targets));
            found.extend(bits(&results.root_values));
            found.extend(bits(&results.root_noise));
            for tree in 0..positions.len() {
                for node in search.nodes(tree).unwrap() {
                    found.extend([node.visits, node.value.to_bits(), node.prior.to_bits()]);
                }
            }
        }
        search.restart(&positions, Limits::default()).unwrap();
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
        let gumbel = Root::Gumbel {
            max_considered: 16,
            c_visit: 50.0,
            c_scale: 0.1,
        };
        for variant in variants() {
            for root in [puct, gumbel] {
                let [native, portable] = both(|| searches(&variant, root));
                assert!(native == portable, "{root:?}");
            }
        }
    }

    /// A network of cells with units in a part of a vector, and its board.
    fn network_of(units: usize, variant: Variant) -> (Network, Variant) {
        let (blocks, heads) = (2, 4);
        let architecture = Architecture {
            units,
            blocks,
            heads,
        };
        let block = 2 * 7 * 7 * heads + units * (6 * units + 9);
        let count = 25 * units + blocks * block + units * (units + 3) + 7 * (units + 1);
        let mut rng = SplitMix64::new(3);
        let weights = (0..count).map(|_| rng.unit() as f32 - 0.5).collect();
        let weights = NetworkWeights::new(variant.clone(), architecture, weights).unwrap();
        (Network::new(&weights).unwrap(), variant)
    }

    /// The champion, and networks whose layers are wider than a strip, leave strips of several widths, or have
    /// tokens left after whole groups.
    fn networks() -> [(Network, Variant); 5] {
        let file = include_bytes!("../../python/mijnlieff/data/champion.bin");
        let board = Board::from_text("#...\n####\n####\n####").unwrap();
        let odd = Variant::new(board, Opening::Anywhere, 2).unwrap();
        let champion = (Network::parse(file).unwrap(), Variant::default());
        let [a, b, c] = [20, 60, 100].map(|units| network_of(units, Variant::default()));
        [champion, a, b, c, network_of(60, odd)]
    }

    /// The bits of a network's evaluations of some positions.
    fn evaluations((network, variant): &(Network, Variant)) -> Vec<u32> {
        let mut observations = Array2::zeros((33, Layout::Flat.len(variant)));
        for (number, row) in (0..).zip(observations.outer_iter_mut()) {
            let position = opening(variant, number as usize % 12, number).unwrap();
            let row = row.into_slice().unwrap();
            crate::encode::observe::<f32>(variant, &position, Layout::Flat, row);
        }
        let network = network.on(variant).unwrap();
        let found = network
            .evaluate(&observations, 1, Limits::default())
            .unwrap();
        bits(&found.logits).chain(bits(&found.values)).collect()
    }

    #[test]
    fn a_network_gives_the_same_bits_on_all_processors() {
        for on_board in networks() {
            let evaluate = || evaluations(&on_board);
            let expected = on(Processor::Portable, evaluate);
            for processor in [Processor::WithoutAvx512, Processor::Newest] {
                let is_same = on(processor, evaluate) == expected;
                assert!(is_same, "{on_board:?}, {processor:?}");
            }
        }
    }

    /// Evaluations are also the same with every compiler and on every platform.
    #[test]
    fn a_network_keeps_its_bits() {
        let hashes = [20, 60].map(|units| {
            let bits = evaluations(&network_of(units, Variant::default()));
            let bytes: Vec<u8> = bits.into_iter().flat_map(u32::to_le_bytes).collect();
            fnv1a(&bytes)
        });
        assert_eq!(hashes, [0x4404_5A50_AE5A_FAF6, 0x0908_9B14_41CC_DD50]);
    }

    const NUMBERS: [Lanes; 2] = [
        [1.0, -2.5, 3.0, f32::INFINITY, 0.1, 7.0, -0.5, 1e-30],
        [1.0, 2.5, -3.0, 4.0, 0.2, f32::NEG_INFINITY, -0.5, 1e30],
    ];

    /// The bits of the results of all vector operations.
    struct Everything;

    impl Kernel for Everything {
        type Result = Vec<u32>;

        fn run<V: Simd>(self, simd: V) -> Vec<u32> {
            let [a, b] = NUMBERS.map(|numbers| simd.load(&numbers));
            let above = a.is_above(b);
            let vectors = [
                a.add(b),
                a.sub(b),
                a.mul(b),
                a.div(b),
                a.max(b),
                above.select(a, b),
                a.is_equal(b).select(a, simd.splat(2.0)),
                above.and(a.is_above(simd.splat(0.5))).select(a, b),
                simd.splat(1.5).scale_by(simd.splat(f32::from_bits(3))),
                a.pick([2, 5, 7, 0, 0, 0, 0, 0]),
            ];
            let mut found = Vec::new();
            for vector in vectors {
                let mut numbers = [0.0; LANES];
                vector.store(&mut numbers);
                found.extend(numbers.map(f32::to_bits));
            }
            found.extend([a.sum(), a.largest(), b.sum(), b.largest()].map(f32::to_bits));
            for first in 0..LANES {
                let share = |lane| 1.0 / (1 + (first + lane) % LANES) as f32;
                let shares = simd.load(&std::array::from_fn(share));
                found.extend([shares.sum(), shares.largest()].map(f32::to_bits));
            }
            let (words, mut kept) = (
                [0x0102_0408_1020_4080, 0xff00_ff00_ff00_ff01],
                [i8::MIN; 64],
            );
            simd.write_kept(words, &[!0, 0, !0, !0, 0, 0xffff, !0, 1], &mut kept);
            found.extend(kept.map(|byte| byte as u32));
            for mask in [0, 0b1011, u64::MAX, 0xf000_0000_0000_0101] {
                let moved = simd.deposit(0xffff_0000_0000_0005, mask);
                found.extend([moved as u32, (moved >> 32) as u32]);
            }
            found.extend([above.all(), a.is_equal(a).all()].map(u32::from));
            found
        }
    }

    #[test]
    fn all_processors_calculate_alike() {
        let expected = Everything.run(Portable);
        assert_eq!(dispatch(Everything), expected);
        assert_eq!(expected[..3], [2.0_f32, 0.0, 0.0].map(f32::to_bits));
        assert_eq!(expected[72..75], [3.0_f32, 7.0, 1e-30].map(f32::to_bits));
        assert_eq!(expected[64], 12_f32.to_bits());
        assert_eq!(expected[expected.len() - 2..], [0, 1]);
        let moved = &expected[expected.len() - 2 - 8..];
        assert_eq!(moved[..8], [0, 0, 0b1001, 0, 5, 0xffff_0000, 1, 1 << 28]);
        let kept = &expected[expected.len() - 2 - 8 - 64..];
        assert_eq!(
            kept[..10],
            [0x80, 0x40, 0x20, 0x10, 8, 4, 2, 1, 0, 0].map(|byte: u8| byte as i8 as u32)
        );
    }

    /// The results of all operations with integers.
    struct AllIntegers;

    impl Kernel for AllIntegers {
        type Result = (Vec<i16>, Vec<u32>);

        fn run<V: Simd>(self, simd: V) -> Self::Result {
            let numbers = |i: usize| [3, -7, i16::MAX, i16::MIN, 0, 100, -100][i % 7];
            let [a, b] =
                [1, 3].map(|step| simd.load_words(&std::array::from_fn(|i| numbers(step * i))));
            let mut words = Vec::new();
            let mut stored = [0; WORDS];
            for numbers in NUMBERS {
                let numbers = simd.load(&numbers);
                let wide = numbers.mul(simd.splat(3e9));
                numbers.store_rounded(wide, &mut stored);
                words.extend(stored);
                let odd = numbers.mul(simd.splat(f32::NAN));
                odd.store_rounded(numbers.mul(simd.splat(1e4)), &mut stored);
                words.extend(stored);
            }
            let mut sums = Vec::new();
            let pairs = simd.splat_pair([-3, 500]);
            for sum in [
                simd.add_products(simd.no_sums(), a, b),
                simd.add_products(simd.add_products(simd.no_sums(), a, b), b, pairs),
            ] {
                let mut numbers = [0.0; LANES];
                simd.to_numbers(sum).store(&mut numbers);
                sums.extend(numbers.map(f32::to_bits));
            }
            (words, sums)
        }
    }

    #[test]
    fn all_processors_calculate_alike_with_integers() {
        let expected = AllIntegers.run(Portable);
        assert_eq!(dispatch(AllIntegers), expected);
        let (words, sums) = expected;
        // 1.0, -2.5 and 3.0 to the nearest, of two equally near ones the even one.
        assert_eq!(words[..3], [1, -2, 3]);
        assert_eq!(words[3], i16::MIN, "infinity");
        assert_eq!(words[16..24], [i16::MIN; 8], "NaN");
        assert_eq!(sums[0], (3.0 * 3.0 + -7.0 * -32768.0_f32).to_bits());
    }
}
