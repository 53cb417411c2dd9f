//! Where nothing is ever dialled.
