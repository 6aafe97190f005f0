//! What one command of a recipe does to references: the declared patterns, and what can't be known.

use super::budget::Budget;
use super::command::Command;
use super::hole::{HOLE, HOLE_TEXT, is_known, join, shown};
use super::key_path::KeyPath;
use super::outputs;
use super::programs;
use super::sed::Script;

/// One thing that a command does.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    /// Writes a file, or files where the path has a hole or a `*`.
    Write { file: String, how: How },
    /// Runs `docker buildx build`.
    Build,
    /// Runs make.
    Make(Call),
    /// May write anything of its package.
    Unknown(String),
}

/// How a file is written.
#[derive(Clone, Debug)]
pub(super) enum How {
    /// By yq: these keys.
    Keys(Vec<KeyPath>),
    /// By sed, in place.
    Sed(Script),
    /// As a whole.
    Whole(&'static str),
    /// Nobody can say what of it.
    Unread(String),
}

/// A run of make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Call {
    /// In the repository; `None` leads out of it.
    pub directory: Option<String>,
    pub targets: Vec<String>,
    /// Variables of the command line.
    pub variables: Vec<(String, String)>,
    /// A Makefile of another name.
    pub file: Option<String>,
}

/// Commands in front of a command.
const WRAPPERS: [&str; 9] = ["time", "command", "exec", "sudo", "nice", "nohup", "env", "builtin", "timeout"];

/// Programs that write no file which they are given, but for their output. Those with an option for that are not here:
/// [`super::outputs`].
const READERS: &str = ": [ [[ awk basename break case cat cd chmod cmp continue cosign crane cut date diff dirname do du echo \
    envsubst esac exit export expr false flux grep gzip gh head helm hostname id jq kubectl local ls mkdir mktemp nproc oras \
    printf pwd read return rm rmdir seq set sha256sum shift sleep stat tail test touch tr trap true type \
    ulimit umask uname unset wait wc which";

/// Programs that do what another text says.
const INTERPRETERS: &str = ". eval find node parallel patch perl python python3 ruby source xargs sh bash";

