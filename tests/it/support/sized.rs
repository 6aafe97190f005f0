//! A generated tree of a real release's size and make-up: for the same size the same bytes, everywhere.
//!
//! The proportions are those of cozystack 1.6.2: most bytes are upstream charts and dashboards, few files hold
//! references. Nothing in it is faulty: it can be linted, rewritten and promoted.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// The candidate that the tree's references carry.
pub const RC: &str = "v1.6.2-rc.1";
pub const VERSION: &str = "1.6.2-rc.1";
pub const ROOT: &str = "packages";
pub const HOST: &str = "registry.example.org";

const OWNED: &str = "registry.example.org/platform";
const INSTALLER: &str = "packages/core/installer/values.yaml";

/// How large a tree is, in tenths of a real release's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub usize);

/// 4,000 files, 45 MB.
pub const REAL: Size = Size(10);

impl Size {
    pub fn files(self) -> usize {
        400 * self.0
    }

    /// Bytes of all files, within a few percent.
    pub fn bytes(self) -> u64 {
        4_500_000 * self.0 as u64
    }

    /// Files that hold references, or may.
    pub fn enumerated(self) -> usize {
        17 * self.0
    }

    /// References outside of the gzip copies.
    pub fn references(self) -> usize {
        6 * self.0
    }

    pub fn symlinks(self) -> usize {
        (7 * self.0).div_ceil(2)
    }

    /// Declared text files, and as many gzip copies, each with its plain source.
    fn declared(self) -> usize {
        self.0.div_ceil(10)
    }

    fn tags(self) -> usize {
        2 * self.0
    }

    fn packages(self) -> usize {
        self.enumerated() - self.tags() - 3 * self.declared()
    }

    /// The pipeline file that promotes it, over plain git.
    pub fn pipeline(self) -> String {
        let each = |line: fn(usize) -> String| (0..self.declared()).map(line).collect::<String>();
        let text = each(|n| format!("    - {{path: {}, required: true}}\n", below(&text_file(n))));
        let copy = |n| format!("    - {{path: {}, plain: {}, required: true}}\n", below(&packed(n)), below(&plain(n)));
        let gzip = each(copy);
        let producer = |n, file: String| {
            let by = format!("make -C {} image", package(4 * n + 4));
            format!("  - {{file: {}, by: {by}, reason: A script of the target stamps it.}}\n", below(&file))
        };
        let producers: String =
            (0..self.declared()).flat_map(|n| [producer(n, text_file(n)), producer(n, plain(n))]).collect();
        format!(
            "name: sized\nrepository: https://git.example.org/platform\nroot: {ROOT}\n\
             identity: {{name: Release Bot, email: release-bot@example.org}}\n\
             references:\n  owned: [{OWNED}]\n  text:\n{text}  gzip:\n{gzip}\
             artifact: {{repository: {OWNED}/platform-packages, source: https://git.example.org/platform}}\n\
             installer: {{values: core/installer/values.yaml, url_key: platformSourceUrl, ref_key: platformSourceRef}}\n\
             producers:\n{producers}"
        )
    }

    /// Writes the tree below a directory, and its pipeline file beside nothing else: at its top.
    pub fn write(self, dir: &Path) {
        let mut tree = Writer { dir, made: BTreeSet::new(), files: 0 };
        let mut random = Random(1);
        let texts = Texts::new(&mut random);
        tree.file("pipeline.yaml", self.pipeline());
        self.references_in(&mut tree, &texts, &mut random);
        let (mut n, packages) = (0, self.packages());
        while tree.files < self.files() {
            let filler = &FILLERS[cycle(n)];
            let package = package(random.below(packages));
            let size = filler.bytes / 4 + spread(n, filler.bytes * 3 / 2);
            let path = format!("{package}/{}", filler.path.replace('#', &n.to_string()));
            let content = (filler.text)(&texts, &path, size, &mut random);
            tree.file(&long(path, n), content);
            n += 1;
        }
        for n in 0..self.symlinks() {
            let path = dir.join(format!("{}/files/shared-{n}", package(n % packages)));
            tree.folder(path.parent().unwrap());
            symlink("../values.yaml", path).unwrap();
        }
    }

