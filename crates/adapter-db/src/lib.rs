//! adapter-db
