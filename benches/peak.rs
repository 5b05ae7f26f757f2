//! Prints how many products of 16-bit integers one core adds, and in how many seconds: the limit for the
//! evaluation of networks. Operands stay in registers. `make bench-network` measures shares of it.

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_add_epi32, _mm256_madd_epi16, _mm256_set1_epi16, _mm512_set1_epi16,
    };
    use std::arch::{asm, is_x86_feature_detected};
    use std::hint::black_box;

    const ROUNDS: u32 = 2_000_000;
    /// Sums that do not wait for each other.
    const CHAINS: usize = 12;

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    fn wide() {
        let words = black_box(_mm512_set1_epi16(3));
        let mut sums: [__m512i; CHAINS] = [words; CHAINS];
        for _ in 0..ROUNDS {
            for sum in &mut sums {
                // SAFETY: the instruction works on registers only, and the processor has it.
                unsafe {
                    asm!("vpdpwssd {sum}, {words}, {words}", sum = inout(zmm_reg) *sum,
                        words = in(zmm_reg) words, options(pure, nomem, nostack, preserves_flags));
                }
            }
        }
        black_box(sums);
    }

    #[target_feature(enable = "avx2")]
    fn narrow() {
        let words = black_box(_mm256_set1_epi16(3));
        let mut sums: [__m256i; CHAINS] = [words; CHAINS];
        for _ in 0..ROUNDS {
            for sum in &mut sums {
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(words, *sum));
            }
        }
        black_box(sums);
    }

    /// Adds products by the best instruction that the processor has, and returns how many.
    pub fn multiply() -> Option<u64> {
        let instructions = u64::from(ROUNDS) * CHAINS as u64;
        if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vnni") {
            // SAFETY: the processor has the features.
            unsafe { wide() };
            Some(32 * instructions)
        } else if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has the feature.
            unsafe { narrow() };
            Some(16 * instructions)
        } else {
            None
        }
    }
}

fn main() {
    #[cfg(target_arch = "x86_64")]
    for _ in 0..20 {
        let begin = std::time::Instant::now();
        if let Some(products) = x86::multiply() {
            println!("{products} {}", begin.elapsed().as_secs_f64());
        }
    }
}
