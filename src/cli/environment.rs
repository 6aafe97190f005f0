//! The one door to the environment: what sealift takes from it, and nothing else.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;

use super::args::When;

/// Read once, at the start. Not to be printed: tokens are in it.
#[derive(Clone, Default)]
pub struct Environment {
    /// This program, for commands that people can type anywhere: with its whole path, where it was
    /// called by a path.
    pub program: String,
    pub home: Option<PathBuf>,
    pub xdg_cache: Option<PathBuf>,
    pub docker_config: Option<PathBuf>,
    pub git_token: Option<String>,
    pub github_token: Option<String>,
    /// `NO_COLOR`, not empty: <https://no-color.org>.
    pub no_color: bool,
    /// `CLICOLOR_FORCE`, neither empty nor 0: <https://bixense.com/clicolors>.
    pub force_color: bool,
    /// A terminal that says of itself that it can do nothing: `TERM=dumb`.
    pub dumb: bool,
    /// GitHub Actions: annotations are understood, and a step summary is wanted here.
    pub actions: bool,
    /// GitHub Actions: the repository's checkout, and what is gone with the runner beside it.
    pub workspace: Option<PathBuf>,
    pub step_summary: Option<PathBuf>,
    /// GitHub Actions: where a step leaves values for later ones.
    pub outputs: Option<PathBuf>,
    /// The page of the workflow run this is.
    pub page: Option<String>,
    /// Who runs this, for the log.
    pub operator: String,
    pub stdout_is_terminal: bool,
    pub stderr_is_terminal: bool,
    pub columns: Option<u16>,
}

fn program(name: Option<OsString>) -> String {
    let path = name.map(PathBuf::from).filter(|name| name.components().count() > 1);
    let path = path.and_then(|path| std::path::absolute(path).ok());
    path.map_or_else(|| "sealift".into(), |path| path.display().to_string())
}

fn page(server: Option<String>, repository: Option<String>, run: Option<String>) -> Option<String> {
    Some(format!("{}/{}/actions/runs/{}", server?, repository?, run?))
}

impl Environment {
    #[expect(clippy::disallowed_methods, reason = "the one door to the environment")]
    pub fn read() -> Self {
        let var = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let text = |name: &str| var(name).and_then(|value| value.into_string().ok());
        let path = |name: &str| var(name).map(|value: OsString| PathBuf::from(value));
        Self {
            program: program(std::env::args_os().next()),
            home: path("HOME"),
            xdg_cache: path("XDG_CACHE_HOME"),
            docker_config: path("DOCKER_CONFIG"),
            git_token: text("SEALIFT_GIT_TOKEN"),
            github_token: text("GITHUB_TOKEN"),
            no_color: var("NO_COLOR").is_some(),
            force_color: text("CLICOLOR_FORCE").is_some_and(|value| value != "0"),
            dumb: text("TERM").is_some_and(|value| value == "dumb"),
            actions: text("GITHUB_ACTIONS").is_some_and(|value| value == "true"),
            workspace: path("GITHUB_WORKSPACE"),
            step_summary: path("GITHUB_STEP_SUMMARY"),
            outputs: path("GITHUB_OUTPUT"),
            page: page(text("GITHUB_SERVER_URL"), text("GITHUB_REPOSITORY"), text("GITHUB_RUN_ID")),
            operator: text("GITHUB_ACTOR").or_else(|| text("USER")).unwrap_or_else(|| "unknown".into()),
            stdout_is_terminal: std::io::stdout().is_terminal(),
            stderr_is_terminal: std::io::stderr().is_terminal(),
            columns: text("COLUMNS").and_then(|columns| columns.parse().ok()),
        }
    }

    /// `$DOCKER_CONFIG/config.json`, or the one in the home directory.
    pub fn docker_config(&self) -> Option<PathBuf> {
        let dir = self.docker_config.clone().or_else(|| Some(self.home.as_ref()?.join(".docker")))?;
        Some(dir.join("config.json"))
    }

    /// Whether stdout gets colours.
    pub fn color(&self, when: When) -> bool {
        self.colors(when, self.stdout_is_terminal)
    }

    /// Whether stderr gets colours.
    pub fn talk_color(&self, when: When) -> bool {
        self.colors(when, self.stderr_is_terminal)
    }

    /// What was typed counts most; then `NO_COLOR`, then `CLICOLOR_FORCE`, then what the terminal can do.
    fn colors(&self, when: When, terminal: bool) -> bool {
        match when {
            When::Always => true,
            When::Never => false,
            When::Auto => !self.no_color && (self.force_color || (terminal && !self.dumb)),
        }
    }

    /// Where caches live (XDG Base Directory Specification).
    pub fn cache(&self) -> Option<PathBuf> {
        let base = self.xdg_cache.clone().or_else(|| Some(self.home.as_ref()?.join(".cache")))?;
        Some(base.join("sealift"))
    }
}
