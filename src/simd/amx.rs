//! Products in tiles for x86 processors with AMX, and the proof that a processor has it.

#![allow(
    unsafe_code,
    reason = "AMX instructions must run only where the processor has them and the system allows them"
)]

use std::arch::x86_64::{
    __cpuid_count, _mm512_add_epi8, _mm512_add_epi32, _mm512_loadu_si512, _mm512_maskz_loadu_epi16,
    _mm512_permutex2var_epi8, _mm512_set1_epi8, _mm512_slli_epi32, _mm512_storeu_si512,
};
use std::arch::{asm, is_x86_feature_detected};
use std::sync::OnceLock;

use super::WORDS;
use super::avx512::{Avx512Vnni, Sums};
use super::tiles::{TILE_ROWS, TILE_WORDS, TileKernel, TileSimd, TileSums, WordTile};
use super::with_features::with_features;

/// Proof that the processor has AMX for bytes and AVX-512 VBMI, that the system lets this process use
/// tiles, and what [`Avx512Vnni`] proves.
///
/// Only [`Amx::detect`] makes one: the field is private to this file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Amx(Avx512Vnni);

/// The tiles of this thread while work is done in them. Only [`Amx::run`] makes one.
struct Tiles {
    proof: Amx,
    /// Which of two groups of three tiles has the sums of the last call.
    is_second: bool,
}

impl Amx {
    /// The proof, on processors that have the instructions, where the system allows them.
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        static ALLOWED: OnceLock<bool> = OnceLock::new();
        let wide = Avx512Vnni::detect()?;
        let is_allowed = ALLOWED.get_or_init(|| has_instructions() && ask_system());
        is_allowed.then_some(Self(wide))
    }

    /// Runs work compiled for these instructions.
    #[inline]
    pub(super) fn run<K: TileKernel>(self, kernel: K) {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vnni")]
        fn compiled<K: TileKernel>(proof: Amx, kernel: K) {
            kernel.run(&mut Tiles {
                proof,
                is_second: false,
            });
        }
        // SAFETY: 64 bytes are read through a reference to as many, and `self` proves that the processor
        // has the instruction and may run it. Compilers use no tiles.
        unsafe {
            asm!("ldtilecfg [{}]", in(reg) &raw const CONFIGURATION, options(readonly, nostack));
        };
        // SAFETY: `self` proves that the processor has every feature that `compiled` enables.
        unsafe { compiled(self, kernel) };
        // SAFETY: as above. Libraries that use tiles on this thread look at their configuration first, as
        // oneDNN does.
        unsafe { asm!("tilerelease", options(nomem, nostack)) };
    }
}

/// Whether the processor has tiles, products of bytes in them, and permutations of bytes.
fn has_instructions() -> bool {
    /// Of the leaf of extended features, in its last register.
    const TILE_AND_INT8: u32 = 1 << 24 | 1 << 25;
    #[allow(unused_unsafe, reason = "newer compilers know that it is safe")]
    // SAFETY: processors with AVX2 have the instruction and this leaf.
    let found = unsafe { __cpuid_count(7, 0) }.edx;
    found & TILE_AND_INT8 == TILE_AND_INT8 && is_x86_feature_detected!("avx512vbmi")
}

/// Asks the system for tiles, and tells whether it gives them. Linux has to be asked once in a process.
fn ask_system() -> bool {
    #[cfg(target_os = "linux")]
    {
        /// `ARCH_REQ_XCOMP_PERM`, and the number of tiles in the processor's state.
        const REQUEST: (libc::c_long, libc::c_long) = (0x1023, 18);
        // SAFETY: the call reads and writes no memory of this process.
        unsafe { libc::syscall(libc::SYS_arch_prctl, REQUEST.0, REQUEST.1) == 0 }
    }
    #[cfg(not(target_os = "linux"))]
    false
}

/// What `ldtilecfg` reads: the sizes of the eight tiles that there are.
#[repr(C, align(64))]
struct Configuration {
    palette: u8,
    first_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 8],
    more_row_bytes: [u16; 8],
    rows: [u8; 8],
    more_rows: [u8; 8],
}

static CONFIGURATION: Configuration = Configuration {
    palette: 1,
    first_row: 0,
    reserved: [0; 14],
    row_bytes: [TILE_WORDS as u16; 8],
    more_row_bytes: [0; 8],
    rows: [TILE_ROWS as u8; 8],
    more_rows: [0; 8],
};

