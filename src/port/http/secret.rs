//! Passwords and tokens, in a type that can't be printed by accident.

use std::fmt;

#[derive(Clone, PartialEq, Eq)]
pub(in crate::port) struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<secret>")
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn is_never_printed() {
        assert_eq!(format!("{:?}", Some(super::Secret::new("hunter2"))), "Some(<secret>)");
    }
}
