//! The instructions of newer processors, where there are any.

/// A hot loop. `run` and all that it calls there should be `inline(always)`: only what is inlined
/// is compiled for the newer instructions.
pub(crate) trait Work {
    /// What the loop finds.
    type Result;

    fn run(self) -> Self::Result;
}

/// Runs a loop compiled for AVX2 and its companions if the processor has them, or as it is.
///
/// The result is the same either way.
pub(crate) fn widely<W: Work>(work: W) -> W::Result {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the processor has just been asked.
        return unsafe { with_avx2(work) };
    }
    work.run()
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
fn with_avx2<W: Work>(work: W) -> W::Result {
    work.run()
}
