//! The sticky comment: one, this credential's own, updated in place; and what keeps it from being written.

use std::sync::Arc;

use super::*;

use crate::support::github::state::{Comment, Level as Access};
use crate::support::github::{Act, Token};
use crate::support::world::hosted::{READER, TOKEN};

const MARKER: &str = "<!-- sealift preview: cozystack -->";

fn comments(world: &World) -> Vec<(String, String)> {
    let state = world.github().state();
    state.comments.iter().map(|comment| (comment.author.clone(), comment.body.clone())).collect()
}

/// Somebody else's comment.
fn says(world: &World, number: u64, author: &str, body: &str) {
    let mut state = world.github().state();
    let (id, now) = (state.id(), state.now());
    state.comments.push(Comment {
        id,
        number,
        author: author.into(),
        body: body.into(),
        created_at: now,
        updated_at: now,
    });
}

fn warnings(ran: &Ran) -> Vec<&str> {
    fn of(event: &Event) -> Option<&str> {
        match event {
            Event::Warning { message } => Some(message),
            _ => None,
        }
    }
    ran.events.iter().filter_map(of).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_updated_in_place_and_others_are_left_alone() {
    let world = fresh().await;
    let number = open(&world, RC_BRANCH, "x");
    // Others may begin theirs with the marker; ours may be quoted.
    says(&world, number, "frida", &format!("{MARKER}\nmine!"));
    says(&world, number, "cozystack-ci[bot]", &format!("> {MARKER}\nquoted"));
    let session = world.session();
    let first = session.comment(number, MARKER, &format!("{MARKER}\none")).await;
    assert_eq!(first.acted().len(), 1, "{}", first.told());
    assert_eq!(comments(&world).len(), 3);
    let writes = world.github().writes();
    // The same again is no write.
    assert!(session.comment(number, MARKER, &format!("{MARKER}\none")).await.events.is_empty());
    assert_eq!(world.github().writes(), writes);
    // Another machine, another preview: the same comment.
    let second = world.session().comment(number, MARKER, &format!("{MARKER}\ntwo")).await;
    assert!(second.acted()[0].contains(&format!("comment on #{number}")), "{}", second.told());
    let texts: Vec<String> = comments(&world).into_iter().map(|(_, body)| body).collect();
    let expected = ["\nmine!", "\nquoted", "\ntwo"].map(|end| end.to_owned());
    assert!(texts.iter().zip(&expected).all(|(text, end)| text.ends_with(end)) && texts.len() == 3, "{texts:?}");
    assert_eq!(comments(&world)[2].0, "cozystack-ci[bot]");
    // Another pull request, and another pipeline's preview, have their own.
    world.session().comment(number, "<!-- sealift preview: other -->", "<!-- sealift preview: other -->\nthree").await;
    assert_eq!(comments(&world).len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_that_may_not_be_written_is_a_warning() {
    let world = fresh().await;
    let number = super::pulls::from_fork(&world, RC_BRANCH, "topic");
    let read = [("contents", Access::Read), ("pull_requests", Access::Read), ("metadata", Access::Read)];
    world.github().state().tokens.push(Token::actions("ghs_readonly", &read));
    for (token, why) in [
        (Some("ghs_readonly"), "Resource not accessible by integration"),
        (Some(READER), ""),
        (None, "nobody can't comment"),
    ] {
        let body = format!("{MARKER}\nby {token:?}");
        let ran = world.session_as(token).comment(number, MARKER, &body).await;
        if token == Some(READER) {
            // GitHub lets anyone who may read comment.
            continue;
        }
        let [warning] = warnings(&ran)[..] else { panic!("{}", ran.told()) };
        assert!(warning.contains("was not written, the rest of this report is whole"), "{warning}");
        assert!(warning.contains(why), "{warning}");
    }
    assert!(comments(&world).iter().all(|(author, _)| author == "rita"), "{:?}", comments(&world));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_that_changed_meanwhile_is_looked_at_again() {
    let world = Arc::new(fresh().await);
    let number = open(&world, RC_BRANCH, "x");
    world.session().comment(number, MARKER, &format!("{MARKER}\none")).await;
    let github = world.github();
    // Another run's comes between the look that plans and the look right before the write.
    let meanwhile = |looks: usize| {
        let weak = Arc::downgrade(&world);
        github.heal();
        for look in 1..=looks {
            let weak = weak.clone();
            let change = move || {
                let world = weak.upgrade().unwrap();
                world.github().state().comments[0].body = format!("{MARKER}\nanother run's, {look}");
            };
            github.fault("GET", "/comments", 2 * look..=2 * look, Act::before(change));
        }
        (github.count("GET", "/comments"), github.writes())
    };
    let (looks, writes) = meanwhile(1);
    let ran = world.session().comment(number, MARKER, &format!("{MARKER}\ntwo")).await;
    assert_eq!((ran.acted().len(), warnings(&ran)), (1, Vec::new()), "{}", ran.told());
    assert_eq!(github.count("GET", "/comments") - looks, 4, "lost, planned again on what is there, done");
    assert_eq!(github.writes() - writes, 1, "what it did not expect it did not overwrite");
    assert_eq!(comments(&world), [("cozystack-ci[bot]".to_owned(), format!("{MARKER}\ntwo"))]);
    // One that changes at every look stays as it is, and that is said.
    let (looks, writes) = meanwhile(3);
    let ran = world.session().comment(number, MARKER, &format!("{MARKER}\nthree")).await;
    assert!(ran.acted().is_empty(), "{}", ran.told());
    let [warning] = warnings(&ran)[..] else { panic!("{}", ran.told()) };
    assert!(warning.contains("was not written") && warning.contains(&format!("comment on #{number}")), "{warning}");
    assert_eq!((github.count("GET", "/comments") - looks, github.writes() - writes), (6, 0));
    assert_eq!(comments(&world)[0].1, format!("{MARKER}\nanother run's, 3"));
}

/// The real process on GitHub's own runner, with the token of a workflow.
fn runner(world: &World, number: u64, token: Option<&str>) -> (Output, String) {
    let summary = world.sandbox.path("summary.md");
    let _ = std::fs::remove_file(&summary);
    let environment = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
        ("GITHUB_SERVER_URL", "https://github.com"),
        ("GITHUB_REPOSITORY", "cozystack/cozystack"),
        ("GITHUB_RUN_ID", "42"),
    ];
    let arguments = world.arguments_as(token);
    let number = number.to_string();
    let output = sealift(world, &["preview", "--pull-request", &number, "--comment"], &environment, &arguments);
    let summary = std::fs::read_to_string(&summary).unwrap_or_else(|_| panic!("no summary: {}", text(&output.stderr)));
    (output, summary)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_gets_comment_summary_annotations_and_an_exit_code() {
    let world = fresh().await;
    let number = change(&world, |tree| {
        edit(tree, POSTGRES, |text| format!("{text}stray: {}\n", sha("stray")));
    });
    let write = [("contents", Access::Read), ("pull_requests", Access::Write), ("metadata", Access::Read)];
    world.github().state().tokens.push(Token::actions("ghs_workflow", &write));
    let before = world.snapshot();
    for _ in 0..2 {
        let (output, summary) = runner(&world, number, Some("ghs_workflow"));
        assert_eq!(output.status.code(), Some(5), "{}{}", text(&output.stdout), text(&output.stderr));
        let annotation = format!("::error file={POSTGRES},line=5,col=8,title=sealift preview%3A unclaimed reference::");
        assert!(text(&output.stdout).lines().any(|line| line.starts_with(&annotation)), "{}", text(&output.stdout));
        let verdict = format!("## Preview of #{number}: a promotion would be refused");
        assert!(summary.starts_with(&verdict), "{summary}");
        let [(author, body)] = &comments(&world)[..] else { panic!("{:?}", comments(&world)) };
        assert_eq!(author, "github-actions[bot]");
        assert!(body.starts_with(&format!("{MARKER}\n{verdict}")), "{body}");
        assert!(body.contains("advisory"), "{body}");
    }
    let difference = before.difference(&world.snapshot());
    assert!(difference.len() == 1 && difference[0].contains("comment"), "{difference:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn from_a_fork_everything_but_the_comment_works_and_says_so() {
    let world = fresh().await;
    let number = super::pulls::from_fork(&world, RC_BRANCH, "topic");
    let read = [("contents", Access::Read), ("pull_requests", Access::Read), ("metadata", Access::Read)];
    world.github().state().tokens.push(Token::actions("ghs_readonly", &read));
    let before = world.snapshot();
    for token in [Some("ghs_readonly"), None] {
        let (output, summary) = runner(&world, number, token);
        let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(summary.contains("it would promote cleanly") && summary.contains("a fork's"), "{summary}");
        assert!(summary.contains("was not written"), "{summary}");
        assert!(text(&output.stderr).contains("warning: the comment on #"), "{said}");
        assert!(text(&output.stdout).contains("::warning title=sealift::the comment on #"), "{said}");
    }
    before.assert_same(&world.snapshot(), "nothing is written");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_of_thousands_of_lines_fits_and_links_to_the_whole() {
    let world = fresh().await;
    let number = change(&world, |tree| {
        for n in 0..500 {
            let line = format!("a: {OWNED}/postgres-backup:v1.6.2-rc.1\nstray: {}\n", sha(&n.to_string()));
            add(tree, &format!("packages/apps/app-{n:04}/values.yaml"), &line);
        }
    });
    let (output, summary) = runner(&world, number, Some(TOKEN));
    assert_eq!(output.status.code(), Some(5), "{}", text(&output.stderr));
    let [(_, body)] = &comments(&world)[..] else { panic!("{:?}", text(&output.stderr)) };
    assert!(body.chars().count() <= 65_536, "{}", body.len());
    assert!(body.len() > 40_000, "as much as there is room for: {}", body.len());
    let link = "The whole is in the summary of [this run](https://github.com/cozystack/cozystack/actions/runs/42).";
    assert!(body.contains(link) && body.contains("What a promotion would refuse (1000)"), "{body}");
    assert!(summary.len() > body.len() && summary.len() <= 1 << 20, "{}", summary.len());
    assert!(text(&output.stdout).matches("::error ").count() <= 52);
}
