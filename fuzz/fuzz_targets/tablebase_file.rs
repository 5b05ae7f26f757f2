#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mijnlieff_fuzz::tablebase_file(data));
