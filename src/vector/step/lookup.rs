//! Look-up tables that turn the bits of a byte into numbers, all small enough for the first cache.

/// An array with an expression of the index in every place; constants have no iterators.
macro_rules! table {
    ([$zero:expr; $length:expr], |$index:ident| $entry:expr) => {{
        let mut table = [$zero; $length];
        let mut $index = 0;
        while $index < $length {
            table[$index] = $entry;
            $index += 1;
        }
        table
    }};
}

/// The bits of a byte as eight bytes of 0 or 1, the lowest first in memory.
pub(crate) static SPREAD: [u64; 256] = table!([0; 256], |byte| {
    u64::from_le_bytes(table!([0; 8], |bit| (byte >> bit & 1) as u8))
});

/// The bits of a byte as numbers, the lowest first.
pub(crate) static FLOATS: [[f32; 8]; 256] = table!([[0.0; 8]; 256], |byte| {
    table!([0.0; 8], |bit| (byte >> bit & 1) as f32)
});

/// The position of the set bit of this rank in a byte; 0 where there are not that many.
pub(crate) static NTH_BIT: [[u8; 8]; 256] = table!([[0; 8]; 256], |byte| {
    let (mut places, mut rank, mut bit) = ([0; 8], 0, 0);
    while bit < 8 {
        if byte >> bit & 1 == 1 {
            places[rank] = bit as u8;
            rank += 1;
        }
        bit += 1;
    }
    places
});

/// For a hand in a byte, two bits a type: the types that it has a piece of, one bit each.
pub(crate) static HELD: [u8; 256] = table!([0; 256], |byte| {
    // Either bit of a type, in the place of the lower one.
    let any = byte | byte >> 1;
    (any & 1 | any >> 1 & 2 | any >> 2 & 4 | any >> 3 & 8) as u8
});

/// For types, one bit each: a mask of their bytes among the 64 placements, 16 for each type.
pub(crate) static KEPT: [[u64; 8]; 16] = table!([[0; 8]; 16], |types| {
    table!([0; 8], |word| [0, u64::MAX][types >> (word / 2) & 1])
});

/// The counts of a hand in a byte, two bits a type.
pub(crate) static HANDS: [[u8; 4]; 256] = table!([[0; 4]; 256], |byte| {
    table!([0; 4], |piece| (byte >> (2 * piece) & 3) as u8)
});

/// The quotient and the remainder of a rank below 256 and 1 to 64 cells, without a division.
#[inline(always)]
pub(crate) const fn divide(rank: usize, cells: usize) -> (usize, usize) {
    const RECIPROCALS: [usize; 65] = table!([0; 65], |cells| match cells {
        0 => 0,
        _ => 65_536_usize.div_ceil(cells),
    });
    let quotient = (rank * RECIPROCALS[cells]) >> 16;
    (quotient, rank - quotient * cells)
}

/// The position of the set bit of this rank in a word, which must have that many.
///
/// Without branches or loops, which would be mispredicted (Vigna, "Broadword implementation of
/// rank/select queries", WEA 2008).
#[inline(always)]
pub(crate) const fn nth_bit(word: u64, rank: usize) -> usize {
    const ONES: u64 = u64::MAX / 0xff;
    const HIGHEST: u64 = 0x80 * ONES;
    const PAIRS: u64 = 0x55 * ONES;
    const FOURS: u64 = 0x33 * ONES;
    const EIGHTS: u64 = 0x0f * ONES;
    let pairs = word - (word >> 1 & PAIRS);
    let fours = (pairs & FOURS) + (pairs >> 2 & FOURS);
    // In each byte, the bits that are set in it and those below.
    let sums = ((fours + (fours >> 4)) & EIGHTS).wrapping_mul(ONES);
    // The bytes after which there are not more bits than the rank.
    let ranks = (rank as u64 * ONES) | HIGHEST;
    let before = (ranks - sums) & HIGHEST;
    let shift = 8 * before.count_ones();
    let rest = rank as u64 - (sums << 8 >> shift & 0xff);
    shift as usize + NTH_BIT[(word >> shift & 0xff) as usize][rest as usize & 7] as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;
    use rand::Rng;

    #[test]
    fn division_by_multiplication_is_exact() {
        for cells in 1..=64 {
            for rank in 0..4 * cells {
                assert_eq!(divide(rank, cells), (rank / cells, rank % cells));
            }
        }
    }

    #[test]
    fn bits_are_found_by_their_rank() {
        let mut rng = SplitMix64::new(1);
        let mut words = vec![u64::MAX, 1, 1 << 63, 0xff << 56];
        for _ in 0..300 {
            let word = rng.next_u64();
            words.extend([word, word & rng.next_u64() & rng.next_u64()]);
        }
        for word in words {
            let bits = (0..64).filter(|bit| word >> bit & 1 == 1);
            for (rank, bit) in bits.enumerate() {
                assert_eq!(nth_bit(word, rank), bit, "{word:#x}");
            }
        }
    }
}
