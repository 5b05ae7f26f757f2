//! Numbers of 16 bits, as IEEE 754 has them: 11 digits, up to 65,504.

/// 2^112, by which the exponents of both kinds of numbers differ.
const SCALE: f32 = f32::from_bits((112 + 127) << 23);
/// 2^-14; smaller numbers have fewer digits.
const SMALLEST_NORMAL: f32 = f32::from_bits((127 - 14) << 23);
/// A number is infinite from here on.
const INFINITE: u32 = (127 + 16) << 23;

/// The number with these bits, possibly infinite or NaN.
pub(super) fn from_half(bits: u16) -> f32 {
    let shifted = u32::from(bits & 0x7FFF) << 13;
    let magnitude = if bits & 0x7C00 == 0x7C00 {
        f32::from_bits(shifted | f32::INFINITY.to_bits())
    } else {
        f32::from_bits(shifted) * SCALE
    };
    if bits >> 15 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

/// The bits of the nearest number, or of the even one of the two nearest; infinite if it is too
/// large. For finite numbers.
pub(super) fn to_half(number: f32) -> u16 {
    let sign = (number.to_bits() >> 16) as u16 & 0x8000;
    let magnitude = number.abs();
    let bits = if magnitude < SMALLEST_NORMAL {
        // The sum has as many digits after the point as the result; it is rounded.
        (magnitude + 0.5).to_bits() - 0.5_f32.to_bits()
    } else {
        let bits = magnitude.to_bits();
        let rounded = bits + 0xFFF + (bits >> 13 & 1);
        (rounded.min(INFINITE) - (112 << 23)) >> 13
    };
    sign | bits as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGEST: u16 = 0x7BFF;

    #[test]
    fn all_numbers_are_as_the_standard_says_and_come_back() {
        for bits in 0..=LARGEST {
            let (exponent, digits) = (i32::from(bits >> 10), f64::from(bits & 0x3FF));
            let expected = if exponent == 0 {
                digits * 2_f64.powi(-24)
            } else {
                (1024.0 + digits) * 2_f64.powi(exponent - 25)
            };
            for (bits, expected) in [(bits, expected), (bits | 0x8000, -expected)] {
                let number = from_half(bits);
                assert_eq!(f64::from(number).to_bits(), expected.to_bits());
                assert_eq!(number.is_sign_negative(), bits >> 15 == 1);
                assert_eq!(to_half(number), bits);
            }
        }
    }

    #[test]
    fn others_go_to_the_nearest_and_ties_to_even() {
        for bits in 0..LARGEST {
            let (low, high) = (from_half(bits), from_half(bits + 1));
            let middle = f32::midpoint(low, high);
            let even = bits + (bits & 1);
            assert_eq!(to_half(middle), even);
            assert_eq!(to_half(middle.next_down()), bits);
            assert_eq!(to_half(middle.next_up()), bits + 1);
            assert_eq!(to_half(-middle), even | 0x8000);
        }
    }

    #[test]
    fn too_large_numbers_are_infinite() {
        assert_eq!(to_half(65_519.99), LARGEST);
        for number in [65_520.0, 65_536.0, 1e6, f32::MAX] {
            assert_eq!(to_half(number), 0x7C00);
            assert_eq!(to_half(-number), 0xFC00);
        }
        for (bits, expected) in [(0x7C00, f32::INFINITY), (0xFC00, f32::NEG_INFINITY)] {
            assert_eq!(from_half(bits).to_bits(), expected.to_bits());
        }
        for bits in [0x7C01, 0x7FFF, 0xFE00] {
            assert!(from_half(bits).is_nan());
        }
    }
}
