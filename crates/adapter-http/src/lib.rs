//! adapter-http
