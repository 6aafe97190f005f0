//! Every sealift command line that people or runners type is one that the real CLI takes.

use clap::{CommandFactory as _, Parser as _, error::ErrorKind};
use sealift::cli::args::Cli;

use super::{expressions, text, workflows};

const DIGEST: &str = "sha256:9be59e3d86a9a0421b3c028db7fbfdc13e6dd577ce112bdf9b6657a988fa5b66";

/// What each expression in an argument can be. One that isn't here fails the test.
const VALUES: [(&str, &[&str]); 6] = [
    ("needs.lane.outputs.candidate", &["v1.6.2-rc.1"]),
    (
        "needs.lane.outputs.version || format('--pull-request={0}', github.event.pull_request.number)",
        &["v1.6.2", "--pull-request=7"],
    ),
    ("github.event.pull_request.number", &["7"]),
    (
        "inputs.skip-evidence && format('--skip-evidence={0}', inputs.skip-evidence) || ''",
        &["", "--skip-evidence=the runners are down"],
    ),
    (
        "needs.assets.outputs.built == 'true' && format('--assets={0}/assets', runner.temp) || ''",
        &["", "--assets=/tmp/assets"],
    ),
    (
        "needs.assets.outputs.built == 'true' && inputs.replace-assets && '--replace-assets' || ''",
        &["", "--replace-assets"],
    ),
];

/// What people put in place of these words.
const PLACEHOLDERS: [(&str, &str); 6] = [
    ("vX.Y.Z-rc.N", "v1.6.2-rc.1"),
    ("vX.Y.Z", "v1.6.2"),
    ("VERSION", "v1.6.2"),
    ("SEAL", DIGEST),
    ("N", "7"),
    ("[DIR]", "DIR"),
];

/// Whether a command line is right, or why not. A mention in running text may leave out what
/// every command needs; nobody may name a command or a flag that isn't there.
fn taken(words: &[String], mention: bool) -> Result<(), String> {
    let error = match Cli::try_parse_from(words) {
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(()),
        ErrorKind::MissingRequiredArgument
        | ErrorKind::MissingSubcommand
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            if mention =>
        {
            Ok(())
        }
        _ => Err(format!("`{}`: {error}", words.join(" "))),
    }
}

/// A line as a shell splits it, without its comment; placeholders filled in.
fn words(line: &str) -> Vec<String> {
    let line = line.split(" # ").next().unwrap().split(" >").next().unwrap();
    let fill = |word: &str| {
        let known = PLACEHOLDERS.iter().find(|(placeholder, _)| *placeholder == word);
        known.map_or(word, |(_, value)| value).to_owned()
    };
    let mut words = Vec::new();
    let mut quoted = false;
    for part in line.split('"') {
        match quoted {
            true => words.push(part.to_owned()),
            false => words.extend(part.split_whitespace().map(fill)),
        }
        quoted = !quoted;
    }
    words
}

/// The sealift command lines of a page: whole ones in code blocks, mentions between backticks.
fn in_markdown(page: &str) -> Vec<(Vec<String>, bool)> {
    let mut found = Vec::new();
    let mut prose = String::new();
    let mut block = false;
    let joined = page.replace("\\\n", " ");
    for line in joined.lines() {
        if line.trim_start().starts_with("```") {
            block = !block;
        } else if block {
            let line = line.trim_start().trim_start_matches("$ ").replace("cargo run -- ", "sealift ");
            if line.starts_with("sealift ") {
                found.push((words(&line), false));
            }
        } else {
            prose.push_str(line);
            prose.push(' ');
        }
    }
    let spans = prose.split('`').skip(1).step_by(2);
    found.extend(spans.filter(|span| span.starts_with("sealift ")).map(|span| (words(span), true)));
    found
}

/// Long flags between backticks: `--assets DIR`, of any command.
fn flags_in_markdown(page: &str) -> Vec<&str> {
    let apart = |c: char| c.is_whitespace() || c == '=';
    let spans = page.split("```").step_by(2).flat_map(|prose| prose.split('`').skip(1).step_by(2));
    let words = spans.filter(|span| span.starts_with("--")).flat_map(|span| span.split(apart));
    words.filter_map(|word| word.strip_prefix("--")).collect()
}

