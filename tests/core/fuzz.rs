//! The bodies of the fuzz targets on inputs that proptest makes up, so that every run of the tests
//! is a little fuzzing, and on those that are kept.

use proptest::collection::vec;
use proptest::prelude::*;

#[allow(unreachable_pub, reason = "the fuzz targets need them public")]
#[path = "../../fuzz/src/lib.rs"]
pub(crate) mod bodies;

macro_rules! run_bodies {
    ($($name:ident: $cases:literal inputs of up to $length:literal bytes,)*) => {$(
        proptest! {
            #![proptest_config(ProptestConfig {
                failure_persistence: None,
                ..ProptestConfig::with_cases($cases)
            })]

            #[test]
            fn $name(data in vec(any::<u8>(), 0..=$length)) {
                bodies::$name(&data);
            }
        }
    )*

        /// Real games and files, and what fuzzing has found.
        #[test]
        fn kept_inputs() {$(
            let lines = include_str!(concat!("../../fuzz/seeds/", stringify!($name), ".txt"));
            assert!(!lines.is_empty());
            for line in lines.lines() {
                bodies::$name(&bytes_of(line));
            }
        )*}
    };
}

/// Two hexadecimal digits for each byte.
fn bytes_of(line: &str) -> Vec<u8> {
    let digit = |digit: &u8| char::from(*digit).to_digit(16).unwrap() as u8;
    let (pairs, []) = line.as_bytes().as_chunks::<2>() else {
        panic!("half a byte in {line}");
    };
    pairs
        .iter()
        .map(|[high, low]| 16 * digit(high) + digit(low))
        .collect()
}

run_bodies! {
    board_text: 2_000 inputs of up to 60 bytes,
    board_blocks: 2_000 inputs of up to 40 bytes,
    legal_moves: 500 inputs of up to 150 bytes,
    pieces_and_points: 500 inputs of up to 150 bytes,
    symmetric_games: 1_000 inputs of up to 150 bytes,
    position_text: 2_000 inputs of up to 150 bytes,
    record_text: 2_000 inputs of up to 150 bytes,
    packed_word: 2_000 inputs of up to 60 bytes,
    state_words: 4_000 inputs of up to 150 bytes,
    book_file: 1_000 inputs of up to 60 bytes,
    network_file: 1_000 inputs of up to 60 bytes,
    tablebase_file: 500 inputs of up to 60 bytes,
}
