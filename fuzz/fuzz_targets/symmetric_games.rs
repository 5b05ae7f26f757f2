#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mijnlieff_fuzz::symmetric_games(data));
