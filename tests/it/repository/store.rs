//! The store writes what git writes, and answers what git answers.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sealift::model::{CommitId, ObjectId, TreeId};
use sealift::port::repository::{Change, Edit, Merged, NewCommit, NewTag, Store, StoreError, mode};
use sealift::tree::git::GitTree;
use sealift::tree::{Kind, Tree as _};

use crate::support::sandbox::{NOW, Sandbox};

fn id(text: &str) -> ObjectId {
    text.parse().unwrap()
}

/// A checkout with every kind of entry, and its commit.
fn checkout(sandbox: &Sandbox) -> (PathBuf, CommitId) {
    let dir = sandbox.init("checkout", false);
    sandbox.write(&dir, ".gitattributes", "* text=auto eol=lf\n");
    sandbox.write(&dir, "packages/a/values.yaml", "image: x\n");
    sandbox.write(&dir, "packages/a.b", "dot sorts before slash\n");
    sandbox.write(&dir, "packages/a0", "zero\n");
    sandbox.write(&dir, "bin/run", "#!/bin/sh\n");
    std::fs::set_permissions(dir.join("bin/run"), std::fs::Permissions::from_mode(0o755)).unwrap();
    symlink("packages/a0", dir.join("link")).unwrap();
    let sub = sandbox.init("sub", false);
    let commit = sandbox.commit_all(&sub, "sub");
    sandbox.git(&dir, &["update-index", "--add", "--cacheinfo", &format!("160000,{commit},module")]);
    let commit = sandbox.commit_all(&dir, "first");
    // `add --all` drops a submodule without a checkout: put it back by hand.
    let commit = if sandbox.git(&dir, &["ls-tree", &commit]).contains("160000") {
        commit
    } else {
        let sub = sandbox.git(&sub, &["rev-parse", "HEAD"]);
        sandbox.git(&dir, &["update-index", "--add", "--cacheinfo", &format!("160000,{sub},module")]);
        sandbox.git(&dir, &["commit", "--quiet", "--amend", "-m", "first"]);
        sandbox.git(&dir, &["rev-parse", "HEAD"])
    };
    (dir, id(&commit))
}

fn commit_of(tree: TreeId, parents: Vec<CommitId>, message: &str) -> NewCommit {
    let (name, email) = ("Sealift Bot".to_owned(), "bot@example.org".to_owned());
    NewCommit { tree, parents, name, email, time_seconds: NOW, message: message.to_owned() }
}

