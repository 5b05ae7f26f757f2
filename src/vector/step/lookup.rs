//! Look-up tables that turn the bits of a byte into numbers, all small enough for the first cache.

/// The bits of a byte as eight bytes of 0 or 1, the lowest first in memory.
pub(crate) static SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= ((byte >> bit & 1) as u64) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// The bits of a byte as numbers, the lowest first.
pub(crate) static FLOATS: [[f32; 8]; 256] = {
    let mut table = [[0.0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][bit] = 1.0;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// The position of the set bit of this rank in a byte; 0 where there are not that many.
pub(crate) static NTH_BIT: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut rank) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][rank] = bit as u8;
                rank += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// For a hand in a byte, two bits a type: the types that it has a piece of, one bit each.
pub(crate) static HELD: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut piece = 0;
        while piece < 4 {
            if byte >> (2 * piece) & 3 != 0 {
                table[byte] |= 1 << piece;
            }
            piece += 1;
        }
        byte += 1;
    }
    table
};

/// For types, one bit each: a mask of their bytes among the 64 placements, 16 for each type.
pub(crate) static KEPT: [[u64; 8]; 16] = {
    let mut table = [[0; 8]; 16];
    let mut types = 0;
    while types < 16 {
        let mut word = 0;
        while word < 8 {
            if types >> (word / 2) & 1 == 1 {
                table[types][word] = u64::MAX;
            }
            word += 1;
        }
        types += 1;
    }
    table
};

/// The counts of a hand in a byte, two bits a type.
pub(crate) static HANDS: [[u8; 4]; 256] = {
    let mut table = [[0; 4]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut piece = 0;
        while piece < 4 {
            table[byte][piece] = (byte >> (2 * piece) & 3) as u8;
            piece += 1;
        }
        byte += 1;
    }
    table
};
