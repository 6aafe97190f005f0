//! The command, as it is typed, and every form of its report.

use super::*;
use crate::support::json_schema;
use crate::support::sandbox::Sandbox;

struct Typed {
    sandbox: Sandbox,
    server: RegistryServer,
}

impl Typed {
    async fn new(text: &str) -> Self {
        let (sandbox, server) = (Sandbox::new(), RegistryServer::start());
        push(&at(&url(&server)), "fine", "RC", "fine").await;
        server.clear_log();
        std::fs::write(sandbox.path("pipeline.yaml"), super::super::pipeline_text("")).unwrap();
        let file = sandbox.path("tree").join(VALUES);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, filled(text)).unwrap();
        Self { sandbox, server }
    }

    /// With what is not there.
    async fn faulty() -> Self {
        Self::new(&format!("a: OWN/fine:RC@{}\nb: OWN/never:RC@{}\n", digest("fine"), digest("never"))).await
    }

    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let mut command = self.sandbox.command(env!("CARGO_BIN_EXE_sealift"), &self.sandbox.path(""));
        command.args(["lint", "--pipeline", "pipeline.yaml", "--tree", "tree"]).args(args);
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn here(&self) -> String {
        format!("{HOST}={}", self.server.url())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_unless_told() {
    let typed = Typed::faulty().await;
    let (code, out, _) = typed.run(&[]);
    assert!(code == 0 && !out.contains("registry: ") && !out.contains("unpublished"), "{out}");
    assert_eq!(typed.server.requests().len(), 0);
    let (_, out, _) = typed.run(&["--format", "json"]);
    assert!(out.contains("\"registry\":null"), "{out}");
    for wrong in [
        &["--control", "registry.example/org/own/fine:v1"][..],
        &["--third-party", "quay.io"],
        &["--registry", "x"],
        &["--registry", "--control", "registry.example/org/own/fine"],
        &["--registry", "--third-party", "quay.io/x"],
        &["--registry", "--third-party", "x"],
    ] {
        assert_eq!(typed.run(wrong).0, 2, "{wrong:?}");
    }
    // Asked where it says it is: nobody is there.
    std::fs::write(
        typed.sandbox.path("pipeline.yaml"),
        format!("{}registries: {{{HOST}: 'layout:no-such'}}\n", super::super::pipeline_text("")),
    )
    .unwrap();
    let (code, out, _) = typed.run(&["--registry"]);
    assert!(code == 1 && out.contains("unknown[unpublished]"), "{out}");
    let (code, ..) = typed.run(&["--registry", "--registry", &typed.here()]);
    assert_eq!(code, 5, "the command line's place wins");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_sees_what_was_asked_and_the_control() {
    let typed = Typed::faulty().await;
    let (code, out, err) = typed.run(&["--registry", &typed.here()]);
    let (fine, never) = (digest("fine"), digest("never"));
    assert_eq!((code, err.as_str()), (5, ""), "{out}");
    for expected in [
        format!("{OWN}/never:v2.3.0-rc.1 is not published, while {OWN}/fine@{fine} answers\n"),
        format!("{OWN}/never@{never} is not there, while {OWN}/fine@{fine} answers\n"),
        "registry: asked for 2 tags, 2 digests, 2 manifests of indexes, 1 repository without credentials\n".to_owned(),
        format!("registry: control of {HOST}: {OWN}/fine@{fine} answers\n"),
    ] {
        assert!(out.contains(&expected), "{expected}\n{out}");
    }
    let (_, out, _) = typed.run(&["--registry", &typed.here(), "--control", &filled("OWN/none:RC")]);
    let no_control = "none:v2.3.0-rc.1: it is not there; what is absent there is unknown\n";
    assert!(out.contains(no_control), "{out}");
}

#[tokio::test(flavor = "multi_thread")]
async fn machines_see_the_control_too() {
    let typed = Typed::faulty().await;
    let (fine, here) = (digest("fine"), typed.here());
    let reference = format!("{OWN}/fine@{fine}");
    let control = serde_json::json!({
        "host": HOST, "third_party": false, "named": false, "reference": reference, "digest": fine, "why": null,
    });
    let looked = serde_json::json!({
        "tags": 2, "digests": 2, "manifests": 2, "repositories": 1, "unnamed": 0, "controls": [control],
    });
    let (_, out, _) = typed.run(&["--registry", &here, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["registry"], looked);
    let (_, out, _) = typed.run(&["--registry", &here, "--format", "markdown"]);
    assert!(out.contains("Registries") && out.contains(&format!("control of {HOST}: ")), "{out}");
    let (_, out, _) = typed.run(&["--registry", &here, "--sarif", "-"]);
    let log: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(log["runs"][0]["properties"]["registry"], looked);
    let schema = include_str!("../../../../fixtures/lint/sarif-schema-2.1.0.json");
    let wrong = json_schema::check(&serde_json::from_str(schema).unwrap(), &log);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_are_ours_alone() {
    use crate::support::registry_server::{Access, Bearer};
    let user = Some(("me".to_owned(), "hunter2".to_owned()));
    let server = RegistryServer::with(Access::Bearer(Bearer { user, ..Bearer::default() }));
    let typed = Typed { server, ..Typed::new(&format!("a: OWN/x:RC@{}\n", digest("x"))).await };
    let file = typed.sandbox.path("docker.json");
    let login = serde_json::json!({"auths": {HOST: {"username": "me", "password": "hunter2"}}});
    std::fs::write(&file, login.to_string()).unwrap();
    let ours = Registries::new(Config { docker_config: Some(file), ..config(&url(&typed.server)) }).unwrap();
    push(&ours, "x", "RC", "x").await;
    let (code, out, _) = typed.run(&["--registry", &typed.here(), "--docker-config", "docker.json"]);
    assert!(code == 5 && out.contains("error[not-public]"), "{out}");
    assert!(!out.contains("hunter2"), "{out}");
    // Without any, nothing can be known.
    let (code, out, _) = typed.run(&["--registry", &typed.here()]);
    assert!(code == 1 && out.contains("unknown[not-public]") && out.contains("unknown[unpublished]"), "{out}");
}
