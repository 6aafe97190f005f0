//! What YAML takes a plain scalar for. Both versions in use are asked, for a file may be read by
//! either: 1.2 (core schema, 10.3.2) and 1.1 (the types at yaml.org/type), as Helm's and most of
//! Kubernetes' readers are.

use super::{Scalar, Style, is_number};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    Text,
    Null,
    Boolean(bool),
    /// The number as it would be written again: `1.20` is `1.2`.
    Number(String),
    Date,
}

impl Scalar {
    /// What either version reads the scalar as, if not as text. Tags are for those who see them.
    pub fn reading(&self) -> Reading {
        match self.style {
            Style::Plain if self.is_null() => Reading::Null,
            Style::Plain => Reading::of(&self.value),
            Style::SingleQuoted | Style::DoubleQuoted | Style::Block => Reading::Text,
        }
    }
}

impl Reading {
    /// Of a plain scalar's text.
    pub fn of(text: &str) -> Self {
        match text {
            "" | "~" | "null" | "Null" | "NULL" => Self::Null,
            "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" | "y" | "Y" => Self::Boolean(true),
            "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" | "n" | "N" => {
                Self::Boolean(false)
            }
            _ if is_date(text) => Self::Date,
            _ => number(text).map_or(Self::Text, Self::Number),
        }
    }
}

fn number(text: &str) -> Option<String> {
    let (sign, unsigned) = match text.as_bytes().first()? {
        b'-' => ("-", text.get(1..)?),
        b'+' => ("", text.get(1..)?),
        _ => ("", text),
    };
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let digits = unsigned.replace('_', "");
    // In 1.1 underscores may stand between the digits of any base, and `:` counts by sixties.
    let value = based(&digits).or_else(|| sixties(&digits)).or_else(|| {
        is_number(&digits).then(|| match digits.trim_start_matches('0') {
            "" => "0".to_owned(),
            whole if whole.bytes().all(|b| b.is_ascii_digit()) => whole.to_owned(),
            _ => float(&digits),
        })
    })?;
    Some(format!("{sign}{value}"))
}

/// `0x1f`, `0b11`, and both spellings of octal numbers.
fn based(digits: &str) -> Option<String> {
    let octal = || digits.strip_prefix('0').filter(|rest| !rest.is_empty()).map(|rest| (rest, 8));
    let prefixed = |prefix, base| digits.strip_prefix(prefix).map(|rest| (rest, base));
    let (rest, base) = prefixed("0x", 16).or_else(|| prefixed("0o", 8)).or_else(|| prefixed("0b", 2)).or_else(octal)?;
    let valid = !rest.is_empty() && rest.chars().all(|c| c.is_digit(base));
    valid.then(|| u128::from_str_radix(rest, base).map_or_else(|_| digits.to_owned(), |value| value.to_string()))
}

/// `1:30` is ninety.
fn sixties(digits: &str) -> Option<String> {
    let (first, rest) = digits.split_once(':')?;
    let whole = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !whole(first) {
        return None;
    }
    let (rest, fraction) = rest.split_once('.').map_or((rest, ""), |(rest, fraction)| (rest, fraction));
    let mut value: f64 = first.parse().ok()?;
    for part in rest.split(':') {
        let part: u8 = part.parse().ok().filter(|&n| n < 60 && whole(part) && part.len() < 3)?;
        value = value * 60.0 + f64::from(part);
    }
    match fraction {
        "" => Some(float(&value.to_string())),
        _ => whole(fraction).then(|| float(&format!("{value}.{fraction}"))),
    }
}

fn float(digits: &str) -> String {
    match digits.parse::<f64>() {
        Ok(value) if value.is_infinite() => "infinity".to_owned(),
        Ok(value) if value != 0.0 && !(1e-6..1e21).contains(&value) => format!("{value:e}"),
        Ok(value) => value.to_string(),
        Err(_) if digits.eq_ignore_ascii_case(".inf") => "infinity".to_owned(),
        Err(_) => "not a number".to_owned(),
    }
}

/// `2026-09-15`, or that and a time.
fn is_date(text: &str) -> bool {
    let shape = |text: &str, shape: &str| {
        text.len() == shape.len()
            && text.bytes().zip(shape.bytes()).all(|(b, s)| if s == b'0' { b.is_ascii_digit() } else { b == s })
    };
    if shape(text, "0000-00-00") {
        return true;
    }
    // A time may come with a month or a day of one digit.
    let Some((date, time)) = text.split_once(['T', 't', ' ', '\t']) else { return false };
    let dated = ["0000-00-00", "0000-0-00", "0000-00-0", "0000-0-0"].iter().any(|s| shape(date, s));
    let time = time.trim_start_matches([' ', '\t']);
    let clock = time.split(|c: char| !c.is_ascii_digit() && c != ':').next().unwrap_or_default();
    let zoned = |b: u8| b.is_ascii_digit() || matches!(b, b':' | b'.' | b'Z' | b'+' | b'-' | b' ' | b'\t');
    dated && ["0:00:00", "00:00:00"].iter().any(|s| shape(clock, s)) && time.bytes().all(zoned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Yaml;

    #[test]
    fn says_what_a_number_becomes() {
        for (text, value) in [
            ("1.20", "1.2"),
            ("4.10", "4.1"),
            ("-1.0", "-1"),
            ("61e9540", "infinity"),
            ("1e3", "1000"),
            ("12e45", "1.2e46"),
            ("0x10", "16"),
            ("0x1_f", "31"),
            ("0644", "420"),
            ("0o755", "493"),
            ("0890", "890"),
            ("0b11", "3"),
            ("1_0", "10"),
            ("+7", "7"),
            ("000", "0"),
            ("1:30", "90"),
            ("190:20:30", "685230"),
            ("1:30.5", "90.5"),
            (".5", "0.5"),
            ("-.inf", "-infinity"),
            (".NaN", "not a number"),
            ("123456789012345678901234567890123456789012", "123456789012345678901234567890123456789012"),
        ] {
            assert_eq!(Reading::of(text), Reading::Number(value.to_owned()), "{text}");
        }
    }

    #[test]
    fn knows_truths_nulls_dates_and_leaves_text() {
        for (text, reading) in [
            ("no", Reading::Boolean(false)),
            ("On", Reading::Boolean(true)),
            ("~", Reading::Null),
            ("2026-09-15", Reading::Date),
            ("2001-12-14t21:59:43.10-05:00", Reading::Date),
            ("2001-1-4 1:59:43 Z", Reading::Date),
        ] {
            assert_eq!(Reading::of(text), reading, "{text}");
        }
        for text in [
            "1.2.3",
            "v1",
            "_1",
            "nO",
            "1:60",
            "1:300",
            "a:1",
            "0x",
            "0xg",
            "2026-09",
            "2026-9-15",
            "2026-09-15x",
            "sha256:12",
            "nginx:1",
            "1-2",
            "-",
            "+",
            "_",
            "1.x",
            "host:5000/x",
            "1:2:",
            ":1",
            "é",
        ] {
            assert_eq!(Reading::of(text), Reading::Text, "{text}");
        }
    }

    #[test]
    fn quotes_make_text() {
        let yaml = Yaml::parse("['1.20', \"no\", 1.20, ~, ]").unwrap();
        let readings: Vec<_> = yaml.scalars().map(Scalar::reading).collect();
        assert_eq!(readings, [Reading::Text, Reading::Text, Reading::Number("1.2".into()), Reading::Null]);
    }
}
