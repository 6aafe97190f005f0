//! Moments as GitHub writes them, and the span of a `created` filter.

/// `2023-11-14T22:13:20Z`.
pub fn iso(epoch: i64) -> String {
    let (days, seconds) = (epoch.div_euclid(86_400), epoch.rem_euclid(86_400));
    // Howard Hinnant's civil_from_days.
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The other way round; also of a date alone, and with an offset.
pub fn epoch(text: &str) -> Option<i64> {
    let (date, time) = text.split_once('T').unwrap_or((text, "00:00:00Z"));
    let mut parts = date.split('-').map(|part| part.parse::<i64>().ok().filter(|_| part.len() >= 2));
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=31).contains(&day) || date.len() != 10 {
        return None;
    }
    let (clock, offset) = match time.strip_suffix('Z') {
        Some(clock) => (clock, 0),
        None => {
            let at = time.rfind(['+', '-'])?;
            let (hours, minutes) = time[at + 1..].split_once(':')?;
            let offset = hours.parse::<i64>().ok()? * 3_600 + minutes.parse::<i64>().ok()? * 60;
            (&time[..at], if time[at..].starts_with('-') { -offset } else { offset })
        }
    };
    let clock = clock.split_once('.').map_or(clock, |(whole, _)| whole);
    let mut parts = clock.split(':').map(|part| part.parse::<i64>().ok().filter(|_| part.len() == 2));
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Howard Hinnant's days_from_civil.
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let doy = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    let doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    Some((era * 146_097 + doe - 719_468) * 86_400 + hour * 3_600 + minute * 60 + second - offset)
}

/// Whether a moment is within `>=D`, `>D`, `<=D`, `<D`, `A..B`, `A..*`, `*..B` or `D` itself (a date
/// alone is that whole day). `None`: no such filter.
pub fn within(filter: &str, moment: i64) -> Option<bool> {
    let last = |text: &str| Some(epoch(text)? + if text.contains('T') { 0 } else { 86_399 });
    let (from, to) = if let Some((from, to)) = filter.split_once("..") {
        let from = if from == "*" { i64::MIN } else { epoch(from)? };
        (from, if to == "*" { i64::MAX } else { last(to)? })
    } else if let Some(from) = filter.strip_prefix(">=") {
        (epoch(from)?, i64::MAX)
    } else if let Some(to) = filter.strip_prefix("<=") {
        (i64::MIN, last(to)?)
    } else if let Some(from) = filter.strip_prefix('>') {
        (last(from)? + 1, i64::MAX)
    } else if let Some(to) = filter.strip_prefix('<') {
        (i64::MIN, epoch(to)? - 1)
    } else {
        (epoch(filter)?, last(filter)?)
    };
    Some((from..=to).contains(&moment))
}
