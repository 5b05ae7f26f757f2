//! The table of play and its players for a page, compiled to WebAssembly.
//!
//! `buffer` gives room for a request, `call` answers it: both are JSON, see [`calls`]. The answer lies at
//! `answer_at` and is `answer_len` bytes long. `network` takes the file of a network from the buffer.

mod calls;
mod player;

use std::cell::RefCell;

use calls::Core;

#[derive(Default)]
struct Page {
    core: Core,
    request: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    static PAGE: RefCell<Page> = RefCell::default();
}

/// Room for a request of this many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn buffer(len: usize) -> *mut u8 {
    PAGE.with_borrow_mut(|page| {
        page.request.clear();
        page.request.resize(len, 0);
        page.request.as_mut_ptr()
    })
}

/// Answers the request in the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn call() {
    PAGE.with_borrow_mut(|page| page.answer = page.core.answer(&page.request).into_bytes());
}

/// Takes the network in the buffer; the answer is as that of `call`.
#[unsafe(no_mangle)]
pub extern "C" fn network() {
    PAGE.with_borrow_mut(|page| {
        page.answer = page.core.take_network(&page.request).into_bytes();
        page.request = Vec::new();
    });
}

/// Where the answer lies.
#[unsafe(no_mangle)]
pub extern "C" fn answer_at() -> *const u8 {
    PAGE.with_borrow(|page| page.answer.as_ptr())
}

/// The bytes of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer_len() -> usize {
    PAGE.with_borrow(|page| page.answer.len())
}
