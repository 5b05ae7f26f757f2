#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mijnlieff_fuzz::state_words(data));
