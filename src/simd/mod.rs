//! The instructions of newer processors, where there are any.

mod exp;
mod f32x8;

pub(crate) use exp::exp;
#[cfg(target_arch = "x86_64")]
use f32x8::Avx2;
pub(crate) use f32x8::{LANES, Lanes, Portable, Vector, fetch};

/// A hot loop. `run` and all that it calls there should be `inline(always)`: only what is inlined
/// is compiled for the newer instructions. It works on eight numbers at a time as `V` does.
pub(crate) trait Kernel {
    /// What the loop finds.
    type Result;

    fn run<V: Vector>(self) -> Self::Result;
}

/// Runs a loop compiled for AVX2 and its companions if the processor has them, or as it is.
///
/// The result is the same either way.
pub(crate) fn dispatch<W: Kernel>(work: W) -> W::Result {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the processor has just been asked.
        return unsafe { with_avx2(work) };
    }
    work.run::<Portable>()
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    use std::arch::is_x86_feature_detected;
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx2<W: Kernel>(work: W) -> W::Result {
    work.run::<Avx2>()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: [Lanes; 2] = [
        [1.0, -2.5, 3.0, f32::INFINITY, 0.1, 7.0, -0.5, 1e-30],
        [1.0, 2.5, -3.0, 4.0, 0.2, f32::NEG_INFINITY, -0.5, 1e30],
    ];

    /// The bits of everything that vectors can do.
    struct Everything;

    impl Kernel for Everything {
        type Result = Vec<u32>;

        fn run<V: Vector>(self) -> Vec<u32> {
            let [a, b] = NUMBERS.map(|numbers| V::load(&numbers));
            let above = a.is_above(b);
            let vectors = [
                a.add(b),
                a.sub(b),
                a.mul(b),
                a.div(b),
                a.max(b),
                above.select(a, b),
                a.is_equal(b).select(a, V::splat(2.0)),
                above.and(a.is_above(V::splat(0.5))).select(a, b),
                V::splat(1.5).scale_by(V::splat(f32::from_bits(3))),
                a.pick([2, 5, 7, 0, 0, 0, 0, 0]),
            ];
            let mut found = Vec::new();
            for vector in vectors {
                let mut numbers = [0.0; LANES];
                vector.store(&mut numbers);
                found.extend(numbers.map(f32::to_bits));
            }
            found.extend([a.sum(), a.largest(), b.sum(), b.largest()].map(f32::to_bits));
            let (words, mut kept) = (
                [0x0102_0408_1020_4080, 0xff00_ff00_ff00_ff01],
                [i8::MIN; 64],
            );
            V::write_kept(words, &[!0, 0, !0, !0, 0, 0xffff, !0, 1], &mut kept);
            found.extend(kept.map(|byte| byte as u32));
            found.extend([above.all(), a.is_equal(a).all()].map(u32::from));
            found
        }
    }

    #[test]
    fn all_processors_calculate_alike() {
        let expected = Everything.run::<Portable>();
        assert_eq!(dispatch(Everything), expected);
        assert_eq!(expected[..3], [2.0_f32, 0.0, 0.0].map(f32::to_bits));
        assert_eq!(expected[72..75], [3.0_f32, 7.0, 1e-30].map(f32::to_bits));
        assert_eq!(expected[64], 12_f32.to_bits());
        assert_eq!(expected[expected.len() - 2..], [0, 1]);
        let kept = &expected[expected.len() - 2 - 64..];
        assert_eq!(
            kept[..10],
            [0x80, 0x40, 0x20, 0x10, 8, 4, 2, 1, 0, 0].map(|byte: u8| byte as i8 as u32)
        );
    }
}
