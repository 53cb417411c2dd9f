//! adapter-webhook
