//! Answers that are none, or too much.
