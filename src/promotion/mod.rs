//! promotion
