//! The bare repository that the API shows. It is opened anew for each look: others push to it.

use std::path::{Path, PathBuf};

use git2::{Commit, ErrorCode, Oid, Repository, Signature, Time};

pub struct Origin {
    path: PathBuf,
}

impl Origin {
    pub fn new(path: &Path) -> Self {
        let origin = Self { path: path.to_owned() };
        assert!(origin.open().is_bare(), "{} is no bare repository", path.display());
        origin
    }

    pub fn open(&self) -> Repository {
        Repository::open_bare(&self.path).unwrap_or_else(|error| panic!("{}: {error}", self.path.display()))
    }

    pub fn default_branch(&self) -> String {
        let repository = self.open();
        let head = repository.find_reference("HEAD").unwrap();
        let target = head.symbolic_target().unwrap().unwrap_or("refs/heads/main");
        target.trim_start_matches("refs/heads/").to_owned()
    }

    /// What a ref names, tags not peeled.
    pub fn find(&self, name: &str) -> Option<Oid> {
        match self.open().find_reference(name) {
            Ok(reference) => reference.target(),
            Err(error) if matches!(error.code(), ErrorCode::NotFound | ErrorCode::InvalidSpec) => None,
            Err(error) => panic!("{name}: {error}"),
        }
    }

    pub fn branch(&self, name: &str) -> Option<Oid> {
        self.find(&format!("refs/heads/{name}"))
    }

    /// The commit behind a tag.
    pub fn tag(&self, name: &str) -> Option<Oid> {
        self.commit_of(self.find(&format!("refs/tags/{name}"))?)
    }

    /// The commit that an object is or names.
    pub fn commit_of(&self, object: Oid) -> Option<Oid> {
        let repository = self.open();
        let object = repository.find_object(object, None).ok()?;
        object.peel_to_commit().ok().map(|commit| commit.id())
    }

    /// The commit of a branch, a tag or an id.
    pub fn commitish(&self, text: &str) -> Option<Oid> {
        let id = || Oid::from_str(text).ok().filter(|_| text.len() == 40).and_then(|id| self.commit_of(id));
        self.branch(text).or_else(|| self.tag(text)).or_else(id)
    }

    /// The committer's date.
    pub fn date(&self, commit: Oid) -> i64 {
        self.open().find_commit(commit).unwrap().time().seconds()
    }

    /// Every ref and what it names, by name.
    pub fn refs(&self) -> Vec<(String, Oid)> {
        let repository = self.open();
        let refs = repository.references().unwrap().map(Result::unwrap);
        let mut refs: Vec<_> =
            refs.filter_map(|found| Some((found.name().unwrap().to_owned(), found.target()?))).collect();
        refs.sort();
        refs
    }

    pub fn parents(&self, commit: Oid) -> Vec<Oid> {
        self.open().find_commit(commit).unwrap().parent_ids().collect()
    }

    /// Whether `commit` is `of` or an ancestor of it.
    pub fn reaches(&self, of: Oid, commit: Oid) -> bool {
        of == commit || self.open().graph_descendant_of(of, commit).unwrap_or(false)
    }

    /// How many commits the first has that the second hasn't.
    pub fn ahead(&self, commit: Oid, of: Oid) -> usize {
        self.open().graph_ahead_behind(commit, of).map_or(0, |(ahead, _)| ahead)
    }

    /// The first commit on the branch's first-parent chain (the oldest) that reaches `commit`.
    pub fn brought_by(&self, tip: Oid, commit: Oid) -> Oid {
        let mut found = tip;
        while let Some(parent) = self.open().find_commit(found).unwrap().parent_ids().next() {
            if !self.reaches(parent, commit) {
                break;
            }
            found = parent;
        }
        found
    }

    pub fn set(&self, name: &str, commit: Oid) {
        self.open().reference(name, commit, true, "fake GitHub").unwrap();
    }

    pub fn delete(&self, name: &str) {
        self.open().find_reference(name).unwrap().delete().unwrap();
    }

    /// A new commit, made by GitHub; no ref names it yet.
    pub fn commit(&self, tree: Oid, parents: &[Oid], message: &str, date: i64) -> Oid {
        let repository = self.open();
        let signature = Signature::new("GitHub", "noreply@github.com", &Time::new(date, 0)).unwrap();
        let parents: Vec<Commit> = parents.iter().map(|parent| repository.find_commit(*parent).unwrap()).collect();
        let parents: Vec<&Commit> = parents.iter().collect();
        let tree = repository.find_tree(tree).unwrap();
        repository.commit(None, &signature, &signature, message, &tree, &parents).unwrap()
    }

    /// The tree of both merged; `None` when they conflict.
    pub fn merged_tree(&self, ours: Oid, theirs: Oid) -> Option<Oid> {
        let repository = self.open();
        let (ours, theirs) = (repository.find_commit(ours).unwrap(), repository.find_commit(theirs).unwrap());
        let mut index = repository.merge_commits(&ours, &theirs, None).unwrap();
        (!index.has_conflicts()).then(|| index.write_tree_to(&repository).unwrap())
    }

    /// The commits of `head` that `base` hasn't, put onto `base` one by one; merges are left out, as GitHub does.
    pub fn rebased(&self, head: Oid, base: Oid) -> Option<Oid> {
        let repository = self.open();
        let mut walk = repository.revwalk().unwrap();
        walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::REVERSE).unwrap();
        walk.push(head).unwrap();
        walk.hide(base).unwrap();
        let mut onto = base;
        for id in walk.map(Result::unwrap) {
            let commit = repository.find_commit(id).unwrap();
            if commit.parent_count() > 1 {
                continue;
            }
            let mut index =
                repository.cherrypick_commit(&commit, &repository.find_commit(onto).unwrap(), 0, None).unwrap();
            if index.has_conflicts() {
                return None;
            }
            let tree = repository.find_tree(index.write_tree_to(&repository).unwrap()).unwrap();
            let parent = repository.find_commit(onto).unwrap();
            let committer = Signature::new("GitHub", "noreply@github.com", &commit.time()).unwrap();
            let message = commit.message().unwrap();
            onto = repository.commit(None, &commit.author(), &committer, message, &tree, &[&parent]).unwrap();
        }
        Some(onto)
    }
}