#[test]
fn the_same_inputs_give_the_ids_that_git_gives() {
    let sandbox = Sandbox::new();
    let bare = sandbox.init("git.git", true);
    let stores = ["one", "two"].map(|name| Store::open(&sandbox.path(name)).unwrap());
    let message = "Promote v1.6.2\n\nSealift-Rc: v1.6.2-rc.1\nSigned-off-by: Zoë <z@example.org>\n";
    let mut made = Vec::new();
    for store in &stores {
        let empty = store.empty_tree().unwrap();
        let edits = [
            Edit::write("a/deep/file", "crlf\r\nkept\r\n"),
            Edit {
                path: b"run".to_vec(),
                change: Change::Write { mode: Some(mode::EXECUTABLE), bytes: b"#!".to_vec() },
            },
        ];
        let tree = store.edit(empty, &edits).unwrap();
        let root = store.write_commit(&commit_of(empty, vec![], "root\n")).unwrap();
        let commit = store.write_commit(&commit_of(tree, vec![root], message)).unwrap();
        let tag = store
            .write_tag(&NewTag {
                name: "v1.6.2".to_owned(),
                target: commit,
                tagger_name: "Sealift Bot".to_owned(),
                tagger_email: "bot@example.org".to_owned(),
                time_seconds: NOW,
                message: "v1.6.2\n".to_owned(),
            })
            .unwrap();
        assert_eq!(store.file(tree, b"a/deep/file").unwrap().unwrap(), b"crlf\r\nkept\r\n");
        assert_eq!(store.rev_parse(&tag.to_string()).unwrap(), commit);
        made.push((tree, root, commit, tag));
    }
    assert_eq!(made[0], made[1]);
    let (tree, root, commit, tag) = made[0];

    let blob = sandbox.git_with(&bare, &["hash-object", "-w", "--stdin"], &[], b"crlf\r\nkept\r\n");
    let run = sandbox.git_with(&bare, &["hash-object", "-w", "--stdin"], &[], b"#!");
    let deep = sandbox.git_with(&bare, &["mktree"], &[], format!("100644 blob {blob}\tfile\n").as_bytes());
    let a = sandbox.git_with(&bare, &["mktree"], &[], format!("040000 tree {deep}\tdeep\n").as_bytes());
    let lines = format!("040000 tree {a}\ta\n100755 blob {run}\trun\n");
    let git_tree = sandbox.git_with(&bare, &["mktree"], &[], lines.as_bytes());
    assert_eq!(id(&git_tree), tree);

    let empty = sandbox.git_with(&bare, &["mktree"], &[], b"");
    let date = format!("{NOW} +0000");
    let who = [
        ("GIT_AUTHOR_NAME", "Sealift Bot"),
        ("GIT_AUTHOR_EMAIL", "bot@example.org"),
        ("GIT_AUTHOR_DATE", date.as_str()),
        ("GIT_COMMITTER_NAME", "Sealift Bot"),
        ("GIT_COMMITTER_EMAIL", "bot@example.org"),
        ("GIT_COMMITTER_DATE", date.as_str()),
    ];
    let git_root = sandbox.git_with(&bare, &["commit-tree", &empty], &who, b"root\n");
    assert_eq!(id(&git_root), root);
    let args = ["commit-tree", &git_tree, "-p", &git_root];
    let git_commit = sandbox.git_with(&bare, &args, &who, message.as_bytes());
    assert_eq!(id(&git_commit), commit);
    sandbox.git_with(&bare, &["tag", "-a", "--cleanup=verbatim", "-F", "-", "v1.6.2", &git_commit], &who, b"v1.6.2\n");
    assert_eq!(id(&sandbox.git(&bare, &["rev-parse", "refs/tags/v1.6.2"])), tag);
    // git itself finds nothing to complain about.
    sandbox.git(&sandbox.path("one"), &["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn what_git_would_trim_is_refused() {
    let sandbox = Sandbox::new();
    let store = Store::open(&sandbox.path("store")).unwrap();
    let empty = store.empty_tree().unwrap();
    for (name, email) in [("a <b", "x@y"), (" a", "x@y"), ("", "x@y"), ("a", ""), ("a\nb", "x@y")] {
        let commit = NewCommit { name: name.into(), email: email.into(), ..commit_of(empty, vec![], "m\n") };
        assert!(matches!(store.write_commit(&commit), Err(StoreError::Invalid { .. })), "{name:?} {email:?}");
    }
    assert!(store.write_commit(&commit_of(empty, vec![], "a\0b")).is_err());
    let absent = id("0123456789abcdef0123456789abcdef01234567");
    assert!(store.write_commit(&commit_of(empty, vec![absent], "m\n")).is_err(), "a parent that isn't there");
    assert!(store.write_commit(&commit_of(absent, vec![], "m\n")).is_err(), "a tree that isn't there");
}

#[test]
fn an_edit_changes_what_it_names_and_nothing_else() {
    let sandbox = Sandbox::new();
    let (dir, commit) = checkout(&sandbox);
    let store = Store::open_existing(&dir).unwrap();
    let tree = store.tree_of(commit).unwrap();
    let edited = store
        .edit(
            tree,
            &[
                Edit::write("bin/run", "#!/bin/sh\nexit\n"),
                Edit::write("packages/new/deep", "new"),
                Edit::remove("packages/a/values.yaml"),
                Edit::put("copy", mode::DIRECTORY, store.subtree(tree, b"bin").unwrap().unwrap()),
            ],
        )
        .unwrap();
    let changed = ["bin/run", "copy/run", "packages/a/values.yaml", "packages/new/deep"];
    assert_eq!(store.changed_paths(tree, edited).unwrap(), changed.map(|path| path.as_bytes().to_vec()));
    assert_eq!(store.entry(edited, b"bin/run").unwrap().unwrap().mode, mode::EXECUTABLE);
    assert_eq!(store.entry(edited, b"packages/new/deep").unwrap().unwrap().mode, mode::FILE);
    assert_eq!(store.entry(edited, b"packages/a").unwrap(), None, "an empty directory is gone");
    // The same by git's own eyes: a diff without rename detection.
    let diff = ["diff-tree", "-r", "--no-renames", "--name-only", &tree.to_string(), &edited.to_string()];
    assert_eq!(sandbox.git(&dir, &diff), changed.join("\n"));

    let again = store.edit(tree, &[Edit::write("bin/run", "#!/bin/sh\n")]).unwrap();
    assert_eq!(again, tree, "the same bytes are no change");
    let nothing = store.edit(tree, &[]).unwrap();
    assert_eq!(nothing, tree);
    let mode_only = [Edit {
        path: b"bin/run".to_vec(),
        change: Change::Write { mode: Some(mode::FILE), bytes: b"#!/bin/sh\n".to_vec() },
    }];
    let plain = store.edit(tree, &mode_only).unwrap();
    assert_eq!(store.changed_paths(tree, plain).unwrap(), [b"bin/run".to_vec()], "a mode is a change");
}

#[test]
fn an_edit_that_cannot_be_made_names_its_path() {
    let sandbox = Sandbox::new();
    let (dir, commit) = checkout(&sandbox);
    let store = Store::open_existing(&dir).unwrap();
    let tree = store.tree_of(commit).unwrap();
    let cases: [&[Edit]; 9] = [
        &[Edit::remove("packages/absent")],
        &[Edit::write("packages/a0/below-a-file", "")],
        &[Edit::write("packages", "a directory")],
        &[Edit::write("module", "a submodule")],
        &[Edit::write("../up", "")],
        &[Edit::write("a//b", "")],
        &[Edit::write(".GIT/config", "")],
        &[Edit::write("same", "1"), Edit::write("same", "2")],
        &[Edit::write("file", "1"), Edit::write("file/below", "2")],
    ];
    for edits in cases {
        match store.edit(tree, edits) {
            Err(StoreError::Edit { path, .. }) => {
                assert!(edits.iter().any(|edit| edit.path.starts_with(path.as_bytes())), "{path}")
            }
            other => panic!("{edits:?}: {other:?}"),
        }
    }
}

#[test]
fn a_git_tree_lists_as_the_tree_view_asks() {
    let sandbox = Sandbox::new();
    let (dir, commit) = checkout(&sandbox);
    let store = Arc::new(Store::open_existing(&dir).unwrap());
    let tree = GitTree::new(store.clone(), store.tree_of(commit).unwrap()).named("HEAD");
    let entries = tree.entries().unwrap();
    let seen: Vec<_> = entries
        .iter()
        .map(|entry| (String::from_utf8_lossy(&entry.path).into_owned(), entry.kind, entry.mode, entry.size))
        .collect();
    let expected = [
        (".gitattributes", Kind::File, 0o644, 19),
        ("bin", Kind::Directory, 0o755, 0),
        ("bin/run", Kind::File, 0o755, 10),
        ("link", Kind::Symlink, 0o777, 0),
        ("module", Kind::Other, 0, 0),
        ("packages", Kind::Directory, 0o755, 0),
        ("packages/a", Kind::Directory, 0o755, 0),
        ("packages/a/values.yaml", Kind::File, 0o644, 9),
        ("packages/a.b", Kind::File, 0o644, 23),
        ("packages/a0", Kind::File, 0o644, 5),
    ];
    assert_eq!(seen, expected.map(|(path, kind, mode, size)| (path.to_owned(), kind, mode, size)));
    let mut sorted = entries.clone();
    sorted.sort_by(|a, b| sealift::tree::order(&a.path, &b.path));
    assert_eq!(sorted, entries);
    for entry in entries.iter().filter(|entry| entry.kind == Kind::File) {
        let path = dir.join(std::str::from_utf8(&entry.path).unwrap());
        assert_eq!(tree.read(&entry.path).unwrap(), std::fs::read(path).unwrap());
    }
    for path in ["link", "module", "packages", "absent"] {
        let error = tree.read(path.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("HEAD") && error.contains(path), "{error}");
    }
}

/// `a - b - d` and `b - c`, `d - m`, `c - m`.
fn history(sandbox: &Sandbox) -> (PathBuf, [CommitId; 5]) {
    let dir = sandbox.init("history", false);
    let commit = |branch: &str, file: &str, from: &str| {
        sandbox.git(&dir, &["switch", "--quiet", "-C", branch, from]);
        sandbox.write(&dir, file, format!("{file}\n"));
        id(&sandbox.commit_all(&dir, file))
    };
    sandbox.write(&dir, "a", "a\n");
    let a = id(&sandbox.commit_all(&dir, "a"));
    let b = commit("main", "b", "HEAD");
    let c = commit("side", "c", "HEAD");
    let d = commit("main", "d", &b.to_string());
    sandbox.git(&dir, &["merge", "--quiet", "--no-ff", "-m", "merge", "side"]);
    let m = id(&sandbox.git(&dir, &["rev-parse", "HEAD"]));
    (dir, [a, b, c, d, m])
}

#[test]
fn history_is_as_git_sees_it() {
    let sandbox = Sandbox::new();
    let (dir, [a, b, c, d, m]) = history(&sandbox);
    let store = Store::open_existing(&dir).unwrap();
    for (ancestor, descendant, answer) in [(a, m, true), (c, m, true), (m, m, true), (m, a, false), (c, d, false)] {
        assert_eq!(store.is_ancestor(ancestor, descendant).unwrap(), answer);
    }
    assert_eq!(store.merge_base(c, d).unwrap(), Some(b));
    let chain = |limit, stop: CommitId| -> Vec<CommitId> {
        store.first_parents(m, limit, |commit| commit.id == stop).unwrap().iter().map(|commit| commit.id).collect()
    };
    assert_eq!(chain(10, b), [m, d, b]);
    assert_eq!(chain(2, b), [m, d]);
    assert_eq!(chain(10, c), [m, d, b, a]);
    let mut reached = store.reachable(m, &[b]).unwrap();
    assert_eq!(reached[0], m);
    reached.sort();
    let mut expected = [m, c, d];
    expected.sort();
    assert_eq!(reached, expected);
    let commit = store.existing_commit(m).unwrap();
    assert_eq!((commit.parents.as_slice(), commit.summary()), ([d, c].as_slice(), "merge"));
    assert_eq!((commit.author.as_str(), commit.committer_time.seconds), ("Ann Author <ann@example.org>", NOW));
    assert_eq!(store.merge_trees(d, c).unwrap(), Merged::Tree(store.tree_of(m).unwrap()));

    let absent = id("0123456789abcdef0123456789abcdef01234567");
    assert_eq!(store.commit(absent).unwrap(), None);
    let missing = |result: Result<bool, StoreError>| matches!(result, Err(StoreError::Missing { .. }));
    assert!(missing(store.is_ancestor(absent, m)), "what isn't there has no relatives to tell of");
    assert!(missing(store.is_ancestor(m, absent)));
    assert_eq!(store.rev_parse("side").unwrap(), c);
    assert_eq!(store.rev_parse("HEAD~1").unwrap(), d);
    let error = store.rev_parse("no-such").unwrap_err().to_string();
    assert!(error.contains("no-such"), "{error}");
}

#[test]
fn a_merge_that_needs_a_person_lists_its_paths() {
    let sandbox = Sandbox::new();
    let store = Store::open(&sandbox.path("store")).unwrap();
    let empty = store.empty_tree().unwrap();
    let commit = |text: &str, parents: Vec<CommitId>| {
        let tree = store.edit(empty, &[Edit::write("d/file", text), Edit::write("same", "same")]).unwrap();
        store.write_commit(&commit_of(tree, parents, "c\n")).unwrap()
    };
    let base = commit("base", vec![]);
    let (ours, theirs) = (commit("ours", vec![base]), commit("theirs", vec![base]));
    assert_eq!(store.merge_trees(ours, theirs).unwrap(), Merged::Conflicts(vec![b"d/file".to_vec()]));
    assert_eq!(store.merge_trees(ours, base).unwrap(), Merged::Tree(store.tree_of(ours).unwrap()));
    let other = commit("unrelated", vec![]);
    assert_eq!(store.merge_base(ours, other).unwrap(), None);
}

#[test]
fn worktrees_shallow_and_partial_clones_can_be_read() {
    let sandbox = Sandbox::new();
    let (dir, [a, _, _, d, m]) = history(&sandbox);
    sandbox.git(&dir, &["worktree", "add", "--quiet", "--detach", "../linked", "side"]);
    let linked = Store::open_existing(&sandbox.path("linked")).unwrap();
    assert_eq!(linked.rev_parse("HEAD").unwrap(), Store::open_existing(&dir).unwrap().rev_parse("side").unwrap());

    let url = format!("file://{}", dir.display());
    let root = sandbox.path("");
    sandbox.git(&root, &["clone", "--quiet", "--depth=1", "--branch=main", &url, "shallow"]);
    let shallow = Store::open_existing(&sandbox.path("shallow")).unwrap();
    let tip = shallow.rev_parse("main").unwrap();
    assert_eq!((tip, shallow.file(shallow.tree_of(m).unwrap(), b"d").unwrap().unwrap()), (m, b"d\n".to_vec()));
    assert!(matches!(shallow.is_ancestor(a, m), Err(StoreError::Missing { .. })));
    assert!(matches!(shallow.reachable(m, &[]), Err(StoreError::Shallow { .. })), "a cut history isn't counted");

    sandbox.git(&dir, &["config", "uploadpack.allowFilter", "true"]);
    sandbox.git(&root, &["clone", "--quiet", "--bare", "--filter=blob:none", &url, "partial"]);
    // Some versions of git mark such a clone so.
    sandbox.git(&sandbox.path("partial"), &["config", "core.repositoryFormatVersion", "1"]);
    sandbox.git(&sandbox.path("partial"), &["config", "extensions.partialClone", "origin"]);
    let partial = Store::open_existing(&sandbox.path("partial")).unwrap();
    let tree = partial.tree_of(d).unwrap();
    assert!(partial.entry(tree, b"a").unwrap().is_some());
    assert!(
        matches!(partial.file(tree, b"a"), Err(StoreError::Missing { .. })),
        "a blob left out isn't an absent file"
    );
}

/// Gives a path to another user: as root, or in a full check as whoever may become root.
fn give(path: &Path, owner: u32) -> Result<(), String> {
    let Err(error) = std::os::unix::fs::chown(path, Some(owner), None) else { return Ok(()) };
    if std::env::var_os("SEALIFT_REQUIRE_PEERS").is_none() {
        return Err(error.to_string());
    }
    let sudo = std::process::Command::new("sudo").args(["-n", "chown", &owner.to_string()]).arg(path).output();
    let sudo = sudo.map_err(|error| error.to_string())?;
    if sudo.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&sudo.stderr).into_owned()) }
}