/// What a command does.
pub(super) fn effects(command: &Command, budget: &Budget) -> Vec<Effect> {
    let mut effects: Vec<Effect> = Vec::new();
    for (_, file) in &command.outputs {
        effects.extend(whole(command, file, "redirect"));
    }
    let mut words = &command.words[..];
    while let [first, rest @ ..] = words
        && WRAPPERS.contains(&first.as_str())
    {
        // `command -v yq` asks where it is.
        if first == "command" && rest.first().is_some_and(|word| matches!(word.as_str(), "-v" | "-V")) {
            return effects;
        }
        let option =
            |word: &String| word.starts_with('-') || word.contains('=') || first == "timeout" && starts_a_number(word);
        words = &rest[rest.iter().take_while(|word| option(word)).count()..];
    }
    let [program, arguments @ ..] = words else { return effects };
    let name = program.rsplit('/').next().unwrap_or_default();
    match name {
        "yq" => programs::yq(command, arguments, &mut effects),
        "sed" | "gsed" => programs::sed(command, arguments, budget, &mut effects),
        "make" | "gmake" => effects.extend(programs::make(command, arguments)),
        "tee" => {
            for file in arguments.iter().filter(|word| !word.starts_with('-')) {
                effects.extend(whole(command, file, "tee"));
            }
        }
        "cp" | "mv" | "install" | "ln" => programs::copies(command, arguments, &mut effects),
        "docker" | "podman" | "nerdctl" | "buildx" | "docker-buildx" => {
            let builds = words.windows(2).any(|pair| {
                matches!(pair[0].as_str(), "buildx" | "docker-buildx") && matches!(pair[1].as_str(), "build" | "b")
            });
            if builds {
                effects.push(Effect::Build);
            } else if let Some(inner) = arguments.iter().find(|word| matches!(word.as_str(), "yq" | "sed")) {
                effects.push(Effect::Unknown(format!("`{name}` runs `{inner}` somewhere else")));
            }
        }
        "git" => {
            if let Some(verb) =
                arguments.iter().find(|word| matches!(word.as_str(), "apply" | "am" | "checkout" | "restore"))
            {
                effects.push(Effect::Unknown(format!("`git {verb}` changes files")));
            }
        }
        "go" if arguments.first().is_none_or(|verb| !matches!(verb.as_str(), "run" | "generate" | "tool")) => {}
        "awk" | "gawk" if arguments.iter().any(|word| word == "inplace") => {
            effects.push(Effect::Unknown("`awk` writes in place".to_owned()));
        }
        // Its script was read with the rest.
        "sh" | "bash" if arguments.iter().any(|word| word == "-c") => {}
        "curl" | "wget" => programs::downloads(command, arguments, &mut effects),
        "tar" => effects.extend(programs::unpacks(command, arguments)),
        "dd" | "openssl" | "skopeo" | "sort" | "uniq" => {
            effects.extend(outputs::outputs(command, name, arguments).unwrap_or_default());
        }
        _ if !is_known(program) => {
            effects.push(Effect::Unknown(format!("`{}`: which program that is depends on the run", shown(program))));
        }
        _ if words_of(READERS, name) => {}
        _ if words_of(INTERPRETERS, name) || name == "go" => {
            let called: Vec<&str> = words.iter().take(2).map(String::as_str).collect();
            effects.push(Effect::Unknown(format!("`{}` is called", shown(&called.join(" ")))));
        }
        _ if program.contains('/') && !program.starts_with('/') => {
            effects.push(Effect::Unknown(format!("`{}` is called", shown(program))));
        }
        // Another program: what it is given by name it may write.
        _ => {
            for word in arguments {
                let file =
                    word.split_once('=').filter(|_| word.starts_with('-')).map_or(word.as_str(), |(_, value)| value);
                // Of a word with a hole nobody can say that it is no file. One that begins with it may be any file, as
                // with a script that is called.
                if file.starts_with(HOLE) {
                    let text = format!("`{name}` is given `{}`: which file that is depends on the run", shown(file));
                    effects.push(Effect::Unknown(text));
                } else if (file.contains(['/', '.']) || !is_known(file)) && !file.starts_with('-') {
                    effects.extend(write(command, file, How::Unread(format!("`{name}` is given it"))));
                }
            }
        }
    }
    effects
}

fn words_of(list: &str, name: &str) -> bool {
    list.split(' ').any(|word| word == name)
}

pub(super) fn starts_a_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

pub(super) fn write(command: &Command, file: &str, how: How) -> Option<Effect> {
    let mut file = join(&command.directory, file)?;
    // `[ab]` and `{a,b}` are names that the shell computes.
    while let Some((open, close)) = file.find(['[', '{']).and_then(|at| Some((at, at + file[at..].find([']', '}'])?))) {
        file.replace_range(open..=close, HOLE_TEXT);
    }
    Some(Effect::Write { file, how })
}

pub(super) fn whole(command: &Command, file: &str, by: &'static str) -> Option<Effect> {
    write(command, file, How::Whole(by))
}

/// Whether a text that isn't read may hold one of the patterns.
pub(super) fn may_stamp(text: &str) -> bool {
    let has = |word: &str| text.contains(word);
    (has("yq") || has("sed")) && has("-i")
        || text.starts_with("file ")
        || has("buildx")
        || has(".tag") && has(">")
        || has("tee ")
}

/// Reads a command line that may be a run of make, as a pipeline file declares it.
pub(super) fn declared_call(line: &str) -> Option<Call> {
    let words: Vec<String> = line.split_ascii_whitespace().map(str::to_owned).collect();
    let (program, arguments) = words.split_first()?;
    let command = Command::default();
    match programs::make(&command, arguments).filter(|_| program == "make") {
        Some(Effect::Make(call)) if call.file.is_none() => Some(call),
        _ => None,
    }
}
