//! Large pages under the memory of the trees.

#![allow(unsafe_code, reason = "advice about memory is a system call")]

use super::TREES;
use crate::memory::{self, OutOfMemory};

/// Memory with room for this many items, in large pages where the system has them.
///
/// A search of a thousand trees goes through 15 MB again and again. In pages of 4 kB that is more
/// than the processor's TLB covers: large pages make a search up to a third faster, and new memory
/// costs a five-hundredth of the page faults.
pub(crate) fn with_room<T>(items: usize) -> Result<Vec<T>, OutOfMemory> {
    let memory = memory::with_room(TREES, items)?;
    #[cfg(target_os = "linux")]
    advise(memory.as_ptr(), memory.capacity() * size_of::<T>());
    Ok(memory)
}

/// Asks the system for large pages wherever one fits.
#[cfg(target_os = "linux")]
fn advise<T>(start: *const T, bytes: usize) {
    /// The size of a large page on most processors, and a multiple of the size of all small ones.
    const LARGE: usize = 2 << 20;

    let before = start.addr().next_multiple_of(LARGE) - start.addr();
    let length = bytes.saturating_sub(before) / LARGE * LARGE;
    if length > 0 {
        let address = start.wrapping_byte_add(before).cast_mut().cast();
        // SAFETY: the pages lie within memory that the caller has allocated, and the advice changes
        // nothing about what they hold. A system that does not follow it does no harm.
        unsafe { libc::madvise(address, length, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_any_size_can_be_used() {
        for items in [0, 1, 1 << 16, (1 << 20) + 1] {
            let mut memory = with_room(items).unwrap();
            assert!(memory.capacity() >= items);
            memory.extend(0..items as u64);
            assert!(memory.iter().copied().eq(0..items as u64));
        }
    }
}
