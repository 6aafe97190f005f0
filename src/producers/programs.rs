//! The arguments of the programs that write files: which files, and how.

use super::budget::Budget;
use super::command::Command;
use super::hole::{HOLE, join, shown};
use super::sed::Script;
use super::stamp::{Call, Effect, How, starts_a_number, whole, write};
use super::yq as expression;

/// `yq [eval] -i EXPRESSION FILE…`
pub(super) fn yq(command: &Command, arguments: &[String], effects: &mut Vec<Effect>) {
    let (mut in_place, mut expression, mut positional) = (false, None, Vec::new());
    let mut from_file = false;
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            match name {
                "inplace" => in_place = value != Some("false"),
                "expression" => expression = value.map(str::to_owned).or_else(|| rest.next().cloned()),
                "from-file" => from_file = true,
                "output-format" | "input-format" | "indent" | "front-matter" | "split-exp" if value.is_none() => {
                    rest.next();
                }
                _ => {}
            }
        } else if word.starts_with('-') && word.len() > 1 {
            let letters = &word[1..];
            in_place |= letters.split(['o', 'p', 'I', 's', 'f']).next().is_some_and(|flags| flags.contains('i'));
            // `-o json`: the value is the next word; `-ojson`, `-o=json`: it is the rest of this one.
            if letters.ends_with(['o', 'p', 'I', 's', 'f']) {
                rest.next();
            }
        } else {
            positional.push(word);
        }
    }
    if !in_place {
        return;
    }
    let mut files = &positional[..];
    if files.first().is_some_and(|word| matches!(word.as_str(), "eval" | "e" | "eval-all" | "ea")) {
        files = &files[1..];
    }
    let expression = match expression {
        Some(expression) => expression,
        None if from_file => HOLE.to_string(),
        None => match files.split_first() {
            Some((first, others)) => {
                files = others;
                (*first).clone()
            }
            None => return,
        },
    };
    let environment = |name: &str| {
        let found = command.environment.iter().find(|(known, _)| known == name);
        found.map_or(HOLE.to_string(), |(_, value)| value.clone())
    };
    let written = expression::writes(&expression, &environment);
    for file in files {
        let how = match &written {
            Ok(paths) if paths.is_empty() => continue,
            Ok(paths) => How::Keys(paths.clone()),
            Err(expression::Unreadable) => {
                How::Unread(format!("the expression `{}` is more than is read", excerpt(&expression)))
            }
        };
        effects.extend(write(command, file, how));
    }
}

/// `sed -i SCRIPT FILE…`
pub(super) fn sed(command: &Command, arguments: &[String], budget: &Budget, effects: &mut Vec<Effect>) {
    let (mut in_place, mut extended, mut unread) = (false, false, None);
    let from_file = || Some("sed is given a script in a file".to_owned());
    let by_nul = || Some("sed reads it by NUL bytes, and not by lines".to_owned());
    let (mut scripts, mut positional): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut rest = arguments.iter().peekable();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--" => positional.extend(rest.by_ref().map(String::as_str)),
            "-e" | "--expression" => scripts.extend(rest.next().map(String::as_str)),
            "-f" | "--file" => {
                unread = from_file();
                rest.next();
            }
            "-z" | "--null-data" | "--zero-terminated" => unread = by_nul(),
            long if long.starts_with("--file=") => unread = from_file(),
            "--in-place" => in_place = true,
            "--regexp-extended" => extended = true,
            long if long.starts_with("--expression=") => scripts.push(&long["--expression=".len()..]),
            long if long.starts_with("--in-place=") => in_place = true,
            long if long.starts_with("--") => {}
            short if short.starts_with('-') && short.len() > 1 => {
                let flags = &short[1..];
                // What follows `i` is a suffix, what follows `e` a script.
                let plain = flags.find(['i', 'e']).map_or(flags, |at| &flags[..=at]);
                extended |= plain.contains(['E', 'r']);
                if plain.contains('z') {
                    unread = by_nul();
                }
                in_place |= plain.ends_with('i');
                if plain.ends_with('e') {
                    match &flags[plain.len()..] {
                        "" => scripts.extend(rest.next().map(String::as_str)),
                        script => scripts.push(script),
                    }
                }
                // BSD's `-i ''`.
                if short == "-i" && rest.peek().is_some_and(|next| next.is_empty()) {
                    rest.next();
                }
            }
            other => positional.push(other),
        }
    }
    if !in_place {
        return;
    }
    let mut files = &positional[..];
    if scripts.is_empty() && unread != from_file() {
        let Some((script, others)) = files.split_first() else { return };
        scripts.push(script);
        files = others;
    }
    let script = Script::read(&scripts.join("\n"), extended, budget);
    for file in files {
        let how = unread.clone().map_or_else(|| How::Sed(script.clone()), How::Unread);
        effects.extend(write(command, file, how));
    }
}

