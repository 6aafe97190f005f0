//! Who stamps what, as rules: over the tree of Makefiles that has one of each fault and of each near miss.

use super::*;

fn here(path: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/producers").join(path)
}

fn found() -> Lint {
    let pipeline = pipeline::load(&here("pipeline.yaml")).unwrap();
    let tree = sealift::tree::DirTree::open(here("tree")).unwrap();
    lint_by(&pipeline, &tree, None)
}

/// `rule level file:line` of the three rules, in their order.
fn lines(lint: &Lint) -> Vec<String> {
    let ours = |finding: &&Finding| ["no-producer", "two-producers", "not-in-build-list"].contains(&finding.rule);
    let line = |f: &Finding| format!("{} {} {}:{}", f.rule, f.level.name(), f.place.file, f.place.line);
    let mut lines: Vec<String> = lint.findings.iter().filter(ours).map(line).collect();
    lines.sort();
    lines
}

#[test]
fn each_fault_is_found_and_no_near_miss_is() {
    let lint = found();
    let expected = [
        "no-producer error packages/system/backup/values.yaml:4",
        "no-producer error packages/system/half/values.yaml:4",
        "no-producer error packages/system/net/templates/daemonset.yml:7",
        "no-producer error packages/system/orphan/values.yaml:2",
        "no-producer error packages/system/update/values.yaml:2",
        "no-producer unknown packages/apps/cache/images/cache.tag:1",
        "no-producer unknown packages/system/scripted/values.yaml:2",
        "not-in-build-list error packages/system/assets/Makefile:11",
        "not-in-build-list error packages/system/built-only/Makefile:7",
        "not-in-build-list error packages/system/forgotten/Makefile:8",
        "two-producers error packages/system/canned/values.yaml:2",
        "two-producers error packages/system/relay/images/probe.tag:1",
        "two-producers error packages/system/shared/values.yaml:2",
        "two-producers error packages/system/twice/values.yaml:2",
        "two-producers unknown packages/system/perhaps/values.yaml:2",
    ];
    assert_eq!(lines(&lint), expected);
    let idle: Vec<&str> = lint.not_applicable.iter().map(|idle| idle.rule).collect();
    assert!(!idle.iter().any(|rule| rule.ends_with("producer") || rule.ends_with("list")), "{idle:?}");
    // What the table says in vain should go; what else is odd is told.
    let left: Vec<&String> = lint.left_over.iter().filter(|left| left.starts_with("producers[")).collect();
    assert_eq!(left.len(), 3, "{left:?}");
    assert!(lint.notes.iter().any(|note| note.contains("`packages/system/gone` has no Makefile")), "{:?}", lint.notes);
}

#[test]
fn a_finding_leads_to_the_recipe() {
    let lint = found();
    let of = |rule: &str, file: &str| {
        lint.findings.iter().find(|f| f.rule == rule && f.place.file.contains(file)).unwrap_or_else(|| panic!("{file}"))
    };
    let twice = of("two-producers", "system/twice/");
    let places: Vec<String> = twice.related.iter().map(|r| format!("{}:{}", r.place.file, r.place.line)).collect();
    assert_eq!(places.len(), 2);
    assert!(places.iter().all(|place| place.starts_with("packages/system/twice/Makefile:")), "{places:?}");
    let built = of("not-in-build-list", "built-only");
    let excerpt = built.place.excerpt.as_ref().unwrap();
    let line = format!("{}{}{}", excerpt.before, excerpt.marked, excerpt.after);
    assert!(line.contains("buildx build"), "{line}");
    assert_eq!(built.related.first().map(|r| r.place.file.as_str()), Some("Makefile"));
    let scripted = of("no-producer", "scripted");
    assert!(scripted.hint.contains("`producers`") && scripted.related[0].message.contains("is called"), "{scripted:?}");
}

/// What was cut off may be a package: the rule that looks for packages says that it can't know.
#[test]
fn a_reading_that_was_cut_is_told() {
    let mut tree = sealift::tree::MemTree::new("cut");
    let many: String = (0..60_000).map(|n| format!("t{n}:\n")).collect();
    tree.put("Makefile", 0o644, format!("build:\n\tmake -C packages/x/a image\n{many}"));
    tree.put("packages/x/a/Makefile", 0o644, format!("image:\n\tyq -i '.a.image = 1' values.yaml\n{many}"));
    tree.put("packages/x/a/values.yaml", 0o644, "a:\n  image: registry.example/org/own/a:v1\n");
    let lint = lint_by(&pipeline::load(&here("pipeline.yaml")).unwrap(), &tree, None);
    let expected = ["not-in-build-list unknown Makefile:1", "two-producers unknown packages/x/a/values.yaml:2"];
    assert_eq!(lines(&lint), expected);
}

/// A copy without its source: what stamps it can't be known, and the table says it.
#[test]
fn the_table_settles_what_a_copy_alone_holds() {
    let mut tree = good();
    tree.put("Makefile", 0o644, "build:\n");
    tree.put("packages/system/provider/components.gz", 0o644, super::rules::gzip(&fill("image: OWN/p:RC@D3\n")));
    let good = "{file: a/good/values.yaml, by: hack/good.sh}";
    let of = |more: &str| {
        let pipeline = pipeline(&format!("producers: [{good}{more}]\n"));
        let lint = lint_by(&pipeline, &tree, None);
        (lines(&lint), lint.verdict, lint.left_over.len())
    };
    let unknown = "no-producer unknown packages/system/provider/components.gz:1".to_owned();
    assert_eq!(of(""), (vec![unknown], Verdict::Unknown, 0));
    for file in ["components.gz", "components.yaml"] {
        let entry = format!(", {{file: system/provider/{file}, by: hack/provide.sh}}");
        assert_eq!(of(&entry), (Vec::new(), Verdict::Clean, 0), "{file}");
    }
    let both = ["gz", "yaml"].map(|end| format!(", {{file: system/provider/components.{end}, by: hack/{end}.sh}}"));
    let two = "two-producers error packages/system/provider/components.gz:1".to_owned();
    assert_eq!(of(&both.concat()), (vec![two], Verdict::Failed, 0));
}

/// Without a build list there is nothing to go by, and that is said once.
#[test]
fn without_a_build_list_they_do_not_apply() {
    let found = lint(&good());
    assert_eq!(lines(&found), Vec::<String>::new());
    let why: std::collections::BTreeSet<&str> = found
        .not_applicable
        .iter()
        .filter(|idle| idle.rule.ends_with("producer") || idle.rule.ends_with("list"))
        .map(|idle| idle.why.as_str())
        .collect();
    assert_eq!(why.into_iter().collect::<Vec<_>>(), ["the repository has no Makefile at its root"]);
    // A list that can't be read is no reason.
    let mut unread = good();
    unread.put("Makefile", 0o644, vec![0xff, 0xfe]);
    let found = lint(&unread);
    assert!(
        lines(&found).iter().any(|line| line.starts_with("not-in-build-list unknown Makefile")),
        "{:?}",
        lines(&found)
    );
}