/// Every way that an action's arguments can read: one word a line, blank lines left out.
fn in_arguments(args: &str) -> Vec<Vec<String>> {
    let mut readings = vec![args.to_owned()];
    for expression in expressions(args) {
        let values = VALUES.iter().find(|(known, _)| *known == expression);
        let (_, values) = values.unwrap_or_else(|| panic!("what can `{expression}` be? say it in VALUES"));
        let fill = |reading: &String, value: &&str| reading.replacen(&format!("${{{{ {expression} }}}}"), value, 1);
        readings = readings.iter().flat_map(|reading| values.iter().map(move |value| fill(reading, value))).collect();
    }
    let words = |reading: String| {
        let lines = reading.lines().filter(|line| !line.is_empty()).map(str::to_owned);
        std::iter::once("sealift".to_owned()).chain(lines).collect()
    };
    readings.into_iter().map(words).collect()
}

/// Calls of sealift in a shell script: the program's name where a command begins, by whatever path.
fn in_script(script: &str) -> Vec<&str> {
    let code = script.lines().filter(|line| !line.trim_start().starts_with('#'));
    let commands = code.flat_map(|line| line.split(['|', ';', '&', '(', '`', '{', '!']));
    let calls = commands.filter(|command| {
        let words = command.split_whitespace().skip_while(|word| word.contains('=') || SHELL.contains(word));
        let name = words.map(|word| word.trim_matches(['"', '\''])).next().unwrap_or_default();
        name.rsplit('/').next() == Some("sealift")
    });
    calls.map(str::trim).collect()
}

/// Words of the shell after which a command begins.
const SHELL: [&str; 12] =
    ["if", "then", "else", "elif", "do", "while", "until", "exec", "command", "time", "env", "sudo"];

#[test]
fn a_call_in_a_script_is_found_wherever_it_stands() {
    for call in [
        "sealift plan v1.6.2-rc.1",
        "  X=1 sealift status",
        "cd x && ./target/release/sealift status",
        "state=$(sealift status)",
        "if ! \"$dir/sealift\" verify v1.6.2; then :; fi",
        "exec sealift check p.yaml",
        "true\nelse sealift run v1.6.2",
        "echo x | sealift refs list",
    ] {
        assert_eq!(in_script(call).len(), 1, "{call}");
    }
    for none in
        ["# sealift run", "echo \"run sealift again\"", "cp sealift-x86_64-linux dist/", "cargo build -p sealift"]
    {
        assert!(in_script(none).is_empty(), "{none}");
    }
}