    /// Files with references, and the Makefiles that stamp them.
    fn references_in(self, tree: &mut Writer<'_>, texts: &Texts, random: &mut Random) {
        let mut images = 0..;
        let mut next = || images.next().unwrap();
        let in_values = self.references() - 1 - self.tags() - 3 * self.declared();
        let mut stamps: BTreeMap<usize, String> = (0..self.packages()).map(|at| (at, String::new())).collect();
        for at in 0..self.packages() {
            // By its number, and not by chance: a larger tree holds what a smaller one does, and more.
            let size = if at % 5 == 0 { 1_000 + spread(at, 9_000) } else { 100 + spread(at, 900) };
            let mut values = String::from_utf8(texts.values.part(size, random)).unwrap();
            let path = format!("{}/values.yaml", package(at));
            if path == INSTALLER {
                let digest = digest(usize::MAX);
                let pair = format!(
                    "  platformSourceUrl: oci://{OWNED}/platform-packages\n  platformSourceRef: digest={digest}\n"
                );
                values.push_str(&format!("installer:\n{pair}"));
            }
            // Spread over the packages, so that most have none.
            if (at + 1) * in_values / self.packages() > at * in_values / self.packages() {
                let image = next();
                values.push_str(&reference(image));
                let stamp = "yq -i '.controller.image = strenv(IMAGE)' values.yaml";
                stamps.get_mut(&at).unwrap().push_str(&format!("\tIMAGE=\"{}\" {stamp}\n", made(image)));
            }
            tree.file(&path, values);
        }
        for n in 0..self.tags() {
            let (at, image) = (n % self.packages(), next());
            tree.file(&format!("{}/images/part-{n}.tag", package(at)), format!("{}\n", whole(image)));
            let stamp = format!("\techo \"{}\" > images/part-{n}.tag\n", made(image));
            stamps.get_mut(&at).unwrap().push_str(&stamp);
        }
        for n in 0..self.declared() {
            let other = String::from_utf8(texts.yaml.part(9_000, random)).unwrap();
            let uses = [next(), next()]
                .map(|image| format!("{{{{- if .Values.on }}}}\nimage: {}\n{{{{- end }}}}\n", whole(image)));
            tree.file(&text_file(n), format!("{other}{}", uses.concat()));
            let other = String::from_utf8(texts.yaml.part(400_000, random)).unwrap();
            let content = format!("{other}- image: {}\n", whole(next()));
            tree.file(&packed(n), gzipped(content.as_bytes()));
            tree.file(&plain(n), content);
        }
        assert_eq!(next() + 1, self.references());
        let mut build = String::from("build:\n");
        for (at, stamps) in stamps {
            tree.file(&format!("{}/Makefile", package(at)), format!("image:\n\t@echo image\n{stamps}"));
            build.push_str(&format!("\tmake -C {} image\n", package(at)));
        }
        tree.file("Makefile", build);
        tree.file("README.md", "# A platform\n");
    }
}

/// Something below a limit, spread evenly over it.
fn spread(n: usize, limit: usize) -> usize {
    n * 7_919 % limit
}

fn text_file(n: usize) -> String {
    format!("{}/templates/daemonset-thick.yml", package(4 * n + 4))
}

fn packed(n: usize) -> String {
    format!("{}/files/components.gz", package(4 * n + 4))
}

fn plain(n: usize) -> String {
    format!("{}/files/components.yaml", package(4 * n + 4))
}

fn below(path: &str) -> &str {
    &path[ROOT.len() + 1..]
}

/// The folder of a package.
fn package(n: usize) -> String {
    match n {
        0 => format!("{ROOT}/core/installer"),
        n => format!("{ROOT}/{}/part-{n}", ["system", "system", "apps", "extra"][n % 4]),
    }
}

/// Every 25th path is longer than a tar header holds (100 bytes), every 400th longer than two fields do (255).
fn long(path: String, n: usize) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap();
    let times = if n.is_multiple_of(400) { 6 } else { usize::from(n.is_multiple_of(25)) * 2 };
    format!("{folder}/{}{name}", "a-folder-with-a-name-as-long-as-generated-ones/".repeat(times))
}

fn digest(image: usize) -> String {
    let mut random = Random(image as u64 ^ 0x5ea1_11f7);
    format!("sha256:{:016x}{:016x}{:016x}{:016x}", random.next(), random.next(), random.next(), random.next())
}

/// Every image in one place. Every sixth is somebody else's, every sixth of ours has a version of its own.
fn parts(image: usize) -> (String, &'static str, String) {
    let (repository, tag) = match image % 6 {
        4 => (format!("{OWNED}/component-{image}"), "v0.19.0"),
        5 => (format!("quay.io/vendor/tool-{image}"), "v2.4.1"),
        _ => (format!("{OWNED}/image-{image}"), RC),
    };
    (repository, tag, digest(image))
}

fn whole(image: usize) -> String {
    let (repository, tag, digest) = parts(image);
    format!("{repository}:{tag}@{digest}")
}

/// A reference in one of the shapes of values files.
fn reference(image: usize) -> String {
    let (repository, tag, digest) = parts(image);
    match image % 5 {
        0..=2 => format!("controller:\n  image: {repository}:{tag}@{digest}\n"),
        3 => format!("controller:\n  image:\n    repository: {repository}\n    tag: {tag}@{digest}\n"),
        _ => format!("controller:\n  image:\n    repository: {repository}\n    tag: \"{tag}\"\n    digest: {digest}\n"),
    }
}

