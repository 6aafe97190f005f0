//! explain, refs census: what references are, and who claims each place.

use super::{beside, named, open};
use crate::cli::args::{CensusArgs, ExplainArgs};
use crate::cli::failure::{Ended, Hinted};
use crate::cli::promote::Context;
use crate::engine::{Event, State};
use crate::explain::{Census, Completeness, Explanation};
use crate::pipeline;

pub async fn explain(args: &ExplainArgs, context: &Context<'_>) -> Ended {
    let what = args.clone();
    let look = move || {
        let pipeline = pipeline::load(&what.tree.pipeline)?;
        let tree = named(&what.tree.tree, &what.tree.repo)?;
        let (name, rc) = (what.tree.tree.clone(), what.tree.rc.as_ref());
        Explanation::look(&pipeline, tree.as_ref(), name, rc, &what.place).map_err(|error| {
            let make = if error.is_usage() { Hinted::usage } else { Hinted::new };
            make(error.to_string(), error.hint()).into()
        })
    };
    let explanation = beside(look).await?;
    let ended = if explanation.unread.is_empty() { State::Holds } else { State::Failed };
    context.observer.event(&Event::Explanation(Box::new(explanation)));
    Ok(ended)
}

pub async fn census(args: &CensusArgs, context: &Context<'_>) -> Ended {
    let what = args.clone();
    let look = move || {
        let pipeline = pipeline::load(&what.tree.pipeline)?;
        let tree = open(&what.tree)?;
        Ok(Census::of(&pipeline, tree.as_ref(), what.tree.tree.clone(), what.tree.rc.as_ref(), what.strict))
    };
    let census = beside(look).await?;
    let ended = match census.verdict {
        Completeness::Complete => State::Holds,
        Completeness::Incomplete => State::Refused,
        Completeness::Unknown => State::Failed,
    };
    context.observer.event(&Event::Census(Box::new(census)));
    Ok(ended)
}