#[test]
fn workflows_call_commands_that_exist() {
    let (mut steps, mut wrong) = (0, Vec::new());
    for workflow in workflows() {
        for job in workflow.jobs() {
            for step in job.steps() {
                let in_script = in_script(step["run"].as_str().unwrap_or_default());
                assert!(in_script.is_empty(), "a command of a script's, past the action: {in_script:?}");
                if step["uses"].as_str() != Some("./.github/actions/sealift") {
                    continue;
                }
                steps += 1;
                // The pipeline comes by the environment.
                assert_eq!(workflow.yaml["env"]["SEALIFT_PIPELINE"].as_str(), Some(super::PIPELINE));
                let readings = in_arguments(step["with"]["args"].as_str().unwrap()).into_iter();
                // Both hang on the same output: without files that were built nothing is replaced by them.
                let is = |words: &[String], start: &str| words.iter().any(|word| word.starts_with(start));
                let readings = readings.filter(|words| is(words, "--assets=") || !is(words, "--replace-assets"));
                for mut words in readings {
                    words.push("--pipeline=P".into());
                    wrong.extend(taken(&words, false).err());
                }
            }
        }
    }
    assert_eq!(steps, 5);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn documents_name_commands_and_flags_that_exist() {
    let mut wrong = Vec::new();
    let known: Vec<String> = flags(&Cli::command());
    for (page, least) in [
        ("README.md", 15),
        ("docs/adopt.md", 10),
        ("docs/overlay.md", 1),
        ("docs/explain.md", 6),
        ("CONTRIBUTING.md", 1),
    ] {
        let page_text = text(page);
        let found = in_markdown(&page_text);
        assert!(found.len() >= least, "{page}: only {} command lines found", found.len());
        wrong.extend(
            found.iter().filter_map(|(words, mention)| Some(format!("{page}: {}", taken(words, *mention).err()?))),
        );
        let unknown = flags_in_markdown(&page_text).into_iter().filter(|flag| !known.iter().any(|known| known == flag));
        wrong.extend(unknown.map(|flag| format!("{page}: no command has --{flag}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_example_pipeline_is_a_good_one() {
    let page = text("docs/adopt.md");
    let block = |start: &str| {
        let at = page.split("```yaml\n").position(|block| block.trim_start().starts_with(start)).unwrap();
        let block = page.split("```yaml\n").nth(at).unwrap().split("```").next().unwrap();
        let lines: Vec<&str> = block.lines().map(|line| line.strip_prefix("   ").unwrap_or(line)).collect();
        (at, lines.join("\n"))
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sealift.yaml");
    let load = |text: &str| {
        std::fs::write(&file, text).unwrap();
        sealift::pipeline::load(&file).unwrap_or_else(|error| panic!("{error}"))
    };
    let (first, whole) = block("name: ");
    let pipeline = load(&whole);
    assert_eq!(pipeline.name, "shop");
    // What a base must have is asked for once it is there, or every preview until then would be red.
    assert!(pipeline.base_requires.is_empty());
    let (later, more) = block("base_requires:");
    let pipeline = load(&format!("{whole}\n{more}"));
    assert_eq!(pipeline.base_requires.iter().map(|needed| needed.file.clone()).collect::<Vec<_>>(), [FINALIZE]);
    let copied = page.find("**Copy [`promote.yml`]").unwrap();
    assert!(first < later && copied < page.find("base_requires:").unwrap());
}

/// The workflow that a merge starts.
const FINALIZE: &str = ".github/workflows/finalize.yml";

/// The long flags of a command and its subcommands.
fn flags(command: &clap::Command) -> Vec<String> {
    let own = command.get_arguments().filter_map(|argument| argument.get_long()).map(str::to_owned);
    own.chain(command.get_subcommands().flat_map(flags)).collect()
}

#[test]
fn a_wrong_command_line_is_found_wherever_it_stands() {
    let page = "Type\n\n```sh\nsealift run vX.Y.Z-rc.N --pipeline P --untill pin\n```\n\nor `sealift promote`, or\n\
                `sealift plan --dry-run`, but never `--force`; `sealift plan` is right, `--pipeline P\n--quiet` too.\n";
    let found = in_markdown(page);
    let wrong: Vec<bool> = found.iter().map(|(words, mention)| taken(words, *mention).is_err()).collect();
    assert_eq!(wrong, [true, true, true, false]);
    assert_eq!(flags_in_markdown(page), ["force", "pipeline", "quiet"]);
    let known = flags(&Cli::command());
    assert!(known.iter().any(|flag| flag == "pipeline") && !known.iter().any(|flag| flag == "force"));
    // Missing words are allowed in running text alone.
    assert!(taken(&words("sealift plan"), false).is_err());
    for (args, right) in [
        ("run\n${{ needs.lane.outputs.candidate }}\n--until=pin\n--pipeline=P\n", true),
        ("run\n${{ needs.lane.outputs.candidate }}\n--until=never\n--pipeline=P\n", false),
        ("run ${{ needs.lane.outputs.candidate }}\n--pipeline=P\n", false),
    ] {
        let readings = in_arguments(args);
        assert!(readings.iter().all(|words| taken(words, false).is_ok() == right), "{readings:?}");
    }
    let both = in_arguments(
        "resume\n${{ needs.lane.outputs.version || format('--pull-request={0}', github.event.pull_request.number) }}\n",
    );
    assert_eq!(both, [["sealift", "resume", "v1.6.2"], ["sealift", "resume", "--pull-request=7"]]);
}
