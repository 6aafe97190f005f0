//! Makefiles that ask for more than anyone wrote: reading ends, and what it couldn't know is said.

use std::fmt::Write as _;

use proptest::prelude::*;
use sealift::producers::{Counts, Producers, Stamped};
use sealift::tree::MemTree;

use super::read;
use super::small::{bare, tree};

fn verdict(tree: &MemTree) -> (Stamped, Producers) {
    let (found, references) = read(tree, &bare());
    (found.of(&references.occurrences[0]), found)
}

const STAMP: &str = "\tyq -i '.a.image = 1' values.yaml\n";

#[test]
fn one_long_line_is_one_line() {
    let long = "x".repeat(1 << 20);
    for makefile in [
        format!("image:\n\techo {long}\n{STAMP}"),
        format!("image:\n\techo '{long}\n{STAMP}"),
        format!("# {long}\nimage:\n{STAMP}"),
        format!("V = {long}\nimage:\n\techo $(V) $(V)\n{STAMP}"),
        format!("image:\n\tsed -i 's|{long}|x|' values.yaml\n{STAMP}"),
        format!("image:\n\tyq -i '{}' values.yaml\n{STAMP}", "(".repeat(1 << 20)),
        format!("image:\n\techo {}\n{STAMP}", "$(".repeat(1 << 19)),
        format!("image: {}\n{STAMP}", "$(X".repeat(1 << 10)),
        format!("image:\n\techo \\\n{}x\n{STAMP}", "\\\n".repeat(1 << 19)),
    ] {
        let (stamped, found) = verdict(&tree(&makefile));
        assert!(matches!(stamped, Stamped::One { .. }), "{stamped:?}\n{}", &makefile[..60]);
        assert!(found.counts.work <= Counts::MOST && found.counts.complete, "{:?}", found.counts);
    }
}

#[test]
fn includes_that_go_round_end() {
    let mut tree = tree(&format!("include a.mk\nimage:\n{STAMP}"));
    tree.put("packages/x/a/a.mk", 0o644, "include b.mk\n");
    tree.put("packages/x/a/b.mk", 0o644, "include a.mk Makefile\n");
    let (stamped, found) = verdict(&tree);
    assert!(matches!(stamped, Stamped::One { .. }), "{stamped:?}");
    assert_eq!((found.counts.files, found.counts.packages), (4, 1));
    assert!(found.notes.iter().any(|note| note.text.contains("more is included than is read")), "{:?}", found.notes);
}

#[test]
fn variables_that_name_themselves_end() {
    let mut makefile = String::from("image:\n\tyq -i '.$(V0).image = 1' values.yaml\n");
    for n in 0..30 {
        writeln!(makefile, "V{n} = $(V{0})$(V{0})$(V{0})$(V{0})", n + 1).unwrap();
    }
    makefile.push_str("V30 = $(V0)\n");
    let (stamped, found) = verdict(&tree(&makefile));
    assert!(matches!(stamped, Stamped::Unknown { .. }), "{stamped:?}");
    assert!(!found.counts.complete && found.counts.work == Counts::MOST, "{:?}", found.counts);
}

/// A reading that was cut says neither that nothing stamps, nor that nothing else does.
#[test]
fn what_was_cut_is_never_clean() {
    let mut endless = String::from("image:\n\tyq -i '.a.image = 1' values.yaml\n\techo $(V0)\n");
    for n in 0..30 {
        writeln!(endless, "V{n} = $(V{0})$(V{0})$(V{0})$(V{0})", n + 1).unwrap();
    }
    endless.push_str("V30 = $(V0)\n");
    let (stamped, found) = verdict(&tree(&endless));
    assert!(!found.counts.complete);
    assert!(matches!(stamped, Stamped::Unknown { .. }), "{stamped:?}");
    // More targets than are followed, without the budget being spent.
    let mut many = String::from("image:\n\tyq -i '.a.image = 1' values.yaml\n");
    for n in 0..60_000 {
        writeln!(many, "t{n}:").unwrap();
    }
    let (stamped, found) = verdict(&tree(&many));
    assert!(!found.counts.complete && found.counts.work < Counts::MOST, "{:?}", found.counts);
    let Stamped::One { perhaps, .. } = stamped else { panic!("{stamped:?}") };
    assert!(perhaps.iter().any(|note| note.text.contains("more than is read")), "{perhaps:?}");
}

#[test]
fn loops_in_loops_end() {
    let values = (0..64).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    let open: String = (0..8).map(|n| format!("for v{n} in {values}; do ")).collect();
    let script = format!("image:\n\t{open} yq -i \".a$$v0.image = 1\" values.yaml; {}\n", "done; ".repeat(8));
    let (stamped, found) = verdict(&tree(&script));
    assert!(matches!(stamped, Stamped::Unknown { .. }), "{stamped:?}");
    assert!(found.counts.work < Counts::MOST / 10, "{:?}", found.counts);
}