/// How a Makefile spells an image that it just built.
fn made(image: usize) -> String {
    let (repository, ..) = parts(image);
    format!("{repository}:$(TAG)@$$(yq e '.digest' images/{image}.json -r)")
}

fn gzipped(content: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder =
        flate2::GzBuilder::new().mtime(0).operating_system(3).write(Vec::new(), flate2::Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A kind of file that holds no references. `#` in a path is its number; `files` are so many of a hundred.
struct Filler {
    path: &'static str,
    files: usize,
    /// On average.
    bytes: usize,
    text: fn(&Texts, &str, usize, &mut Random) -> Vec<u8>,
}

const FILLERS: [Filler; 13] = [
    Filler { path: "charts/upstream/templates/part-#.yaml", files: 48, bytes: 4_000, text: Texts::yaml },
    Filler { path: "charts/upstream/crds/definition-#.yaml", files: 6, bytes: 58_000, text: Texts::yaml },
    Filler { path: "charts/upstream-#/values.yaml", files: 6, bytes: 11_000, text: Texts::commented },
    Filler { path: "charts/upstream-#/README.md", files: 4, bytes: 15_000, text: Texts::prose },
    Filler { path: "docs/page-#.md", files: 4, bytes: 6_000, text: Texts::prose },
    Filler { path: "dashboards/board-#.json", files: 6, bytes: 43_000, text: Texts::json },
    Filler { path: "templates/part-#.yaml", files: 12, bytes: 3_000, text: Texts::yaml },
    Filler { path: "definitions/definition-#.yaml", files: 3, bytes: 30_000, text: Texts::yaml },
    Filler { path: "images/part-#/main.go", files: 5, bytes: 7_000, text: Texts::code },
    Filler { path: "images/part-#/Dockerfile", files: 1, bytes: 900, text: Texts::code },
    Filler { path: "images/part-#/go.sum", files: 1, bytes: 40_000, text: Texts::sums },
    Filler { path: "hack/task-#.sh", files: 3, bytes: 2_000, text: Texts::commented },
    Filler { path: "logos/logo-#.png", files: 1, bytes: 10_000, text: Texts::binary },
];

/// Which filler the nth file is: all of them in turn, well mixed.
fn cycle(n: usize) -> usize {
    // 37 has no factor in common with 100.
    let mut at = n * 37 % 100;
    FILLERS.iter().position(|filler| at.checked_sub(filler.files).map(|left| at = left).is_none()).unwrap()
}

/// Long texts that files are cut out of: writing each anew would take longer than reading it.
struct Texts {
    yaml: Pool,
    values: Pool,
    json: Pool,
    prose: Pool,
    code: Pool,
    sums: Pool,
}

struct Pool {
    bytes: Vec<u8>,
    /// Where it may be cut.
    starts: Vec<usize>,
}

impl Pool {
    fn new(bytes: usize, random: &mut Random, item: fn(usize, &mut Random) -> String) -> Self {
        let mut pool = Self { bytes: Vec::with_capacity(bytes + 1_000), starts: Vec::new() };
        while pool.bytes.len() < bytes {
            pool.starts.push(pool.bytes.len());
            pool.bytes.extend_from_slice(item(pool.starts.len(), random).as_bytes());
        }
        pool
    }

    /// Whole items, of so many bytes or some more.
    fn part(&self, bytes: usize, random: &mut Random) -> Vec<u8> {
        let first = self.starts[random.below(self.starts.len())];
        let last = (first + bytes).min(self.bytes.len());
        let end = self.starts.get(self.starts.partition_point(|start| *start < last)).copied();
        self.bytes[first..end.unwrap_or(self.bytes.len())].to_vec()
    }
}

impl Texts {
    fn new(random: &mut Random) -> Self {
        const POOL: usize = 2 << 20;
        Self {
            yaml: Pool::new(POOL, random, |n, r| {
                format!(
                    "- name: {}-{}\n  kind: {}\n  # {}\n  description: {}\n  replicas: {}\n  labels: {{app: {}, tier: {}}}\n",
                    r.word(),
                    n,
                    r.word(),
                    r.words(6),
                    r.words(14),
                    r.below(9),
                    r.word(),
                    r.word()
                )
            }),
            values: Pool::new(POOL, random, |n, r| {
                format!(
                    "{}-{n}:\n  # {}\n  enabled: {}\n  resources:\n    limits: {{cpu: {}m, memory: {}Mi}}\n  args: [\"--{}={}\"]\n",
                    r.word(),
                    r.words(8),
                    r.below(2) == 0,
                    r.below(1000),
                    r.below(4096),
                    r.word(),
                    r.word()
                )
            }),
            json: Pool::new(POOL, random, |n, r| {
                format!(
                    "  {{\"id\": {n}, \"title\": \"{}\", \"type\": \"{}\", \"targets\": [{{\"expr\": \"sum(rate({}_{}{{job=~'{}'}}[5m])) by ({})\", \"refId\": \"A\"}}]}},\n",
                    r.words(3),
                    r.word(),
                    r.word(),
                    r.word(),
                    r.word(),
                    r.word()
                )
            }),
            prose: Pool::new(POOL, random, |n, r| match n % 8 {
                0 => format!("## {}\n\n", r.words(3)),
                _ => format!("{}. {}, `{}`: {}.\n\n", r.words(12), r.words(5), r.word(), r.words(9)),
            }),
            code: Pool::new(POOL, random, |n, r| {
                format!(
                    "// {}\nfunc {}{n}({} string) error {{\n\tif {} == \"{}\" {{\n\t\treturn fmt.Errorf(\"{}\")\n\t}}\n\treturn nil\n}}\n",
                    r.words(9),
                    r.word(),
                    r.word(),
                    r.word(),
                    r.word(),
                    r.words(4)
                )
            }),
            sums: Pool::new(POOL, random, |n, r| {
                format!(
                    "example.org/{}/{}-{n} v0.{}.0 h1:{:016x}{:016x}=\n",
                    r.word(),
                    r.word(),
                    r.below(40),
                    r.next(),
                    r.next()
                )
            }),
        }
    }

    fn yaml(&self, path: &str, size: usize, random: &mut Random) -> Vec<u8> {
        [format!("# {path}\n").into_bytes(), self.yaml.part(size, random)].concat()
    }

    /// As values files of charts are: third-party references by tag among the keys.
    fn commented(&self, path: &str, size: usize, random: &mut Random) -> Vec<u8> {
        let image = format!("image: quay.io/vendor/{}:v{}\n", random.word(), random.below(20));
        [format!("# {path}\n{image}").into_bytes(), self.values.part(size, random)].concat()
    }

    fn json(&self, path: &str, size: usize, random: &mut Random) -> Vec<u8> {
        [b"[\n", self.json.part(size, random).as_slice(), format!("  {{\"path\": \"{path}\"}}\n]\n").as_bytes()]
            .concat()
    }

    fn prose(&self, path: &str, size: usize, random: &mut Random) -> Vec<u8> {
        [format!("# {path}\n\n").into_bytes(), self.prose.part(size, random)].concat()
    }

    fn code(&self, path: &str, size: usize, random: &mut Random) -> Vec<u8> {
        [format!("// {path}\n").into_bytes(), self.code.part(size, random)].concat()
    }

    fn sums(&self, path: &str, size: usize, random: &mut Random) -> Vec<u8> {
        [format!("example.org/{path} {VERSION}\n").into_bytes(), self.sums.part(size, random)].concat()
    }

    /// What doesn't compress.
    fn binary(&self, _: &str, size: usize, random: &mut Random) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        while bytes.len() < size {
            bytes.extend_from_slice(&random.next().to_le_bytes());
        }
        bytes
    }
}

struct Writer<'a> {
    dir: &'a Path,
    made: BTreeSet<std::path::PathBuf>,
    files: usize,
}

