//! Elementary functions of the package `libm`, the same bits on every platform.
//!
//! Those of the standard library come from the platform's C library, and these differ in the last
//! bits. Wherever they decide games, searches or evaluations, these are used. `clippy.toml` forbids
//! the others. Square roots are exact everywhere.

#![forbid(unsafe_code)]

pub(crate) use libm::{exp, log as ln, powf, tanhf};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_header::fnv1a;

    #[test]
    fn functions_keep_their_bits() {
        let hash = |f: &dyn Fn(f64) -> f64| {
            let numbers = (1..=1000).map(|number| f(f64::from(number) / 1000.0));
            let bytes: Vec<u8> = numbers.flat_map(f64::to_le_bytes).collect();
            fnv1a(&bytes)
        };
        let found = [
            hash(&ln),
            hash(&|share| exp(30.0 * share - 40.0)),
            hash(&|share| f64::from(tanhf(10.0 * share as f32 - 5.0))),
            hash(&|share| f64::from(powf(share as f32, 8.0 * share as f32))),
        ];
        let expected = [
            0x99B7_298F_5814_4076,
            0x7DBC_D338_ABBF_5DCE,
            0x65DB_8BA2_9298_CBF2,
            0x0F62_3CC2_4E0F_191A,
        ];
        assert_eq!(found, expected);
    }
}
