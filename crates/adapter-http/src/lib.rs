//! adapter-http

mod media_type;
mod wire;