impl Writer<'_> {
    fn file(&mut self, path: &str, content: impl AsRef<[u8]>) {
        let place = self.dir.join(path);
        self.folder(place.parent().unwrap());
        std::fs::write(&place, content).unwrap();
        let mode = if path.ends_with(".sh") { 0o755 } else { 0o644 };
        std::fs::set_permissions(&place, PermissionsExt::from_mode(mode)).unwrap();
        self.files += 1;
    }

    fn folder(&mut self, folder: &Path) {
        if self.made.insert(folder.to_owned()) {
            std::fs::create_dir_all(folder).unwrap();
        }
    }
}

const WORDS: [&str; 64] = [
    "access",
    "address",
    "agent",
    "alert",
    "api",
    "backup",
    "bucket",
    "cache",
    "certificate",
    "claim",
    "class",
    "cluster",
    "config",
    "container",
    "controller",
    "default",
    "deployment",
    "disk",
    "domain",
    "endpoint",
    "event",
    "field",
    "gateway",
    "group",
    "handler",
    "health",
    "host",
    "index",
    "ingress",
    "interval",
    "kernel",
    "key",
    "label",
    "limit",
    "listener",
    "machine",
    "master",
    "memory",
    "metric",
    "mode",
    "namespace",
    "network",
    "node",
    "object",
    "operator",
    "parameter",
    "pod",
    "policy",
    "port",
    "probe",
    "proxy",
    "queue",
    "replica",
    "resource",
    "role",
    "route",
    "schedule",
    "secret",
    "selector",
    "service",
    "storage",
    "template",
    "tenant",
    "volume",
];

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len())]
    }

    fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}
