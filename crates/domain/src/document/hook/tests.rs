//! What is refused in documents of hooks.