#[test]
fn a_foreign_owned_checkout_can_be_read() {
    let sandbox = Sandbox::new();
    let (dir, [.., m]) = history(&sandbox);
    let mine = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(&dir).unwrap());
    let paths = [dir.join(".git"), dir.clone()];
    for path in &paths {
        if let Err(error) = give(path, 65_534) {
            println!("skipped: giving a checkout to another user needs root: {error}");
            return;
        }
    }
    let head = Store::open_existing(&dir).map(|store| store.rev_parse("HEAD"));
    // So that the sandbox can go.
    paths.iter().for_each(|path| give(path, mine).unwrap());
    assert_eq!(head.unwrap().unwrap(), m);
}

/// Runs another test of this binary in a HOME whose configuration no git can read.
#[test]
fn a_broken_configuration_of_the_user_changes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write(&sandbox.path("home"), ".gitconfig", "[broken\n");
    sandbox.write(&sandbox.path("home"), ".config/git/config", "[broken\n");
    let broken = sandbox.command("git", &sandbox.path("")).args(["config", "--list"]).output().unwrap();
    assert!(!broken.status.success(), "git itself stumbles");
    let mut rerun = sandbox.command(std::env::current_exe().unwrap(), &sandbox.path(""));
    let output = rerun.args(["--exact", "repository::store::the_store_is_a_plain_bare_repository"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
fn the_store_is_a_plain_bare_repository() {
    let sandbox = Sandbox::new();
    let store = Store::open(&sandbox.path("a/b/store")).unwrap();
    let again = Store::open(&sandbox.path("a/b/store")).unwrap();
    let blob = store.write_blob(b"x").unwrap();
    assert_eq!(again.blob(blob).unwrap().unwrap(), b"x");
    assert!(again.contains(blob).unwrap());
    let hooks = sandbox.path("a/b/store/hooks");
    let names: Vec<_> = std::fs::read_dir(hooks).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| name.to_string_lossy().ends_with(".sample")), "{names:?}");

    sandbox.write(&sandbox.path(""), "file", "not a directory");
    for (dir, open) in [("absent", Store::open_existing as fn(&Path) -> _), ("file", Store::open)] {
        let error = open(&sandbox.path(dir)).unwrap_err().to_string();
        assert!(error.contains(dir), "{error}");
    }
}
