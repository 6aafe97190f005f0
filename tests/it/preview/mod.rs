//! The preview of a pull request, of a revision, of a directory: what reviewers are told, and that
//! nothing but one comment is ever written.

mod comment;
mod faults;
mod hostile;
mod pulls;
mod trees;

use std::path::Path;
use std::process::Output;

use sealift::engine::{Asked, Event, State};
use sealift::model::Rc;
use sealift::preview::{Finding, Level, Preview, Topic};
use sealift::report::{Annotations, Json, Markdown, Mode, Reporter, Style, Terminal};

use crate::support::golden::golden;
use crate::support::page::Page;
use crate::support::world::{Case, Ran, Session, Shipped, World, shipped};

/// The candidate's branch, whose tree is clean.
const RC_BRANCH: &str = "release-1.6.2-rc.1";
const OWNED: &str = "ghcr.io/cozystack/cozystack";
const POSTGRES: &str = "packages/apps/postgres/values.yaml";

fn cozystack() -> Shipped {
    shipped().into_iter().find(|shipped| shipped.name == "cozystack").unwrap()
}

/// A world with a candidate, nothing promoted.
async fn fresh() -> World {
    World::build(&Case::of(&cozystack())).await
}

/// Opens a pull request from a branch of the repository into `main`. Its number.
fn open(world: &World, branch: &str, title: &str) -> u64 {
    let rev = |name: &str| world.names_of(&format!("refs/heads/{name}")).unwrap();
    let (head, base) = (rev(branch), rev("main"));
    let number = world.github().state().add_pull(branch, &head, "main", &base, title);
    world.github().sync();
    number
}

/// A pull request that changes files of the candidate's branch. Its number.
fn change(world: &World, edit: impl FnOnce(&Path)) -> u64 {
    let clone = world.clone_of(RC_BRANCH);
    edit(&clone);
    world.sandbox.commit_all(&clone, "a change");
    world.push(&clone, &["HEAD:refs/heads/change"]);
    open(world, "change", "feat: a change")
}

/// Edits a file that is there.
fn edit(checkout: &Path, file: &str, edit: impl FnOnce(String) -> String) {
    let path = checkout.join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(path, edit(text)).unwrap();
}

/// Adds a file.
fn add(checkout: &Path, file: &str, text: &str) {
    let path = checkout.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

async fn previewed(session: &Session, number: u64, rc: Option<&str>) -> Ran {
    let rc: Option<Rc> = rc.map(|rc| rc.parse().unwrap());
    session.preview(&Asked::Pull(number), rc).await
}

/// The preview of a pull request, from a fresh machine.
async fn look(world: &World, number: u64) -> Ran {
    previewed(&world.session(), number, None).await
}

#[track_caller]
fn preview(ran: &Ran) -> &Preview {
    let found = ran.events.iter().find_map(|event| match event {
        Event::Preview(preview) => Some(preview.as_ref()),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no preview was told: {:?}\n{}", ran.state, ran.told()))
}

/// The one finding of a topic; it must say all of `texts`, in the message, the places or the hint.
#[track_caller]
fn found<'a>(ran: &'a Ran, level: Level, topic: Topic, texts: &[&str]) -> &'a Finding {
    let all = &preview(ran).findings;
    let of: Vec<&Finding> = all.iter().filter(|finding| finding.topic == topic).collect();
    let [finding] = of.as_slice() else { panic!("not one {topic:?}: {all:#?}") };
    assert_eq!(finding.level, level, "{finding:#?}");
    let said = format!("{:?}", finding.refusal);
    for text in texts {
        assert!(said.contains(text), "`{text}` is not in {said}");
    }
    finding
}

/// Nothing is at fault but what is said to be.
#[track_caller]
fn only(ran: &Ran, topics: &[Topic]) {
    let all = &preview(ran).findings;
    let topics_found: Vec<Topic> = all.iter().map(|finding| finding.topic).collect();
    assert_eq!(topics_found, topics, "{all:#?}");
}

/// Every form of what was told, held in `fixtures/preview`.
#[track_caller]
fn goldens(name: &str, ran: &Ran) {
    let page = Page::default();
    let style = Style { mode: Mode::Plan, color: false, talk_color: false, progress: None, verbose: 0, quiet: false };
    let tell = |reporter: &dyn Reporter| {
        ran.events.iter().for_each(|event| reporter.event(event));
        reporter.close().unwrap();
    };
    tell(&Terminal::new(page.writer(), Page::default().writer(), style));
    golden("preview", &format!("{name}.txt"), &page.text());
    let document = Markdown::new();
    tell(&document);
    golden("preview", &format!("{name}.md"), &document.render(Markdown::COMMENT));
    let page = Page::default();
    tell(&Json::new(page.writer()));
    golden("preview", &format!("{name}.jsonl"), &page.text());
    let page = Page::default();
    tell(&Annotations::new(page.writer()));
    golden("preview", &format!("{name}-annotations.txt"), &page.text());
}

/// A digest that no registry has.
fn sha(of: &str) -> String {
    sealift::model::Digest::of(of.as_bytes()).to_string()
}

/// The real process in a world.
fn sealift(world: &World, words: &[&str], environment: &[(&str, &str)], arguments: &[String]) -> Output {
    let mut command = world.sandbox.command(env!("CARGO_BIN_EXE_sealift"), &world.sandbox.path("home"));
    command.args(words).args(arguments).envs(environment.iter().copied());
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
