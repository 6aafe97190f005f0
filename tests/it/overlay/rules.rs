//! What is taken, what is left alone, what is refused.

use super::*;

const FILE: &str = "apps/x/values.yaml";
const OLD: &str = "image: OWN/x:v1@old\n";
const NEW: &str = "image: CI/x:v2@new\n";

fn state(state: State) -> Vec<(String, State)> {
    vec![("apps/x".to_owned(), state)]
}

#[test]
fn the_fixture_has_each_state() {
    let here = |name: &str| MemTree::copy_of(&sealift::tree::DirTree::open(fixture(name)).unwrap()).unwrap();
    let pipeline = pipeline_with(|text| text);
    let case = Case::of(pipeline, here("change"), here("published"));
    let case = case.built(r#"["apps/shop"]"#).edited("packages/system/db/values.yaml\n");
    let (plan, after) = case.done();
    let found: Vec<_> = plan.packages.iter().map(|p| (p.path.as_str(), p.state, p.taken)).collect();
    assert_eq!(
        found,
        [
            ("apps/api", State::Taken, 4),
            ("apps/shop", State::Built, 0),
            ("apps/web", State::Equal, 0),
            ("core/installer", State::Elsewhere, 0),
            ("system/cache", State::Drift, 0),
            ("system/db", State::Edited, 0),
            ("system/net", State::Taken, 1),
            ("system/provider", State::Taken, 2),
        ]
    );
    assert_eq!((plan.taken(), plan.count(State::Taken), plan.refusals.len(), plan.notes.len()), (7, 3, 0, 0));
    let taken = ["apps/api/", "system/net/", "system/provider/"];
    for entry in after.entries().unwrap() {
        let path = String::from_utf8(entry.path.clone()).unwrap();
        let is = taken.iter().any(|package| path.starts_with(&format!("packages/{package}")));
        let expected = if is { case.from.as_ref().unwrap() } else { &case.onto };
        if !path.ends_with(".gz") {
            assert_eq!(after.get(&entry.path), expected.get(&entry.path), "{path}");
        }
    }
    let again = Case { onto: after, ..case };
    assert_eq!(again.plan().edits, [], "twice is once");
    assert_eq!(again.plan().count(State::Equal), 4);
}

#[test]
fn what_was_built_edited_or_is_owned_elsewhere_is_left() {
    let case = || Case::file(FILE, OLD, NEW);
    assert_eq!(case().states(), state(State::Taken));
    for built in ["[\"apps/x\"]", "[\"packages/apps/x/\"]", "[\"./apps/x\", \"apps/good\"]"] {
        assert_eq!(case().built(built).states(), state(State::Built), "{built}");
    }
    // Whatever was edited in a package: what it pins is meant.
    for edited in ["packages/apps/x/values.yaml", "packages/apps/x/templates/a/b.yaml", "packages/apps/x"] {
        assert_eq!(case().edited(edited).states(), state(State::Edited), "{edited}");
    }
    for edited in ["packages/apps/xx/values.yaml", "packages/apps/values.yaml", "apps/xx/values.yaml", "packages"] {
        assert_eq!(case().edited(edited).states(), state(State::Taken), "{edited}");
    }
    let skip = |path: &str| pipeline_with(|text| text.replace("path: core/installer", &format!("path: \"{path}\"")));
    for path in ["apps/x", "apps/[w-z]", "*/x"] {
        let pipeline = Pipeline { references: plain().references, ..skip(path) };
        let case = Case { pipeline, ..case() };
        assert_eq!(case.states(), state(State::Elsewhere), "{path}");
        let reason = case.plan().packages.into_iter().find_map(|package| package.reason);
        assert_eq!(reason.as_deref(), Some("The installer has a job of its own."));
        assert_eq!(case.plan().notes, []);
    }
    // Declared, and nowhere: worth a note.
    let notes = case().plan().notes;
    assert!(notes.len() == 1 && notes[0].file == "core/installer", "{notes:?}");
    // Built wins over edited: both leave it.
    assert_eq!(case().built("[\"apps/x\"]").edited("packages/apps/x/a").states(), state(State::Built));
}

#[test]
fn paths_of_another_folder_are_no_edited_list() {
    for edited in ["apps/x/values.yaml", "apps/x", "apps/x/gone"] {
        let plan = Case::file(FILE, OLD, NEW).edited(edited).plan();
        assert_eq!(plan.edits, [], "{edited}: what was edited is not overwritten");
        assert!(plan.refusals.len() == 1 && plan.refusals[0].message.contains("`packages/apps/x` is a package"));
    }
    // A file of the repository, outside of the root, that happens to have such a path.
    let mut case = Case::file(FILE, OLD, NEW).edited("apps/x/values.yaml");
    case.onto.put("apps/x/values.yaml", 0o644, "");
    assert_eq!((case.plan().refusals.len(), case.states()), (0, state(State::Taken)));
}

#[test]
fn a_built_list_of_another_tree_is_refused() {
    for (built, why) in [
        ("[\"apps/gone\"]", "is no package of this tree"),
        ("[\"apps\"]", "is no package of this tree"),
        ("[\"apps/x/images\"]", "is no package of this tree"),
        ("[\"packages/apps/gone\"]", "is no package of this tree"),
    ] {
        let plan = Case::file(FILE, OLD, NEW).built(built).plan();
        assert_eq!(plan.edits, [], "{built}");
        assert!(plan.refusals.len() == 1 && plan.refusals[0].message.contains(why), "{:?}", plan.refusals);
    }
    // `packages/x` in the folder `packages`: by either reading there is one.
    let pipeline = Pipeline { overlay: overlay_of("[\"*/*\", \"*/*/*\"]"), ..plain() };
    let onto = tree(&[("packages/apps/x/values.yaml", OLD), (FILE, OLD)]);
    let plan = Case::of(pipeline, onto.clone(), onto).built("[\"packages/apps/x\"]").plan();
    assert!(plan.refusals[0].message.contains("names two packages"), "{:?}", plan.refusals);
}

/// The keys of the overlay with other packages.
fn overlay_of(globs: &str) -> sealift::pipeline::Overlay {
    pipeline_with(|text| text.replace("overlay:\n", &format!("overlay:\n  packages: {globs}\n"))).overlay
}

#[test]
fn packages_may_lie_in_packages() {
    let pipeline = || {
        let mut pipeline = Pipeline { overlay: overlay_of("[\"*\", \"*/*\"]"), ..plain() };
        pipeline.references.values.push("*/values.yaml".into());
        pipeline
    };
    let files = [("apps/values.yaml", OLD), (FILE, OLD)];
    let news = [("apps/values.yaml", NEW), (FILE, NEW)];
    let case = || Case::of(pipeline(), tree(&files), tree(&news));
    let both = |outer, inner| vec![("apps".to_owned(), outer), ("apps/x".to_owned(), inner)];
    assert_eq!(case().states(), both(State::Taken, State::Taken));
    // A file of the inner one is a file of the outer one.
    assert_eq!(case().edited("packages/apps/x/a.yaml").states(), both(State::Edited, State::Edited));
    assert_eq!(case().built("[\"apps/x\"]").states(), both(State::Taken, State::Built));
    // With no outer package its file is in none: whether it was edited can't be known.
    let pipeline = Pipeline { overlay: overlay_of("[\"*/*\"]"), ..pipeline() };
    let error = Case { pipeline, ..case() }.run().unwrap_err().to_string();
    assert!(error.contains("packages/apps/values.yaml: lies in no package"), "{error}");
}

#[test]
fn a_file_that_differs_in_more_is_left_with_its_first_differing_line() {
    let here = "replicas: 2\nimage: OWN/x:v1@old\ndebug: no\n";
    for (there, line, ours, theirs) in [
        ("replicas: 2\nimage: CI/x:v2@new\ndebug: yes\n", 3, Some("debug: no"), Some("debug: yes")),
        ("replicas: 3\nimage: CI/x:v2@new\ndebug: yes\n", 1, Some("replicas: 2"), Some("replicas: 3")),
        ("replicas: 2\nimage: CI/x:v2@new\n", 3, Some("debug: no"), None),
        ("replicas: 2\nimage: CI/x:v2@new\ndebug: no\nmore: 1\n", 4, None, Some("more: 1")),
        ("replicas: 2\n# why\nimage: CI/x:v2@new\ndebug: no\n", 2, Some("image: OWN/x:v1@old"), Some("# why")),
        (
            "replicas: 2\nimage: \"CI/x:v2@new\"\ndebug: no\n",
            2,
            Some("image: OWN/x:v1@old"),
            Some("image: \"CI/x:v2@new\""),
        ),
        ("replicas: 2\nimage:  CI/x:v2@new\ndebug: no\n", 2, Some("image: OWN/x:v1@old"), Some("image:  CI/x:v2@new")),
    ] {
        let drift = Case::file(FILE, here, there).drift(FILE);
        let (ours, theirs) = (ours.map(fill), theirs.map(fill));
        assert_eq!((drift.line, drift.here, drift.there), (line, ours, theirs), "{there}");
        assert!(!drift.same_references);
    }
    let same = Case::file(FILE, here, "replicas: 3\nimage: OWN/x:v1@old\ndebug: no\n").drift(FILE);
    assert!(same.same_references && same.line == 1);
    // One file's drift is no other's.
    let other = "apps/x/images/x.tag";
    let both = |text: &str| tree(&[(FILE, text), (other, "OWN/x:v1@old\n")]);
    let mut from = both("replicas: 3\nimage: OWN/x:v2@new\n");
    from.put(format!("packages/{other}"), 0o644, fill("CI/x:v2@new\n"));
    let case = Case::of(plain(), both("replicas: 2\nimage: OWN/x:v1@old\n"), from);
    assert_eq!(case.states(), state(State::Drift));
    assert_eq!(case.plan().taken(), 1);
    assert_eq!(case.after(other), fill("CI/x:v2@new\n"));
    // And where drift is not to be, nothing is taken at all.
    let plan = Case { if_drift: IfDrift::Refuse, ..case }.plan();
    assert_eq!(plan.edits, []);
    assert_eq!(plan.refusals[0].places, ["packages/apps/x/values.yaml:1"]);
    // Drift that leaves nothing behind is none to refuse.
    let equal = Case::file(FILE, "a: 1\nimage: OWN/x:v1@old\n", "a: 2\nimage: OWN/x:v1@old\n");
    let plan = Case { if_drift: IfDrift::Refuse, ..equal }.plan();
    assert!(plan.refusals.is_empty() && plan.count(State::Drift) == 1);
}

#[test]
fn a_reference_on_one_side_only_is_drift() {
    for (here, there, line) in [
        ("image: OWN/x:v1@old\n", "image: CI/x:v2@new\nmore: CI/y:v2@new\n", 2),
        ("image: OWN/x:v1@old\nmore: OWN/y:v1@old\n", "image: CI/x:v2@new\n", 2),
        ("image: OWN/x:v1@old\nmore: none\n", "image: CI/x:v2@new\nmore: CI/y:v2@new\n", 2),
        ("image: none\n", "image: CI/x:v2@new\n", 1),
        ("args: [--a=OWN/x:v1@old]\n", "args: [--a=CI/x:v2@new, --b=CI/y:v2@new]\n", 1),
        (
            "image: {registry: \"\", repository: OWN/x, tag: v1@old}\n",
            "image: {registry: ci.example, repository: OWN/x, tag: v1@new}\n",
            1,
        ),
        // Not ours, and without a digest: no reference by any shape.
        ("image: OWN/x:v1@old\n", "image: CI/x:v2\n", 1),
    ] {
        let drift = Case::file(FILE, here, there).drift(FILE);
        assert_eq!((drift.line, drift.same_references), (line, false), "{there}");
    }
}

#[test]
fn files_without_references_are_nobody_s_concern() {
    let case = Case::file(FILE, "replicas: 1\n", "replicas: 2\n");
    assert_eq!(case.states(), []);
    let case = Case::of(plain(), tree(&[(FILE, "replicas: 1\n")]), tree(&[]));
    assert_eq!(case.states(), []);
    assert!(case.plan().refusals.is_empty());
}

#[test]
fn what_only_the_source_has_is_never_introduced() {
    let from = tree(&[(FILE, NEW), ("apps/x/images/more.tag", "CI/x:v2@new\n"), ("apps/new/values.yaml", NEW)]);
    let case = Case::of(plain(), tree(&[(FILE, OLD)]), from);
    let (plan, after) = case.done();
    assert_eq!(case.verdict("apps/x/images/more.tag"), FileVerdict::OnlyThere { references: 1 });
    assert_eq!(case.states(), state(State::Drift));
    assert_eq!((plan.taken(), after.entries().unwrap().len()), (1, case.onto.entries().unwrap().len()));
    assert!(case.edited("packages/apps/x/images/more.tag").states() == state(State::Edited));
}

#[test]
fn an_absent_source_refuses_or_is_skipped() {
    let none = Case { from: None, ..Case::file(FILE, OLD, NEW) };
    let package = Case::of(plain(), tree(&[(FILE, OLD)]), tree(&[]));
    let mut bare = tree(&[]);
    bare.put("packages/apps/x/Chart.yaml", 0o644, "name: x\n");
    let file = Case::of(plain(), tree(&[(FILE, OLD)]), bare);
    for (case, why) in [(none, "no source"), (package, "no such package"), (file, "no such file")] {
        let plan = case.plan();
        assert_eq!(plan.edits, []);
        let [refusal] = &plan.refusals[..] else { panic!("{:?}", plan.refusals) };
        let place = format!("packages/{FILE}");
        assert!(refusal.places.iter().any(|p| p.starts_with(&place) && p.contains(why)), "{refusal:?}");
        let skipped = case.skip_missing();
        assert_eq!(skipped.states(), state(State::Missing));
        assert!(skipped.plan().refusals.is_empty());
    }
    // Skipped is not contagious, and refused is all or nothing.
    let other = ("apps/y/values.yaml", "image: OWN/y:v1@old\n");
    let from = tree(&[("apps/y/values.yaml", "image: CI/y:v2@new\n")]);
    let case = Case::of(plain(), tree(&[(FILE, OLD), other]), from);
    assert_eq!((case.plan().edits.len(), case.plan().taken()), (0, 1));
    let case = case.skip_missing();
    assert_eq!(case.plan().edits.len(), 1);
    // What is left out anyway needs no source.
    let case = Case { from: None, ..Case::file(FILE, OLD, NEW) };
    let case = case.built("[\"apps/good\"]").edited("packages/apps/x/a");
    assert_eq!((case.states(), case.plan().refusals), (state(State::Edited), vec![]));
}

#[test]
fn charts_are_upstream_s_even_where_declared() {
    let pipeline = pipeline_with(|text| {
        let text =
            text.replace("path: system/net/templates/daemonset.yml, required: true", "path: apps/x/charts/a/b.yml");
        text.lines().filter(|line| !line.starts_with("  gzip:")).map(|line| format!("{line}\n")).collect()
    });
    let files = |text| tree(&[("apps/x/charts/a/b.yml", text), ("apps/x/charts/a/values.yaml", text)]);
    assert_eq!(Case::of(pipeline, files(OLD), files(NEW)).states(), []);
}

#[test]
fn a_gzip_copy_and_its_plain_source_go_together() {
    let pipeline = || {
        pipeline_with(|text| text.replace("  text: [{path: system/net/templates/daemonset.yml, required: true}]\n", ""))
    };
    let (plain, copy) = ("system/provider/files/components.yaml", "system/provider/files/components.gz");
    let both = |text: &str, packed: &str| {
        let mut tree = tree(&[(plain, text)]);
        tree.put(format!("packages/{copy}"), 0o644, gzip(&fill(packed)));
        tree
    };
    let (old, new) = ("a: OWN/x:v1@old\n", "a: CI/x:v2@new\n");
    let case = Case::of(pipeline(), both(old, old), both(new, new));
    let (plan, after) = case.done();
    assert_eq!((plan.taken(), plan.edits.len()), (2, 2));
    assert_eq!(unzip(after.get(format!("packages/{copy}").as_bytes()).unwrap()), fill(new));
    // Another packing of the same content is no difference.
    assert_eq!(Case { onto: after, ..case }.plan().edits, []);
    for (there, drifts) in [(both("b: 1\n", new), plain), (both(new, "b: 1\n"), copy)] {
        let held = if drifts == plain { copy } else { plain };
        let case = Case::of(pipeline(), both(old, old), there);
        assert_eq!(case.plan().edits, []);
        assert_eq!(case.verdict(held), FileVerdict::Held { with: format!("packages/{drifts}") });
        assert!(matches!(case.verdict(drifts), FileVerdict::Drift(_)));
    }
    // The source lacks the copy: skipped, it holds the plain file, too.
    let case = Case::of(pipeline(), both(old, old), tree(&[(plain, new)])).skip_missing();
    assert_eq!(case.plan().edits, []);
    // Where the tree has no copy, the plain file is a file as any.
    let case = Case::of(pipeline(), tree(&[(plain, old)]), tree(&[(plain, new)]));
    assert_eq!(case.after(plain), fill(new));
}

fn gzip(text: &str) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn unzip(bytes: &[u8]) -> String {
    use std::io::Read as _;
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn what_can_t_be_read_is_never_empty() {
    let fails = |case: &Case| case.run().unwrap_err().to_string();
    let case = Case::file(FILE, OLD, "image: OWN/X:v2@new\n");
    let error = fails(&case);
    assert!(error.contains("packages/apps/x/values.yaml:1") && error.contains("in tree: "), "{error}");
    assert!(fails(&Case::file(FILE, "a: [\n", NEW)).contains("not YAML"));
    // What is left out need not be readable.
    for case in [case, Case::file(FILE, "a: [\n", NEW)] {
        assert_eq!(case.built("[\"apps/x\"]").states(), state(State::Built));
    }
    // A declared, required file that the tree lacks; a source may lack it.
    let pipeline = || pipeline_with(|text| text);
    assert!(fails(&Case::of(pipeline(), tree(&[]), tree(&[]))).contains("which the pipeline requires"));
    let net = ("system/net/templates/daemonset.yml", "a: OWN/x:v1@old\n");
    assert_eq!(Case::of(pipeline(), tree(&[net]), tree(&[])).plan().refusals.len(), 1);
    // A tree without files that hold references is another tree than is meant, on either side.
    let mut bare = MemTree::new("bare");
    bare.put("packages/apps/x/Chart.yaml", 0o644, "");
    for (onto, from) in [(bare.clone(), tree(&[])), (tree(&[]), bare.clone())] {
        assert!(fails(&Case::of(plain(), onto, from).skip_missing()).contains("bare has no files with references"));
    }
    assert!(fails(&Case::of(plain(), tree(&[]), MemTree::new("empty"))).contains("packages"));
    let mut bare = MemTree::new("bare");
    bare.put("packages/apps/x/values.yaml", 0o644, "a: 1\n");
    assert!(fails(&Case::of(plain(), bare.clone(), bare)).contains("has not one reference"));
}
