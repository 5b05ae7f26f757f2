//! The file of the book.
//!
//! ```text
//! the header of `crate::file_header`, with the letters "MIJNBOOK" | groups
//! group: planes less those of the group before | number of entries | entries
//! entry: (rank of the hands less that of the entry before) * 16 + margin + 8
//! ```
//!
//! The numbers of groups and entries are written seven bits a
//! byte, lowest first, the high bit set on all but the last. Groups and entries ascend, so
//! differences are small and an entry takes about two bytes.

use super::{BookError, Group};
use crate::file_header::FileKind;

pub(super) const KIND: FileKind = FileKind {
    name: "book",
    letters: "MIJNBOOK",
    version: 1,
};
/// Margins from -8 to 7 fit an entry.
const MARGIN_OFFSET: i32 = 8;
const MARGIN_BITS: u32 = 4;

/// A number per pair of hands with counts of two bits, each at most 2: base 3, own hand first.
fn rank(hands: u32) -> u32 {
    let digits = [0, 2, 4, 6, 16, 18, 20, 22].map(|shift| hands >> shift & 3);
    digits.into_iter().fold(0, |rank, digit| rank * 3 + digit)
}

fn push(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[inline]
fn pull(bytes: &[u8], at: &mut usize) -> Option<u32> {
    let mut number = 0_u32;
    for shift in [0, 7, 14, 21, 28] {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// The margin of the entry with these hands, among the `len` entries that `bytes` start with.
pub(super) fn find(bytes: &[u8], len: u32, hands: u32) -> Option<i32> {
    let wanted = rank(hands);
    let (mut at, mut found) = (0, 0);
    for _ in 0..len {
        let entry = pull(bytes, &mut at)?;
        found += entry >> MARGIN_BITS;
        if found == wanted {
            return Some((entry & ((1 << MARGIN_BITS) - 1)) as i32 - MARGIN_OFFSET);
        }
    }
    None
}

/// The file with these positions: planes, hands and margin, each position once, in any order.
///
/// # Panics
///
/// If a margin does not fit an entry.
pub(super) fn write(positions: impl Iterator<Item = (u32, u32, i32)>) -> Vec<u8> {
    let mut sorted: Vec<(u32, u32, i32)> = positions
        .map(|(planes, hands, margin)| (planes, rank(hands), margin))
        .collect();
    sorted.sort_unstable();
    let mut body = Vec::new();
    let mut previous = 0;
    for group in sorted.chunk_by(|one, other| one.0 == other.0) {
        push(&mut body, group[0].0 - previous);
        previous = group[0].0;
        push(&mut body, group.len() as u32);
        let mut previous = 0;
        for &(_, rank, margin) in group {
            let margin = margin + MARGIN_OFFSET;
            assert!((0..1 << MARGIN_BITS).contains(&margin));
            push(&mut body, (rank - previous) << MARGIN_BITS | margin as u32);
            previous = rank;
        }
    }
    KIND.seal(&body)
}

/// Groups, the bytes they point into, and the number of positions.
pub(super) type Content = (Vec<Group>, Box<[u8]>, usize);

/// What a file holds.
pub(super) fn read(file: &[u8]) -> Result<Content, BookError> {
    let body = KIND.open(file)?;
    let (mut groups, mut at, mut planes, mut total) = (Vec::new(), 0, 0_u32, 0);
    while at < body.len() {
        let wrong = BookError::Content { at };
        let mut next = || pull(body, &mut at).ok_or_else(|| wrong.clone());
        planes = planes.checked_add(next()?).ok_or_else(|| wrong.clone())?;
        let len = next()?;
        let start = at as u32;
        for _ in 0..len {
            pull(body, &mut at).ok_or_else(|| wrong.clone())?;
        }
        groups.push(Group { planes, start, len });
        total += len as usize;
    }
    Ok((groups, body.into(), total))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_header::FileError;

    const FULL: u32 = 0b1010_1010;

    fn sample() -> Vec<u8> {
        let hands = [
            FULL << 16 | FULL,
            (FULL - 1) << 16 | FULL,
            FULL << 16 | (FULL - 2 * 64),
        ];
        write(
            [
                (7, hands[0], -8),
                (7, hands[1], 7),
                (900, hands[2], 0),
                (u32::MAX, 0, 1),
            ]
            .into_iter(),
        )
    }

    #[test]
    fn what_is_written_is_found() {
        let (groups, entries, len) = read(&sample()).unwrap();
        assert_eq!(len, 4);
        let margin = |planes: u32, hands: u32| {
            let group = groups.iter().find(|group| group.planes == planes)?;
            find(&entries[group.start as usize..], group.len, hands)
        };
        assert_eq!(margin(7, FULL << 16 | FULL), Some(-8));
        assert_eq!(margin(7, (FULL - 1) << 16 | FULL), Some(7));
        assert_eq!(margin(900, FULL << 16 | (FULL - 2 * 64)), Some(0));
        assert_eq!(margin(u32::MAX, 0), Some(1));
        assert_eq!(margin(u32::MAX, 1), None);
    }

    #[test]
    fn any_damage_is_noticed() {
        let file = sample();
        for length in 0..file.len() {
            assert!(read(&file[..length]).is_err());
        }
        assert!(read(&[&file[..], &[0]].concat()).is_err());
        for at in 0..file.len() {
            for bit in 0..8 {
                let mut damaged = file.clone();
                damaged[at] ^= 1 << bit;
                assert!(read(&damaged).is_err(), "byte {at}, bit {bit}");
            }
        }
        let mut newer = file;
        newer[8] = 9;
        let version = FileError::Version {
            kind: KIND,
            found: 9,
        };
        assert_eq!(read(&newer), Err(BookError::File(version)));
    }
}
