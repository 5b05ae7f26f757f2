//! Files of networks: as they were written, and refused when damaged or impossible.

use mijnlieff::FileError;
use mijnlieff::network::{Architecture, Network, NetworkError, NetworkWeights};

use crate::fuzz::bodies::files::{HEADER, NETWORK_LETTERS, num_weights, sealed};
use crate::network::{SIZES, evaluate, game, network, numbers, only_variant, variant, variants};

#[test]
fn a_file_is_read_as_it_was_written() {
    for variant in variants() {
        let written = network(&variant);
        let read = Network::parse(written.file()).unwrap();
        assert_eq!(read, written);
        assert_eq!(only_variant(&read), &variant);
        assert_eq!(read.architecture(), SIZES);
        assert_eq!(read.num_weights(), num_weights(read.scope(), SIZES));
        let positions = game(&variant, 1);
        assert_eq!(evaluate(&read, &positions), evaluate(&written, &positions));
    }
}

#[test]
fn a_file_of_half_the_size_is_read_as_it_was_written() {
    for variant in variants() {
        let whole = network(&variant);
        let written = whole.half().unwrap();
        let weights = 2 * num_weights(whole.scope(), SIZES);
        assert_eq!(written.file().len() + weights, whole.file().len());
        let read = Network::parse(written.file()).unwrap();
        assert_eq!(read, written);
        assert_ne!(read, whole);
        assert_eq!(read.half().unwrap(), written);
        let differences = read.weights().unwrap();
        let original = whole.weights().unwrap();
        let differences = differences.iter().zip(&original);
        let far =
            differences.filter(|(half, whole)| (**half - **whole).abs() > whole.abs() / 2048.0);
        assert_eq!(far.count(), 0);
        let positions = game(&variant, 1);
        assert_eq!(evaluate(&read, &positions), evaluate(&written, &positions));
        // One byte less, sealed again, is half a number.
        let mut body = written.file()[HEADER..].to_vec();
        body.pop();
        let file = sealed((NETWORK_LETTERS, 4), &body);
        let at = body.len() - 1;
        assert_eq!(
            Network::parse(&file).unwrap_err(),
            NetworkError::Content { at }
        );
        // The bits of an infinite number.
        body.extend([0x7C]);
        body[at] = 0;
        let file = sealed((NETWORK_LETTERS, 4), &body);
        let index = written.num_weights() - 1;
        assert_eq!(
            Network::parse(&file).unwrap_err(),
            NetworkError::NotFinite { index }
        );
    }
}

#[test]
fn any_damage_is_noticed() {
    let small = Architecture {
        units: 2,
        blocks: 1,
        heads: 1,
    };
    let variant = variant("##", 1);
    let numbers = numbers(&variant, small, 0.8);
    let weights = NetworkWeights::new(variant, small, numbers).unwrap();
    let network = Network::new(&weights).unwrap();
    let file = network.file();
    let Err(NetworkError::File(FileError::Foreign { kind })) = Network::parse(b"") else {
        panic!("an empty file passed for a network");
    };
    for length in 0..file.len() {
        let error = Network::parse(&file[..length]).unwrap_err();
        let needed = if length < HEADER { HEADER } else { file.len() } as u64;
        let expected = match length {
            0..8 => FileError::Foreign { kind },
            _ => FileError::Length {
                kind,
                found: length,
                expected: needed,
            },
        };
        assert_eq!(error, NetworkError::File(expected));
    }
    let longer = FileError::Length {
        kind,
        found: file.len() + 1,
        expected: file.len() as u64,
    };
    assert_eq!(
        Network::parse(&[file, &[0]].concat()),
        Err(NetworkError::File(longer))
    );
    for at in 0..file.len() {
        for bit in 0..8 {
            let mut damaged = file.to_vec();
            damaged[at] ^= 1 << bit;
            let error = Network::parse(&damaged).unwrap_err();
            if (at, bit) == (8, 0) {
                // The version of networks for a canvas, whose content is another.
                assert!(matches!(error, NetworkError::Variant { .. }));
                continue;
            }
            let NetworkError::File(error) = error else {
                panic!("byte {at} passed for content");
            };
            match at {
                0..8 => assert_eq!(error, FileError::Foreign { kind }),
                8..12 => {
                    let found = u32::from_le_bytes(damaged[8..12].try_into().unwrap());
                    assert_eq!(error, FileError::Version { kind, found });
                }
                12..20 => assert!(matches!(error, FileError::Length { .. })),
                _ => assert_eq!(error, FileError::Checksum { kind }),
            }
        }
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
    let weights = numbers(&variant("##", 1), SIZES, 0.8);
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
    let weights = numbers(&variant, SIZES, 0.8);
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
    let error = parse(&whole[..whole.len() - 1]).unwrap_err();
    assert_eq!(error, NetworkError::Content { at });
}

#[test]
fn a_file_of_the_first_version_is_refused() {
    let mut file = network(&variant("##", 1)).file().to_vec();
    file[8] = 1;
    assert_eq!(
        Network::parse(&file).unwrap_err(),
        NetworkError::Old { version: 1 }
    );
}

#[test]
fn heads_share_the_units_equally() {
    let weights = numbers(&variant("##", 1), SIZES, 0.8);
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
    let weights = numbers(&variant("##", 1), SIZES, 0.8);
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