/// Multiplies rows with columns into three tiles, and writes those of the call before.
///
/// These are written between the products of others, as instructions that wait for sums hold up all
/// that follow.
macro_rules! multiply {
    ($rows:ident, $columns:ident, $sums:ident: $high:literal $middle:literal $low:literal, before $a:literal $b:literal $c:literal) => {
        // SAFETY: tiles are read through references to so many, and written through a reference to the sums
        // of three, all with rows of 64 bytes. `run` has configured the tiles of this thread.
        unsafe {
            asm!(
                concat!("tilezero tmm", $high),
                concat!("tilezero tmm", $middle),
                concat!("tilezero tmm", $low),
                "tileloadd tmm6, [{rows} + {stride}]",
                "tileloadd tmm7, [{columns} + {stride}]",
                concat!("tdpbssd tmm", $high, ", tmm6, tmm7"),
                concat!("tilestored [{sums} + {stride}], tmm", $a),
                "tileloadd tmm7, [{columns} + {stride} + 1024]",
                concat!("tdpbsud tmm", $middle, ", tmm6, tmm7"),
                concat!("tilestored [{sums} + {stride} + 1024], tmm", $b),
                "tileloadd tmm6, [{rows} + {stride} + 1024]",
                concat!("tdpbuud tmm", $low, ", tmm6, tmm7"),
                concat!("tilestored [{sums} + {stride} + 2048], tmm", $c),
                "tileloadd tmm7, [{columns} + {stride}]",
                concat!("tdpbusd tmm", $middle, ", tmm6, tmm7"),
                "dec {count}",
                "jz 3f",
                "2:",
                "add {rows}, 2048",
                "add {columns}, 2048",
                "tileloadd tmm6, [{rows} + {stride}]",
                "tileloadd tmm7, [{columns} + {stride}]",
                concat!("tdpbssd tmm", $high, ", tmm6, tmm7"),
                "tileloadd tmm7, [{columns} + {stride} + 1024]",
                concat!("tdpbsud tmm", $middle, ", tmm6, tmm7"),
                "tileloadd tmm6, [{rows} + {stride} + 1024]",
                concat!("tdpbuud tmm", $low, ", tmm6, tmm7"),
                "tileloadd tmm7, [{columns} + {stride}]",
                concat!("tdpbusd tmm", $middle, ", tmm6, tmm7"),
                "dec {count}",
                "jnz 2b",
                "3:",
                rows = inout(reg) $rows.as_ptr() => _,
                columns = inout(reg) $columns.as_ptr() => _,
                count = inout(reg) $rows.len() => _,
                sums = in(reg) $sums,
                stride = in(reg) TILE_WORDS,
                options(nostack),
            );
        }
    };
}

/// Writes three tiles.
macro_rules! store {
    ($sums:ident: $high:literal $middle:literal $low:literal) => {
        // SAFETY: tiles are written through a reference to the sums of three, with rows of 64 bytes. `run`
        // has configured the tiles of this thread.
        unsafe {
            asm!(
                concat!("tilestored [{sums} + {stride}], tmm", $high),
                concat!("tilestored [{sums} + {stride} + 1024], tmm", $middle),
                concat!("tilestored [{sums} + {stride} + 2048], tmm", $low),
                sums = in(reg) $sums,
                stride = in(reg) TILE_WORDS,
                options(nostack),
            );
        }
    };
}

impl TileSimd for Tiles {
    type Wide = Avx512Vnni;

    #[inline(always)]
    fn wide(&self) -> Avx512Vnni {
        self.proof.0
    }

    #[inline(always)]
    fn write_row(&self, tile: &mut WordTile, row: usize, words: &[i16]) {
        let (high, low) = (&mut tile.high[row], &mut tile.low[row]);
        self.proof.write_bytes(words, high, low);
    }

    #[inline(always)]
    fn multiply(&mut self, rows: &[WordTile], columns: &[WordTile], previous: &mut TileSums) {
        assert!(!rows.is_empty() && rows.len() == columns.len());
        self.is_second = !self.is_second;
        if self.is_second {
            multiply!(rows, columns, previous: "3" "4" "5", before "0" "1" "2");
        } else {
            multiply!(rows, columns, previous: "0" "1" "2", before "3" "4" "5");
        }
    }

    #[inline(always)]
    fn last(&mut self, sums: &mut TileSums) {
        if self.is_second {
            store!(sums: "3" "4" "5");
        } else {
            store!(sums: "0" "1" "2");
        }
    }

    #[inline(always)]
    fn join(&self, sums: &TileSums, row: usize) -> Sums {
        self.proof.join(sums.0.each_ref().map(|sums| &sums[row]))
    }
}

/// The places of the low bytes of 64 words.
const LOW: [u8; TILE_WORDS] = {
    let mut places = [0; TILE_WORDS];
    let mut word = 0;
    while word < TILE_WORDS {
        places[word] = 2 * word as u8;
        word += 1;
    }
    places
};

impl Amx {
    with_features! { "avx512f,avx512bw,avx512vbmi":
        fn write_bytes(
            _proof: Amx,
            words: &[i16],
            high: &mut [u8; TILE_WORDS],
            low: &mut [u8; TILE_WORDS]
        ) -> () {
            let (start, middle) = (words.as_ptr(), words.as_ptr().wrapping_add(TILE_WORDS / 2));
            let given = if words.len() < TILE_WORDS { (1_u64 << words.len()) - 1 } else { u64::MAX };
            // SAFETY: words are read of which the slice has as many, at any alignment.
            let first = unsafe { _mm512_maskz_loadu_epi16(given as u32, start) };
            // SAFETY: as above.
            let second = unsafe { _mm512_maskz_loadu_epi16((given >> 32) as u32, middle) };
            // SAFETY: 64 bytes are read through a reference to as many, at any alignment.
            let places = unsafe { _mm512_loadu_si512(LOW.as_ptr().cast()) };
            let bytes = _mm512_permutex2var_epi8(first, places, second);
            // SAFETY: 64 bytes are written through a reference to as many, at any alignment.
            unsafe { _mm512_storeu_si512(low.as_mut_ptr().cast(), bytes) };
            let places = _mm512_add_epi8(places, _mm512_set1_epi8(1));
            let bytes = _mm512_permutex2var_epi8(first, places, second);
            // SAFETY: as above.
            unsafe { _mm512_storeu_si512(high.as_mut_ptr().cast(), bytes) };
        }

        fn join(_proof: Amx, sums: [&[i32; WORDS]; 3]) -> Sums {
            let [high, middle, low] = sums.map(|sums| {
                // SAFETY: 64 bytes are read through a reference to as many, at any alignment.
                unsafe { _mm512_loadu_si512(sums.as_ptr().cast()) }
            });
            let upper = _mm512_add_epi32(_mm512_slli_epi32::<8>(high), middle);
            Sums::of(_mm512_add_epi32(_mm512_slli_epi32::<8>(upper), low))
        }
    }
}
