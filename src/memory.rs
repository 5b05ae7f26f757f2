//! Memory whose size a caller chooses: an error where the system does not grant it.
//!
//! `Vec` aborts the process when it cannot grow. So memory whose size a caller chooses is allocated
//! here, or `make_room` is called before it grows.

#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};

use bytemuck::Zeroable;
use ndarray::Array2;
use thiserror::Error;

/// Memory that the system did not grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not enough memory for {what}: {bytes} bytes needed")]
pub struct OutOfMemory {
    /// The use of the memory.
    pub what: &'static str,
    /// How much was asked for at once, in bytes.
    pub bytes: usize,
}

impl OutOfMemory {
    pub(crate) fn of<T>(what: &'static str, items: usize) -> Self {
        let bytes = items.saturating_mul(size_of::<T>());
        Self { what, bytes }
    }
}

/// An empty vector with room for this many items.
pub(crate) fn with_room<T>(what: &'static str, items: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut memory = Vec::new();
    match memory.try_reserve_exact(items) {
        Ok(()) => Ok(memory),
        Err(_) => Err(OutOfMemory::of::<T>(what, items)),
    }
}

/// This many copies of an item.
pub(crate) fn filled<T: Clone>(
    what: &'static str,
    items: usize,
    item: T,
) -> Result<Vec<T>, OutOfMemory> {
    let mut memory = with_room(what, items)?;
    memory.resize(items, item);
    Ok(memory)
}

/// As many items of zero bytes.
///
/// The system hands such memory out page by page when it is first written to, so this takes no time
/// however much it is; only types aligned to more than 16 bytes are written to at once.
pub(crate) fn zeroed<T: Zeroable>(what: &'static str, items: usize) -> Result<Vec<T>, OutOfMemory> {
    bytemuck::allocation::try_zeroed_slice_box(items)
        .map(Vec::from)
        .map_err(|()| OutOfMemory::of::<T>(what, items))
}

/// A matrix of zero bytes.
pub(crate) fn zeroed_rows<T: Zeroable>(
    what: &'static str,
    rows: usize,
    columns: usize,
) -> Result<Array2<T>, OutOfMemory> {
    let items = zeroed(what, rows.saturating_mul(columns))?;
    Ok(Array2::from_shape_vec((rows, columns), items).expect("as many items as the shape has"))
}

/// Fails unless this many bytes can be had now. Nothing is kept.
///
/// For what is made of many small vectors, none of which asks: only another thread can still take the
/// memory before they do.
pub(crate) fn check_room(what: &'static str, bytes: u64) -> Result<(), OutOfMemory> {
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    // An allocation that nobody sees may be left out by the compiler.
    std::hint::black_box(with_room::<u8>(what, bytes)?);
    Ok(())
}

/// Makes room for this many more items, and at least doubles the capacity, so that growing stays
/// cheap.
#[inline(always)]
pub(crate) fn make_room<T>(
    memory: &mut Vec<T>,
    what: &'static str,
    more: usize,
) -> Result<(), OutOfMemory> {
    if memory.capacity() - memory.len() >= more {
        return Ok(());
    }
    grow(memory, what, more)
}

#[cold]
#[inline(never)]
fn grow<T>(memory: &mut Vec<T>, what: &'static str, more: usize) -> Result<(), OutOfMemory> {
    let wanted = memory.capacity().saturating_mul(2);
    let wanted = wanted.max(memory.len().saturating_add(more));
    let refused = |_| OutOfMemory::of::<T>(what, wanted);
    let missing = wanted - memory.len();
    memory.try_reserve_exact(missing).map_err(refused)
}

/// Makes room for this many more entries of a map, which doubles its capacity when it grows.
#[inline(always)]
pub(crate) fn make_room_in_map<K: Eq + Hash, V, S: BuildHasher>(
    map: &mut HashMap<K, V, S>,
    what: &'static str,
    more: usize,
) -> Result<(), OutOfMemory> {
    let before = map.len();
    map.try_reserve(more).map_err(|_| {
        let wanted = before.saturating_add(more).saturating_mul(2);
        OutOfMemory::of::<(K, V)>(what, wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More than any address space holds.
    const TOO_MANY: usize = usize::MAX / 16;

    #[test]
    fn what_cannot_be_had_is_an_error_that_names_the_bytes() {
        let refused = |items: usize| OutOfMemory {
            what: "a test",
            bytes: items.saturating_mul(8),
        };
        for items in [TOO_MANY, usize::MAX] {
            let error = refused(items);
            assert_eq!(with_room::<u64>("a test", items), Err(error));
            assert_eq!(filled("a test", items, 7_u64), Err(error));
            assert_eq!(zeroed::<u64>("a test", items), Err(error));
        }
        assert_eq!(check_room("a test", 1 << 20), Ok(()));
        let (what, bytes) = ("a test", usize::MAX);
        assert_eq!(check_room(what, u64::MAX), Err(OutOfMemory { what, bytes }));
        let mut memory = vec![1_u64, 2];
        let error = make_room(&mut memory, "a test", TOO_MANY);
        assert_eq!(error, Err(refused(TOO_MANY + 2)));
        assert_eq!(memory, [1, 2]);
        let mut map = HashMap::from([(1_u32, 2_u32)]);
        let error = make_room_in_map(&mut map, "a test", TOO_MANY);
        assert_eq!(error, Err(refused(2 * (TOO_MANY + 1))));
        assert_eq!(map[&1], 2);
        let text = refused(3).to_string();
        assert_eq!(text, "not enough memory for a test: 24 bytes needed");
    }

    #[test]
    fn what_can_be_had_is_as_asked_for() {
        assert!(with_room::<u64>("a test", 5).unwrap().capacity() >= 5);
        assert_eq!(filled("a test", 3, 7_u8).unwrap(), [7; 3]);
        assert_eq!(zeroed::<i16>("a test", 3).unwrap(), [0; 3]);
        let mut memory = Vec::new();
        let mut moves = 0;
        for item in 0..1000 {
            let before = memory.capacity();
            make_room(&mut memory, "a test", 1).unwrap();
            moves += usize::from(memory.capacity() != before);
            memory.push(item);
        }
        assert!(moves <= 11, "{moves}");
    }
}
