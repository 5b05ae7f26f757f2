//! Prints how many products of 16-bit integers one core adds, and in how many seconds: the limit for the
//! evaluation of networks. Operands stay in registers. `make bench-network` measures shares of it.

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __cpuid_count, __m256i, __m512i, _mm256_add_epi32, _mm256_madd_epi16, _mm256_set1_epi16,
        _mm512_set1_epi16,
    };
    use std::arch::{asm, is_x86_feature_detected};
    use std::hint::black_box;

    const ROUNDS: u32 = 2_000_000;
    /// Rounds of one product of words in 16 sums for 16 rows and 64 places each.
    const TILE_ROUNDS: u32 = 200_000;
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

    /// What AMX reads to make its eight tiles 16 rows of 64 bytes.
    #[repr(align(64))]
    struct Configuration([u8; 64]);

    /// Adds products of bytes in tiles of a processor with AMX, if the system allows it. Four of them make a
    /// product of words.
    fn in_tiles() -> bool {
        #[allow(unused_unsafe, reason = "newer compilers know that it is safe")]
        // SAFETY: processors with AVX-512 have the instruction and this leaf.
        let features = unsafe { __cpuid_count(7, 0) }.edx;
        let mut answer = -1_i64;
        if cfg!(target_os = "linux") && features >> 24 & 3 == 3 {
            // SAFETY: the call, `arch_prctl(ARCH_REQ_XCOMP_PERM, 18)`, asks for tiles and uses no memory.
            unsafe {
                asm!("syscall", inout("rax") 158_i64 => answer, in("rdi") 0x1023, in("rsi") 18,
                    out("rcx") _, out("r11") _, options(nostack));
            }
        }
        if answer != 0 {
            return false;
        }
        let mut configuration = Configuration([0; 64]);
        configuration.0[0] = 1;
        for tile in 0..8 {
            configuration.0[16 + 2 * tile] = 64;
            configuration.0[48 + tile] = 16;
        }
        // SAFETY: the processor has the instructions and the system allows them. They read the configuration
        // and change tiles, which nothing else uses.
        unsafe {
            asm!("ldtilecfg [{configuration}]", "2:",
                "tdpbssd tmm0, tmm6, tmm7", "tdpbssd tmm1, tmm6, tmm7",
                "tdpbssd tmm2, tmm6, tmm7", "tdpbssd tmm3, tmm6, tmm7",
                "dec {rounds:e}", "jnz 2b", "tilerelease",
                configuration = in(reg) &raw const configuration, rounds = inout(reg) TILE_ROUNDS => _,
                options(nostack));
        }
        true
    }

    /// Adds products by the best instruction that the processor has, and returns how many.
    pub fn multiply() -> Option<u64> {
        let instructions = u64::from(ROUNDS) * CHAINS as u64;
        if is_x86_feature_detected!("avx512bw") && in_tiles() {
            Some(16 * 16 * 64 * u64::from(TILE_ROUNDS))
        } else if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vnni") {
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
