//! Prefetching, a hint to the processor.

#![allow(unsafe_code, reason = "the hint is an intrinsic that takes a pointer")]

/// Lets the processor fetch memory that will be needed soon.
#[inline(always)]
pub(crate) fn fetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint only; whatever the address, nothing is read.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
