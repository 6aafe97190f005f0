//! Moments as servers spell them, in seconds since 1970.

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7). The two older spellings, which nobody may
/// send any more, are not read.
pub(in crate::port) fn http_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let parts: Vec<&str> = text.trim().split([' ', ':']).collect();
    let [_, day, month, year, hour, minute, second, "GMT"] = parts.as_slice() else { return None };
    let month = MONTHS.iter().position(|name| name == month)? as u64 + 1;
    seconds([year.parse().ok()?, month, day.parse().ok()?], [hour, minute, second])
}

/// `1994-11-06T08:49:37Z`: the one spelling of RFC 3339 that GitHub uses, and that sorts as text.
pub(in crate::port) fn rfc3339(text: &str) -> Option<u64> {
    let shape = text.bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
    if !shape.eq(*b"0000-00-00T00:00:00Z") {
        return None;
    }
    let parts: Vec<&str> = text.split(['-', 'T', ':', 'Z']).collect();
    let [year, month, day, hour, minute, second, ""] = parts.as_slice() else { return None };
    seconds([year.parse().ok()?, month.parse().ok()?, day.parse().ok()?], [hour, minute, second])
}

fn seconds([year, month, day]: [u64; 3], [hour, minute, second]: [&str; 3]) -> Option<u64> {
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Days from the civil calendar, counted in years that start in March.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719_468;
    let (hour, minute, second): (u64, u64, u64) = (hour.parse().ok()?, minute.parse().ok()?, second.parse().ok()?);
    (hour < 24 && minute < 60 && second <= 60).then_some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_http_dates() {
        assert_eq!(http_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(http_date("Thu, 29 Feb 2024 23:59:59 GMT"), Some(1_709_251_199));
        for text in
            ["", "soon", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49 GMT", "x, 6 Foo 1994 1:1:1 GMT"]
        {
            assert_eq!(http_date(text), None, "{text}");
        }
    }

    #[test]
    fn reads_one_spelling_of_rfc_3339() {
        assert_eq!(rfc3339("1994-11-06T08:49:37Z"), Some(784_111_777));
        for text in [
            "",
            "1994-11-06",
            "1994-11-06T08:49:37+00:00",
            "1994-11-06T08:49:37.5Z",
            "1994-11-06t08:49:37z",
            "1994-13-06T08:49:37Z",
            "1994-11-06T24:49:37Z",
            "1994-11-06T08:49:37Z ",
        ] {
            assert_eq!(rfc3339(text), None, "{text}");
        }
    }
}
