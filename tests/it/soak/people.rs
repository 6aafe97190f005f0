//! What people do meanwhile: what they may, in any order, and what stops a promotion until they undo it.

use std::fmt;

use super::dice::Dice;
use crate::support::github::How;
use crate::support::world::remote::Remote;

/// Something that a person does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Writes on the changelog, on the staging branch.
    Changelog,
    /// Commits to the base, where a promotion allows it.
    BaseMoves,
    /// Merges the base into the staging branch.
    UpdateBranch,
    /// Merges with git.
    Merge,
    /// Moves the base to the staging branch.
    FastForward,
    /// Presses GitHub's button.
    Button,
    /// Deletes the staging branch, as hosts do after a merge.
    DeleteBranch,
    /// Gives the stable tag to the merge by hand, lightweight.
    TagByHand,
    /// Puts an image's stable tag on what it will name.
    ImageByHand,
    /// Puts an image's stable tag on something else.
    WrongImage,
}

/// What a person did that stops a promotion, and how it is undone.
#[derive(Clone, Debug)]
pub enum Obstacle {
    Tag,
    Image(String),
}

impl Deed {
    /// What a person could do now.
    pub fn possible(at: &Remote) -> Vec<Self> {
        let world = &at.world;
        world.github().sync();
        let names = world.names();
        let there = |name: &str| world.names_of(name);
        let (staged, tagged) = (there(names.staging.as_str()), there(names.git_tag.as_str()));
        let proposed = world.github().state().pulls.iter().any(|pull| pull.open);
        let mut deeds = vec![Self::ImageByHand, Self::BaseMoves];
        if proposed {
            deeds.extend([Self::Changelog, Self::UpdateBranch, Self::Merge, Self::Merge, Self::Button]);
            if staged.as_deref().is_some_and(|staged| contains(at, staged, &there(names.base.as_str()).unwrap())) {
                deeds.push(Self::FastForward);
            }
        }
        if merged(at) {
            deeds.retain(|deed| *deed != Self::BaseMoves);
            deeds.extend(staged.map(|_| Self::DeleteBranch));
            deeds.extend(tagged.is_none().then_some(Self::TagByHand));
        }
        let tags = at.registry.tags();
        deeds.extend(world.images.keys().any(|name| !tags.contains_key(below(name))).then_some(Self::WrongImage));
        deeds
    }

    /// Does it. What stands in the way of a promotion then.
    pub fn done(self, at: &Remote, dice: &mut Dice) -> Option<Obstacle> {
        let world = &at.world;
        let names = world.names();
        let file = |what: &str, dice: &mut Dice| format!("docs/changelogs/{what}-{}.md", dice.below(1000));
        match self {
            Self::Changelog => {
                world.person_commits(
                    names.staging.short(),
                    "docs/changelogs/v1.6.2.md",
                    &format!("{}\n", dice.below(1000)),
                );
            }
            Self::BaseMoves => {
                let path = file("older", dice);
                world.person_commits(names.base.short(), &path, &format!("{}\n", dice.below(1000)));
            }
            Self::UpdateBranch => {
                let clone = world.clone_of(names.staging.short());
                let base = format!("origin/{}", names.base.short());
                world.sandbox.git(&clone, &["merge", "--quiet", "--no-edit", &base]);
                world.push(&clone, &["HEAD"]);
            }
            Self::Merge => {
                world.merge();
            }
            Self::FastForward => {
                world.fast_forward();
            }
            Self::Button => {
                let number = world.github().state().pulls.iter().find(|pull| pull.open).unwrap().number;
                world.github().merge_pull(number, How::Merge);
            }
            Self::DeleteBranch => world.delete_branch(names.staging.short()),
            Self::TagByHand => {
                world.set_ref(names.git_tag.as_str(), &world.names_of(names.base.as_str()).unwrap());
                return Some(Obstacle::Tag);
            }
            Self::ImageByHand => {
                let images: Vec<_> = world.images.iter().collect();
                let (name, digest) = dice.pick(&images);
                let (repository, tag) = below(name).rsplit_once(':').unwrap();
                // Only where nobody did something else before.
                if !at.registry.tags().contains_key(below(name)) {
                    at.registry.tag(repository, tag, **digest);
                }
            }
            Self::WrongImage => {
                let tags = at.registry.tags();
                let free: Vec<_> = world.images.iter().filter(|(name, _)| !tags.contains_key(below(name))).collect();
                let (name, own) = *dice.pick(&free);
                let (repository, tag) = below(name).rsplit_once(':').unwrap();
                let others = tags.iter().filter(|(name, _)| name.rsplit_once(':').unwrap().0 == repository);
                let other = others.map(|(_, digest)| *digest).find(|digest| digest != own)?;
                at.registry.tag(repository, tag, other);
                return Some(Obstacle::Image(name.clone()));
            }
        }
        None
    }
}

impl Obstacle {
    /// A person takes it back.
    pub fn undo(&self, at: &Remote) {
        match self {
            Self::Tag => {
                let tag = at.world.names().git_tag;
                at.world.sandbox.git(&at.world.origin(), &["update-ref", "-d", tag.as_str()]);
            }
            Self::Image(name) => {
                let (repository, tag) = below(name).rsplit_once(':').unwrap();
                at.registry.untag(repository, tag);
            }
        }
    }
}

/// Whether the promotion is merged.
pub fn merged(at: &Remote) -> bool {
    at.world.github().sync();
    at.world.github().state().pulls.iter().any(|pull| pull.merged_at.is_some())
}

fn contains(at: &Remote, commit: &str, older: &str) -> bool {
    let base = at.world.sandbox.git(&at.world.origin(), &["merge-base", commit, older]);
    base == older
}

/// A name as the one server of all hosts has it.
pub fn below(name: &str) -> &str {
    name.split_once('/').unwrap().1
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::Changelog => "changelog",
            Self::BaseMoves => "base moves",
            Self::UpdateBranch => "update branch",
            Self::Merge => "merge",
            Self::FastForward => "fast-forward",
            Self::Button => "merge button",
            Self::DeleteBranch => "branch deleted",
            Self::TagByHand => "tag by hand",
            Self::ImageByHand => "image tagged by hand",
            Self::WrongImage => "image tagged wrongly",
        };
        f.write_str(words)
    }
}