/// `cp SOURCE… DESTINATION` and its kin: the destination, or a file of the source's name in it.
pub(super) fn copies(command: &Command, arguments: &[String], effects: &mut Vec<Effect>) {
    let files: Vec<&str> = arguments.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let Some((to, from)) = files.split_last() else { return };
    effects.extend(whole(command, to, "copy"));
    for source in from {
        let name = source.rsplit('/').next().unwrap_or_default();
        effects.extend(whole(command, &format!("{}/{name}", to.trim_end_matches('/')), "copy"));
    }
}

/// `curl -o FILE`, `wget -O FILE`.
pub(super) fn downloads(command: &Command, arguments: &[String], effects: &mut Vec<Effect>) {
    for pair in arguments.windows(2) {
        if matches!(pair[0].as_str(), "-o" | "-O" | "--output" | "--output-document") {
            effects.extend(whole(command, &pair[1], "download"));
        }
    }
}

/// `tar -x [-C DIRECTORY]`: whatever is packed, in the directory.
pub(super) fn unpacks(command: &Command, arguments: &[String]) -> Option<Effect> {
    let flags = |word: &String| word.starts_with('-') && !word.starts_with("--");
    let old = arguments.first().filter(|word| !word.starts_with('-'));
    let extracts = arguments.iter().filter(|word| flags(word)).chain(old).any(|word| word.contains('x'))
        || arguments.iter().any(|word| matches!(word.as_str(), "--extract" | "--get"));
    let apart = || arguments.windows(2).find(|pair| matches!(pair[0].as_str(), "-C" | "--directory"));
    let joined = || arguments.iter().find_map(|word| word.strip_prefix("--directory="));
    let to = apart().map(|pair| pair[1].as_str()).or_else(joined).unwrap_or(".");
    let to = format!("{}/{HOLE}", to.trim_end_matches('/'));
    extracts.then(|| write(command, &to, How::Unread("`tar` unpacks it".to_owned())))?
}

/// `make [-C DIRECTORY] [TARGET…] [NAME=VALUE…]`; nothing where make only says what it would do.
pub(super) fn make(command: &Command, arguments: &[String]) -> Option<Effect> {
    let mut call = Call { directory: Some(command.directory.clone()), ..Call::default() };
    let enter = |call: &mut Call, path: &str| {
        call.directory = call.directory.as_deref().and_then(|directory| join(directory, path));
    };
    let mut rest = arguments.iter().peekable();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-C" | "--directory" => enter(&mut call, rest.next()?),
            "-f" | "--file" | "--makefile" => call.file = rest.next().cloned(),
            "-n" | "--dry-run" | "--just-print" | "-q" | "--question" | "-v" | "--version" => return None,
            "-o" | "-W" | "-I" | "-E" => {
                rest.next();
            }
            "-j" | "-l" if rest.peek().is_some_and(|next| starts_a_number(next)) => {
                rest.next();
            }
            long if long.starts_with("--directory=") => enter(&mut call, &long["--directory=".len()..]),
            short if short.starts_with("-C") => enter(&mut call, &short[2..]),
            flag if flag.starts_with('-') => {}
            word => match word.split_once('=').filter(|(name, _)| !name.contains(['/', ' '])) {
                Some((name, value)) => call.variables.push((name.trim_end_matches(':').to_owned(), value.to_owned())),
                None => call.targets.push(word.to_owned()),
            },
        }
    }
    Some(Effect::Make(call))
}

fn excerpt(text: &str) -> String {
    let short: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(80).collect();
    shown(&short)
}
