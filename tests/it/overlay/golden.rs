//! A real release's trees: the stable one's references over the release candidate's.

use super::*;
use crate::refs::unpack;
use crate::support::reference_or_skip;

#[test]
fn the_stable_tree_s_references_over_the_candidate_s_are_the_stable_tree_s() {
    let Some(data) = reference_or_skip("cozystack-1.6.2") else { return };
    let mut pipeline = pipeline::load(Path::new("pipelines/cozystack.yaml")).unwrap();
    pipeline.overlay.skip.clear();
    let (rc, stable) = (unpack(&data.join("rc.tar.gz")), unpack(&data.join("stable.tar.gz")));
    let case = Case::of(pipeline, rc, stable);
    let (plan, after) = case.done();
    assert!(plan.refusals.is_empty(), "{:?}", plan.refusals);
    assert_eq!((plan.count(State::Drift), plan.count(State::Missing)), (0, 0), "{:#?}", plan.packages);
    // As the promotion rewrote it: 35 files, 41 lines.
    assert_eq!(plan.edits.len(), 35);
    assert_eq!(plan.edits.iter().map(refs::FileEdit::lines).sum::<usize>(), 41);
    let stable = case.from.as_ref().unwrap();
    assert_eq!(after.entries().unwrap(), stable.entries().unwrap());
    for entry in after.entries().unwrap() {
        assert_eq!(after.get(&entry.path), stable.get(&entry.path), "{}", entry.path.escape_ascii());
    }
    let spec = case.pipeline.spec();
    let read = |tree: &MemTree| refs::read(tree, &spec, None).unwrap().occurrences;
    assert_eq!(read(&after), read(stable));
    assert_eq!(Case { onto: after, ..case }.plan().edits, []);
}
