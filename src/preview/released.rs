//! The names that a version gets besides its own: the forge's release, and the aliases that follow.

use super::names::{Destination, Kind, Standing};
use super::{Finding, Topic};
use crate::model::{Answer, Code, RefName, Refusal};
use crate::pipeline::Pipeline;
use crate::port::forge::ForgeRead;

/// The release of a version's tag; `ours`: what is published under it is this promotion's.
pub async fn release(forge: &dyn ForgeRead, tag: &RefName, ours: bool, findings: &mut Vec<Finding>) -> Destination {
    let standing = match forge.published(tag.short()).await {
        Answer::Absent => Standing::Free,
        Answer::Found(_) if ours => Standing::Right,
        Answer::Found(release) => {
            let refusal =
                Refusal::new(Code::ReleasePublished, format!("the release {} is published already", tag.short()))
                    .at([&release.url])
                    .hint("find out who published it: what is public is never replaced; release the next version");
            findings.push(Finding::refused(Topic::Name, refusal));
            Standing::Taken { found: release.url }
        }
        Answer::Unknown(unknown) => Standing::unknown(unknown, &[], findings),
    };
    Destination::new(Kind::Release, tag.short(), standing)
}

/// Names that follow the highest published version: which one that is, is decided when they move.
pub fn aliases(pipeline: &Pipeline, images: usize) -> Vec<Destination> {
    let follows = |name: String| Destination::new(Kind::Alias, name, Standing::Follows);
    let of_images = pipeline.aliases.images.iter().filter(|_| images > 0);
    let mut found: Vec<Destination> = of_images.map(|tag| follows(format!("{tag} of every image"))).collect();
    if let Some(chart) = &pipeline.chart {
        found.extend(pipeline.aliases.chart.iter().map(|tag| follows(format!("{}:{tag}", chart.repository))));
    }
    found.extend(pipeline.github().map(|_| follows("latest release".to_owned())));
    found
}