#[test]
fn ten_thousand_targets_are_read() {
    let mut makefile = String::from("image: t9999\n");
    for n in 0..10_000 {
        writeln!(
            makefile,
            "t{n}: t{}\n\tyq -i '.b{n}.image = 1' values.yaml\n\techo x > images/$(X){n}.tag",
            n.max(1) - 1
        )
        .unwrap();
    }
    makefile.push_str("t0: last\nlast:\n");
    makefile.push_str(STAMP);
    let (stamped, found) = verdict(&tree(&makefile));
    let Stamped::One { producer, .. } = stamped else { panic!("{stamped:?}") };
    assert_eq!(producer.target, "last");
    assert_eq!(found.counts.targets, 10_003);
    assert!(found.counts.complete, "{:?}", found.counts);
}

#[test]
fn a_target_that_calls_itself_ends() {
    for makefile in [
        "image: image\n\tmake image\n",
        "image:\n\tmake image X=$(X)y\n",
        "image:\n\tmake -C ../a image Y=$(Y)$(Y)z\n",
        "image-%: image-%x\nimage: image-a\n",
    ] {
        let (stamped, found) = verdict(&tree(makefile));
        assert!(matches!(stamped, Stamped::None { .. } | Stamped::Unknown { .. }), "{makefile}: {stamped:?}");
        assert!(found.counts.work <= Counts::MOST, "{makefile}: {:?}", found.counts);
    }
}

#[test]
fn bytes_that_are_no_text_are_holes() {
    let mut tree = tree("");
    let makefile: &[u8] = b"F = val\xffues.yaml\nimage:\n\t\xc3echo\n\tyq -i '.a.image = 1' $(F)\n\tyq -i '.\xff.image = 1' values.yaml\n";
    tree.put("packages/x/a/Makefile", 0o644, makefile);
    let (stamped, _) = verdict(&tree);
    let Stamped::Unknown { place, .. } = stamped else { panic!("{stamped:?}") };
    assert_eq!(place.file, "packages/x/a/Makefile");
}

#[test]
fn what_is_no_file_or_too_large_is_unknown() {
    let mut links = tree("");
    links.symlink("packages/x/a/Makefile", "../../../Makefile");
    let mut large = tree("");
    large.put("packages/x/a/Makefile", 0o644, vec![b'#'; (4 << 20) + 1]);
    for tree in [links, large] {
        let (stamped, _) = verdict(&tree);
        assert!(matches!(stamped, Stamped::Unknown { .. }), "{stamped:?}");
    }
}

#[test]
fn a_path_never_leaves_the_tree() {
    for path in ["/etc/passwd", "../../../../../etc/passwd", "~/x", "a\\\n/../../../../../../x"] {
        let makefile = format!(
            "-include {path}\nimage:\n\tyq -i '.a.image = 1' {path}\n\tmake -C {path} x\n\tcd {path} && make\n"
        );
        let (stamped, _) = verdict(&tree(&makefile));
        assert!(matches!(stamped, Stamped::Unknown { .. } | Stamped::None { .. }), "{path}: {stamped:?}");
    }
}

#[test]
fn many_needs_of_many_targets_are_not_multiplied() {
    let names: Vec<String> = (0..20_000).map(|n| format!("t{n}")).collect();
    let makefile = format!("image: {0}\n{0}: {0}\n{STAMP}", names.join(" "));
    let (_, found) = verdict(&tree(&makefile));
    assert!(found.counts.work <= Counts::MOST && !found.counts.complete, "{:?}", found.counts);
}

#[test]
fn many_references_meet_many_stamps() {
    let mut makefile = String::from("image:\n");
    let mut values = String::new();
    for n in 0..3000 {
        writeln!(makefile, "\tyq -i '.k{n}.image = 1' values.yaml\n\tsed -i 's|image{n}: .*|x|' values.yaml").unwrap();
        writeln!(values, "k{n}:\n  image: registry.example/org/own/a:v1").unwrap();
    }
    let mut tree = tree(&makefile);
    tree.put("packages/x/a/values.yaml", 0o644, values);
    let (found, references) = read(&tree, &bare());
    assert_eq!(references.occurrences.len(), 3000);
    for reference in &references.occurrences {
        let stamped = found.of(reference);
        assert!(matches!(stamped, Stamped::One { .. } | Stamped::Unknown { .. }), "{stamped:?}");
    }
    assert!(found.counts.work <= Counts::MOST, "{:?}", found.counts);
}

const PARTS: &str = "(\\$\\(|\\$\\{|\\)|\\}|'|\"|`|\\\\|;|\\||&|<|>|\n|\n\t|é|#|=|:|%|@|\\[|\\]|\\*|\u{fffd}|yq -i|sed -i|s\\||/|make|for |in |do |done|define x\n|endef\n|ifdef x\n|endif\n|include |image| |\\.a|values\\.yaml)";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever stands in a Makefile, it is read, in the same way each time.
    #[test]
    fn any_makefile_is_read(
        parts in proptest::collection::vec(PARTS, 0..60),
        recipe in proptest::collection::vec(PARTS, 0..40),
    ) {
        let makefile = format!("{}\nimage:\n\t{}\n", parts.concat(), recipe.concat());
        let tree = tree(&makefile);
        let (stamped, found) = verdict(&tree);
        prop_assert_eq!(stamped, verdict(&tree).0);
        prop_assert!(found.counts.complete);
    }

    /// Nor does it matter which bytes they are.
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut tree = tree("");
        tree.put("packages/x/a/Makefile", 0o644, [b"image:\n\t", &bytes[..]].concat());
        verdict(&tree);
    }
}
