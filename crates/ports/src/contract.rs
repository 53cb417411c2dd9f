//! The suite that every store must pass: call each function from a test of the adapter.
