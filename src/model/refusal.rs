//! A refusal is a value, not an error: why not, where, and what to do.

use serde::Serialize;

use super::Unknown;

macro_rules! codes {
    ($($name:ident $code:literal),* $(,)?) => {
        /// Which refusal it is: what stays the same when its words change, for scripts and for
        /// `docs/when-it-stops.md`, which says of each what to do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code {
            $($name),*
        }

        impl Code {
            /// Every code there is, by name.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The code as JSON has it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $code),*
                }
            }
        }
    };
}

codes! {
    AlreadyMerged "already-merged",
    AnotherCandidate "another-candidate",
    AnotherPipeline "another-pipeline",
    AnotherTree "another-tree",
    ArtifactGone "artifact-gone",
    ArtifactImpossible "artifact-impossible",
    ArtifactUnreadable "artifact-unreadable",
    ArtifactUntrusted "artifact-untrusted",
    AssetForeign "asset-foreign",
    AssetMissing "asset-missing",
    AssetName "asset-name",
    AssetNotDeclared "asset-not-declared",
    AssetsChanged "assets-changed",
    AssetsUnreadable "assets-unreadable",
    AuthorNotTrusted "author-not-trusted",
    BaseDemands "base-demands",
    BaseMoved "base-moved",
    BaseUntested "base-untested",
    BaseWithoutPipeline "base-without-pipeline",
    BranchName "branch-name",
    BuiltList "built-list",
    CandidateMoved "candidate-moved",
    CandidateStrays "candidate-strays",
    ChartTaken "chart-taken",
    ChartUnpackable "chart-unpackable",
    CommitsOfPeople "commits-of-people",
    ContentChanged "content-changed",
    CopiedAssetMissing "copied-asset-missing",
    CopyAlone "copy-alone",
    DigestMoved "digest-moved",
    DraftNotVisible "draft-not-visible",
    EditedList "edited-list",
    EvidenceDoubted "evidence-doubted",
    EvidenceLate "evidence-late",
    EvidenceUnknown "evidence-unknown",
    FilesDiffer "files-differ",
    ForeignPullRequest "foreign-pull-request",
    GitTagTaken "git-tag-taken",
    ImageGone "image-gone",
    LineDiverged "line-diverged",
    ManyDrafts "many-drafts",
    MayNotWrite "may-not-write",
    MergeConflict "merge-conflict",
    MergeReverted "merge-reverted",
    MergeStrays "merge-strays",
    MixedVersions "mixed-versions",
    NoBase "no-base",
    NoBuiltAssets "no-built-assets",
    NoCandidateBranch "no-candidate-branch",
    NoCandidateTag "no-candidate-tag",
    NoChart "no-chart",
    NoChecks "no-checks",
    NoDigest "no-digest",
    NoEvidence "no-evidence",
    NoHistory "no-history",
    NoMergeCommits "no-merge-commits",
    NoRoot "no-root",
    NotProven "not-proven",
    NotPublished "not-published",
    NotReviewed "not-reviewed",
    NothingOwned "nothing-owned",
    NothingToRewrite "nothing-to-rewrite",
    NothingUnderWay "nothing-under-way",
    PinForeign "pin-foreign",
    PinMissing "pin-missing",
    PinStrays "pin-strays",
    PullRequestElsewhere "pull-request-elsewhere",
    RcArtifactDiffers "rc-artifact-differs",
    RcArtifactForeign "rc-artifact-foreign",
    RcArtifactGone "rc-artifact-gone",
    RcTagMissing "rc-tag-missing",
    RcTagMoved "rc-tag-moved",
    RecordUnreadable "record-unreadable",
    References "references",
    ReleasePublished "release-published",
    ReleaseTaken "release-taken",
    RestDiffers "rest-differs",
    Ruleset "ruleset",
    SourceIncomplete "source-incomplete",
    Squashed "squashed",
    StagingDeleted "staging-deleted",
    StagingForeign "staging-foreign",
    StagingHeld "staging-held",
    StagingNotCarried "staging-not-carried",
    StagingRebased "staging-rebased",
    StagingStrays "staging-strays",
    TagCollision "tag-collision",
    TagElsewhere "tag-elsewhere",
    TemporaryTagTaken "temporary-tag-taken",
    Unknown "unknown",
    UntrustedRepository "untrusted-repository",
    VersionSpent "version-spent",
    WorkflowNotStarted "workflow-not-started",
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    pub code: Code,
    pub message: String,
    /// `file:line`, a reference, a commit: where it shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// A command to run or one imperative sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Refusal {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), places: Vec::new(), hint: None }
    }

    pub fn at(mut self, places: impl IntoIterator<Item = impl ToString>) -> Self {
        self.places.extend(places.into_iter().map(|place| place.to_string()));
        self
    }

    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl From<Unknown> for Refusal {
    /// Unknown never authorises anything: it refuses.
    fn from(unknown: Unknown) -> Self {
        let hint = match unknown.status {
            Some(_) => "run the same command again when it answers",
            None => "see that it is there, whole and reachable, then run the same command again",
        };
        Self::new(Code::Unknown, format!("can't be known: {unknown}")).hint(hint)
    }
}
