//! Random choices that are the same in every run with the same seed.

/// A SplitMix64 random generator. Its quality suffices to choose the data that survives a power cut.
#[derive(Debug, Clone)]
pub(crate) struct SeededRandom(u64);

impl SeededRandom {
    pub(crate) const fn from_seed(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Returns a separate generator for a part of a test.
    pub(crate) fn fork(&mut self) -> Self {
        Self(self.next())
    }

    /// Returns a number below `limit`, or 0 if `limit` is 0.
    pub(crate) fn random_below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).expect("64 bits").max(1);
        usize::try_from(self.next() % limit).expect("below a usize")
    }

    pub(crate) fn random_bool(&mut self) -> bool {
        self.next() & 1 == 1
    }
}
