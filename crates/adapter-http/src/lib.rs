//! adapter-http

mod media_type;
