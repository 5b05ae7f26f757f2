//! Files of networks whose content is impossible, whatever their checksum.

use mijnlieff::FileError;
use mijnlieff::network::{Network, NetworkError, NetworkWeights};

use crate::fuzz::bodies::files::{NETWORK_LETTERS, sealed};
use crate::network::{SIZES, network, numbers, variant};

#[test]
fn the_version_says_what_the_content_is() {
    let file = network(&variant("##", 1)).file().to_vec();
    for bit in 0..8 {
        let mut other = file.clone();
        other[8] ^= 1 << bit;
        let error = Network::parse(&other).unwrap_err();
        let is_right = match (bit, &error) {
            // The version of networks for a canvas, whose content is another.
            (0, error) => matches!(error, NetworkError::Variant { .. }),
            (_, NetworkError::File(FileError::Version { found, .. })) => {
                *found == u32::from(other[8])
            }
            _ => false,
        };
        assert!(is_right, "bit {bit}: {error}");
    }
}

fn body(texts: [&str; 2], fields: &[u32], numbers: &[f32]) -> Vec<u8> {
    let mut body = Vec::new();
    for text in texts {
        body.extend((text.len() as u32).to_le_bytes());
        body.extend(text.as_bytes());
    }
    body.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
    body.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    body
}

/// The text of a variant of two cells.
const TEXT: &str = "anywhere 1\n##";

fn parse(body: &[u8]) -> Result<Network, NetworkError> {
    Network::parse(&sealed((NETWORK_LETTERS, 2), body))
}

fn refused(texts: [&str; 2], fields: &[u32], numbers: &[f32]) -> NetworkError {
    parse(&body(texts, fields, numbers)).unwrap_err()
}

#[test]
fn names_that_make_no_sense_are_refused_whatever_the_checksum() {
    let fields = [40, 10, 2, 5];
    let weights = numbers(&variant("##", 1));
    for wrong in [
        "",
        "anywhere",
        "anywhere 1",
        "nowhere 1\n##",
        "anywhere 0\n##",
        "anywhere one\n##",
        "anywhere 1\n#?",
        // Each variant is written in one way, so that equal networks have equal files.
        "anywhere +1\n##",
        "anywhere 01\n##",
        "anywhere 1\n\n##",
        "anywhere 1\n##\n",
        "anywhere 1\n.##",
        "anywhere 1\n##\n..",
    ] {
        let error = refused([wrong, "cells"], &fields, &weights);
        assert!(matches!(error, NetworkError::Variant { .. }), "{error}");
    }
    for wrong in ["", "Cells", "symmetric", "cells ", "cell"] {
        let error = refused([TEXT, wrong], &fields, &weights);
        let found = wrong.to_owned();
        assert_eq!(error, NetworkError::Architecture { found });
    }
    let error = refused([TEXT, &"x".repeat(1000)], &fields, &weights);
    assert!(error.to_string().len() < 200);
}

#[test]
fn sizes_and_weights_that_make_no_sense_are_refused_whatever_the_checksum() {
    let variant = variant("##", 1);
    let (fields, texts) = ([40, 10, 2, 5], [TEXT, "cells"]);
    let weights = numbers(&variant);
    let whole = body(texts, &fields, &weights);
    assert_eq!(parse(&whole).unwrap(), network(&variant));
    let with = |at: usize, field: u32| {
        let mut fields = fields;
        fields[at] = field;
        refused(texts, &fields, &weights)
    };
    let (found, expected) = (41, 40);
    assert_eq!(with(0, 41), NetworkError::Inputs { found, expected });
    assert_eq!(with(1, 0), NetworkError::Nothing { what: "units" });
    for (at, field) in [(1, 5), (1, 20), (2, 1), (2, 3)] {
        let error = with(at, field);
        let expected = matches!(
            error,
            NetworkError::Count {
                expected: Some(_),
                ..
            }
        );
        assert!(expected, "{error}");
    }
    let none = NetworkWeights::new(variant.clone(), SIZES, Vec::new()).unwrap_err();
    let (found, expected) = (0, Some(weights.len()));
    assert_eq!(none, NetworkError::Count { found, expected });
    let error = refused(texts, &[40, u32::MAX, u32::MAX, u32::MAX], &weights);
    assert!(matches!(error, NetworkError::Count { .. }), "{error}");
    for bad in [f32::NAN, f32::INFINITY] {
        let mut weights = weights.clone();
        weights[5] = bad;
        let error = refused(texts, &fields, &weights);
        assert_eq!(error, NetworkError::NotFinite { index: 5 });
    }
    for length in 0..whole.len() - 4 * weights.len() {
        assert!(parse(&whole[..length]).is_err());
    }
    let at = whole.len() - 4;
    let cut = &whole[..whole.len() - 1];
    let error = parse(cut).unwrap_err();
    assert_eq!(error, NetworkError::Content { at });
    // The last byte is half a number of 16 bits.
    let at = cut.len() - 1;
    let error = Network::parse(&sealed((NETWORK_LETTERS, 4), cut)).unwrap_err();
    assert_eq!(error, NetworkError::Content { at });
    // The last of them has the bits of an infinite one.
    let names = &whole[..whole.len() - 4 * weights.len()];
    let index = weights.len() - 1;
    let infinite = [names, &vec![0_u8; 2 * index], &[0, 0x7C]].concat();
    let error = Network::parse(&sealed((NETWORK_LETTERS, 4), &infinite)).unwrap_err();
    assert_eq!(error, NetworkError::NotFinite { index });
}

#[test]
fn heads_share_the_units_equally() {
    let weights = numbers(&variant("##", 1));
    let heads = |heads| refused([TEXT, "cells"], &[40, 10, 2, heads], &weights);
    assert_eq!(heads(0), NetworkError::Nothing { what: "heads" });
    for number in [3, 11, u32::MAX] {
        let (units, heads_found) = (10, number as usize);
        assert_eq!(
            heads(number),
            NetworkError::Heads {
                units,
                heads: heads_found
            }
        );
    }
    assert!(matches!(heads(2), NetworkError::Count { .. }));
}

#[test]
fn the_content_of_a_network_for_a_canvas_is_checked() {
    let weights = numbers(&variant("##", 1));
    let read = |text: &str, form: &str, fields: &[u32], weights: &[f32]| {
        let body = body([text, form], fields, weights);
        Network::parse(&sealed((NETWORK_LETTERS, 3), &body))
    };
    let fields = [40, 10, 2, 5];
    assert!(read("1 2 1", "cells", &fields, &weights).is_ok());
    for wrong in [
        "", "1", "1 2", "1 2 1 1", "01 2 1", "1 2 0", "0 2 1", "1 65 1", TEXT,
    ] {
        let error = read(wrong, "cells", &fields, &weights).unwrap_err();
        assert!(matches!(error, NetworkError::Variant { .. }), "{error}");
    }
    let error = read("2 1 1", "cells", &[39, 10, 2, 5], &weights).unwrap_err();
    assert!(matches!(error, NetworkError::Inputs { .. }), "{error}");
    let error = read("1 2 1", "symmetric", &fields, &weights).unwrap_err();
    assert!(
        matches!(error, NetworkError::Architecture { .. }),
        "{error}"
    );
}
