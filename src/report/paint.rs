//! Colour, when asked for.

use crate::engine::event::State;

#[derive(Clone, Copy)]
pub struct Paint(pub bool);

impl Paint {
    pub fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    pub fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    pub fn error(self, text: &str) -> String {
        self.with("1;31", text)
    }

    pub fn warning(self, text: &str) -> String {
        self.with("1;33", text)
    }

    pub fn state(self, state: State, text: &str) -> String {
        let code = match state {
            State::Holds => "32",
            State::Work => "36",
            State::Waiting | State::Interrupted => "33",
            State::Refused | State::Failed => "1;31",
        };
        self.with(code, text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.0 { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}
