//! `--log-format json`: talk as JSON lines, beside every format of data.

use serde_json::Value;

use super::{CANDIDATE, REFUSED, command, demo, ended, here, sealift};
use crate::support::sandbox::Sandbox;

/// The lines of talk: each one an object with an event.
#[track_caller]
fn lines(err: &str) -> Vec<Value> {
    let lines: Vec<Value> =
        err.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect();
    assert!(lines.iter().all(|line| line["event"].is_string()), "{err}");
    lines
}

fn events(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["event"].as_str().unwrap()).collect()
}

#[test]
fn a_run_is_told_event_by_event_beside_the_same_data() {
    let sandbox = Sandbox::new();
    let pipeline = demo(&sandbox);
    let run = |flags: &[&str]| sealift(&sandbox, &[&["run", CANDIDATE, "--pipeline", &pipeline], flags].concat());
    let (code, data, _) = run(&[]);
    let (logged, same, err) = run(&["--log-format", "json"]);
    assert_eq!((code, logged, &same), (4, 4, &data));
    let told = lines(&err);
    let told = events(&told);
    assert_eq!((told.first(), told.last()), (Some(&"goal"), Some(&"end")), "{err}");
    assert!(told.contains(&"stage"), "{err}");
    // The very lines that are data elsewhere: there they are not told twice.
    let (_, data, none) = run(&["--format", "json", "--log-format", "json"]);
    assert_eq!(none, "");
    assert_eq!(lines(&data), lines(&err));
    // Beside a document, too.
    let (_, document, beside) = run(&["--format", "markdown", "--log-format", "json"]);
    assert!(document.contains('#') || document.contains('|'), "{document}");
    assert_eq!(lines(&beside), lines(&err));
    let (_, _, quiet) = run(&["-q", "--log-format", "json"]);
    assert_eq!(quiet, "");
}

#[test]
fn what_is_wrong_is_told_also_when_quiet() {
    let sandbox = Sandbox::new();
    let pipeline = demo(&sandbox);
    let (code, _, err) = sealift(&sandbox, &["run", REFUSED, "--pipeline", &pipeline, "-q", "--log-format", "json"]);
    assert_eq!(code, 5);
    let told = lines(&err);
    let refusal = &told[0]["refusals"][0];
    assert!(refusal["message"].as_str().unwrap().contains("is spent") && refusal["hint"].is_string(), "{err}");
    let (code, out, err) = sealift(&sandbox, &["check", "absent.yaml", "--log-format", "json"]);
    assert_eq!((code, out.as_str()), (1, ""));
    let told = lines(&err);
    assert_eq!(events(&told), ["error"]);
    assert!(told[0]["message"].as_str().unwrap().contains("absent.yaml"), "{err}");
}

#[test]
fn notes_and_reports_beside_data_are_lines_too() {
    let sandbox = Sandbox::new();
    let (pipeline, tree) = (here("pipelines/minimal.yaml"), here("fixtures/world/minimal"));
    let list = ["refs", "list", "--pipeline", &pipeline, "--tree", &tree];
    let (code, data, err) = sealift(&sandbox, &list);
    assert_eq!(code, 0, "{err}");
    let (code, same, told) = sealift(&sandbox, &[&list[..], &["--log-format", "json"]].concat());
    assert_eq!((code, same), (0, data));
    let told = lines(&told);
    assert!(told.last().unwrap()["message"].as_str().unwrap().ends_with("of them copies"), "{told:?}");
    assert_eq!(told.len(), err.lines().count());
    // Manifests on standard output, what was found in them beside.
    std::fs::write(sandbox.path("home/table.yaml"), "- {name: nginx, newTag: '1.27'}\n- {name: redis, newTag: '7'}\n")
        .unwrap();
    std::fs::write(
        sandbox.path("home/pod.yaml"),
        "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: a, image: nginx}]}\n",
    )
    .unwrap();
    let apply = ["overrides", "apply", "--table", "table.yaml", "pod.yaml", "--log-format", "json"];
    let (code, data, err) = ended(&mut command(&sandbox, &apply));
    assert_eq!(code, 0, "{err}");
    assert!(data.contains("nginx:1.27"), "{data}");
    assert!(events(&lines(&err)).contains(&"note"), "{err}");
}
