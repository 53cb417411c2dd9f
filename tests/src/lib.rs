//! acceptance
#[cfg(test)]
mod layers;
