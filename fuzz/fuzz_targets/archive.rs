#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sealift_fuzz::archive::check(data));
