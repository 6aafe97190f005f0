//! A chart packed: what is in it, what is stamped, what is refused.

use std::collections::BTreeMap;

use sealift::archive::Limits;
use sealift::archive::chart::{self, Chart, ChartSpec, Stamp};
use sealift::tree::Kind;

use super::trees::{Made, bytes};

const CHART: &str =
    "# the installer\napiVersion: v2\nname: 'cozy-installer'\nversion: 0.0.0 # stamped\ntype: application\n";
const VALUES: &str = "operator:\n  # keep me\n  image: \"registry.example/op:v1@sha256:00\"   # and me\n  sourceRef: digest=sha256:00\nlist: [a, b]\n";

fn tree() -> Made {
    Made::text(&[
        ("Chart.yaml", CHART),
        ("values.yaml", VALUES),
        (".helmignore", "*.swp\n/images/\n"),
        ("templates/a.yaml", "kind: ConfigMap\n"),
        ("templates/.hidden", "x"),
        ("templates/x.swp", "x"),
        ("images/op.tag", "x"),
        ("charts/sub/Chart.yaml", "name: sub\nversion: 1.0.0\napiVersion: v2\n"),
        ("charts/sub/images/kept", "x"),
        ("README.md", "\u{feff}bytes \r\n are verbatim"),
    ])
}

fn spec() -> ChartSpec {
    let stamp = |key: &str, value: &str| Stamp { file: "values.yaml".into(), key: key.into(), value: value.into() };
    ChartSpec {
        version: "1.6.2".into(),
        app_version: "v1.6.2".into(),
        stamps: vec![
            stamp("operator.sourceRef", "digest=sha256:11"),
            stamp("operator.image", "registry.example/op:v2@sha256:22"),
        ],
    }
}

fn pack() -> Chart {
    chart::pack(&tree(), &spec()).unwrap()
}

fn error(tree: &Made, spec: &ChartSpec) -> String {
    chart::pack(tree, spec).expect_err("must be refused").to_string()
}

#[test]
fn holds_the_files_and_the_stamps() {
    let chart = pack();
    let files = chart::unpack(&bytes(&chart.layer), &Limits::default()).unwrap();
    assert_eq!(files, chart.files);
    let names: Vec<_> = files.keys().map(|p| p.escape_ascii().to_string()).collect();
    assert_eq!(
        names,
        [
            ".helmignore",
            "Chart.yaml",
            "README.md",
            "charts/sub/Chart.yaml",
            "charts/sub/images/kept",
            "templates/a.yaml",
            "values.yaml"
        ]
    );
    let text = |path: &str| String::from_utf8(files[path.as_bytes()].clone()).unwrap();
    assert_eq!(
        text("Chart.yaml"),
        CHART.replace("version: 0.0.0 # stamped\n", "version: 1.6.2 # stamped\nappVersion: v1.6.2\n")
    );
    assert_eq!(
        text("values.yaml"),
        VALUES.replace("op:v1@sha256:00", "op:v2@sha256:22").replace("digest=sha256:00", "digest=sha256:11")
    );
    for path in ["README.md", "templates/a.yaml", ".helmignore", "charts/sub/Chart.yaml"] {
        assert_eq!(files[path.as_bytes()], tree().nodes[path.as_bytes()].2, "{path}");
    }
}

#[test]
fn is_shaped_as_helm_pushes_it() {
    let chart = pack();
    assert_eq!((chart.name.as_str(), chart.version.as_str()), ("cozy-installer", "1.6.2"));
    assert_eq!(
        String::from_utf8(bytes(&chart.config)).unwrap(),
        r#"{"name":"cozy-installer","version":"1.6.2","apiVersion":"v2","appVersion":"v1.6.2","type":"application"}"#
    );
    let text = String::from_utf8_lossy(chart.manifest.bytes()).into_owned();
    assert!(text.starts_with(r#"{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.cncf.helm.config.v1+json","#));
    assert!(text.ends_with(
        r#""annotations":{"org.opencontainers.image.created":"1970-01-01T00:00:00Z","org.opencontainers.image.title":"cozy-installer","org.opencontainers.image.version":"1.6.2"}}"#
    ));
    assert_eq!(chart::layer_of(&chart.manifest).unwrap(), &chart.layer.descriptor);
    assert_eq!(chart.manifest.config(), Some(&chart.config.descriptor));
    // Chart.yaml comes first, under the chart's name.
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(std::io::Cursor::new(bytes(&chart.layer))));
    let entries: Vec<_> = archive
        .entries()
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            (
                entry.path().unwrap().display().to_string(),
                entry.header().mode().unwrap(),
                entry.header().mtime().unwrap(),
            )
        })
        .collect();
    assert_eq!(entries[0], ("cozy-installer/Chart.yaml".into(), 0o644, 0));
    assert!(
        entries.iter().all(|(path, mode, time)| path.starts_with("cozy-installer/") && (*mode, *time) == (0o644, 0))
    );
}

#[test]
fn packed_twice_is_one_chart() {
    let mut other = Made { reversed: true, chunk: 3, ..tree() };
    for (_, mode, _) in other.nodes.values_mut() {
        *mode |= 0o022;
    }
    assert_eq!(chart::pack(&other, &spec()).unwrap().manifest.digest(), pack().manifest.digest());
}

#[test]
fn is_ours_by_its_files() {
    let ours = pack().files;
    let mut theirs = ours.clone();
    assert!(chart::same(&ours, &theirs));
    theirs.insert(b"values.yaml".to_vec(), b"x".to_vec());
    theirs.remove(b"README.md".as_slice());
    theirs.insert(b"new".to_vec(), Vec::new());
    assert!(!chart::same(&ours, &theirs));
}

#[test]
fn a_version_s_tag() {
    assert_eq!(chart::tag("1.6.2+build.1").unwrap().as_str(), "1.6.2_build.1");
    assert_eq!(chart::tag("1.6.2").unwrap().as_str(), "1.6.2");
}

#[test]
fn dependencies_must_be_there() {
    let with = |line: &str| tree().put("Chart.yaml", 0o644, format!("{CHART}dependencies:\n- {line}\n"));
    assert!(chart::pack(&with("{name: sub, version: 1.0.0, repository: \"\"}"), &spec()).is_ok());
    let found = error(&with("{name: gone, version: 1.0.0, repository: \"\"}"), &spec());
    assert!(found.contains("made/Chart.yaml:6: the dependency `gone` is not in charts/"), "{found}");
    let packed = with("{name: gone, version: 1.0.0, repository: \"\"}").put("charts/gone-1.0.0.tgz", 0o644, "x");
    assert!(chart::pack(&packed, &spec()).is_ok());
}

#[test]
fn refusals_name_file_line_and_remedy() {
    let chart_yaml = |text: &str| tree().put("Chart.yaml", 0o644, text);
    let without = |path: &str| {
        let mut tree = tree();
        tree.nodes.remove(path.as_bytes());
        tree
    };
    for (tree, expected) in [
        (without("Chart.yaml"), "made/Chart.yaml: there is no such file"),
        (tree().put(".helmignore", 0o644, "Chart.yaml\n"), "`.helmignore` leaves it out"),
        (tree().put(".helmignore", 0o644, "a\n**/b\n"), "made/.helmignore:2: `**/b`: helm has no `**`"),
        (
            tree().put(".helmignore", 0o644, "values.yaml\n"),
            "made/values.yaml: there is no such file in the chart to stamp",
        ),
        (tree().other("link", Kind::Symlink), "made/link: a symlink"),
        (tree().other("pipe", Kind::Other), "made/pipe: not a regular file"),
        (tree().put("a\\b", 0o644, ""), "a name with a backslash"),
        (tree().put("big", 0o644, vec![0; (5 << 20) + 1]), "made/big: Helm loads files of up to 5242880 bytes"),
        (chart_yaml("apiVersion: v2\nname: x\n"), "made/Chart.yaml: there is no `version`; add it"),
        (chart_yaml("apiVersion: v2\nversion: 1\n"), "made/Chart.yaml: `name: ` can't name a chart"),
        (chart_yaml("apiVersion: v2\nversion: 1\nname: ../x\n"), "made/Chart.yaml:3: `name: ../x`"),
        (chart_yaml("version: 1\nname: x\n"), "`apiVersion` must be v2"),
        (chart_yaml("apiVersion: v2\nversion: 1\nname: x\ntype: thing\n"), "made/Chart.yaml:4: `type` must be"),
        (chart_yaml("apiVersion: v2\nversion: 1\nname: [x]\n"), "made/Chart.yaml:3: name: invalid type"),
        (chart_yaml("apiVersion: v2\nversion: {}\nname: x\n"), "made/Chart.yaml:2: `version` is a map or a list"),
        (chart_yaml("a: [\n"), "made/Chart.yaml:1: not readable as YAML"),
        (
            tree().put("values.yaml", 0o644, "operator: {}\n"),
            "made/values.yaml: there is no `operator.sourceRef`; add it",
        ),
    ] {
        let found = error(&tree, &spec());
        assert!(found.contains(expected), "{found}\nexpected {expected}");
    }
    let found = error(&tree(), &ChartSpec { version: "v1.6.2".into(), ..spec() });
    assert!(found.contains("`v1.6.2` is not a chart version"), "{found}");
}

#[test]
fn hostile_archives_are_refused() {
    let layer = bytes(&pack().layer);
    let cut = chart::unpack(&layer[..layer.len() - 1], &Limits::default()).unwrap_err().to_string();
    assert!(cut.contains("not a whole gzip stream"), "{cut}");
    let tight = Limits { entries: 3, ..Limits::default() };
    assert!(chart::unpack(&layer, &tight).unwrap_err().to_string().contains("more than 3 entries"));
    let packed = |entries: &[(&str, tar::EntryType)]| {
        let encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
        let mut builder = tar::Builder::new(encoder);
        for (path, kind) in entries {
            let mut header = tar::Header::new_ustar();
            header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
            header.set_entry_type(*kind);
            header.set_mtime(1_700_000_000);
            header.set_size(0);
            header.set_cksum();
            builder.append(&header, std::io::empty()).unwrap();
        }
        builder.into_inner().unwrap().finish().unwrap()
    };
    let (file, folder) = (tar::EntryType::Regular, tar::EntryType::Directory);
    let good = packed(&[("x", folder), ("x/Chart.yaml", file)]);
    assert_eq!(chart::unpack(&good, &Limits::default()).unwrap(), BTreeMap::from([(b"Chart.yaml".to_vec(), vec![])]));
    for (entries, reason) in [
        (&[("x/Chart.yaml", file), ("y/a", file)][..], "`y/a` lies outside the chart's folder"),
        (&[("Chart.yaml", file)], "`Chart.yaml` lies outside a chart's folder"),
        (&[("x/values.yaml", file)], "no Chart.yaml"),
        (&[], "no Chart.yaml"),
        (&[("x/../../Chart.yaml", file)], "climbs out"),
        (&[("x/Chart.yaml", tar::EntryType::Symlink)], "a symlink"),
        (&[("x/Chart.yaml", file), ("x/Chart.yaml", file)], "twice"),
    ] {
        let found = chart::unpack(&packed(entries), &Limits::default()).unwrap_err().to_string();
        assert!(found.contains(reason), "{found}");
    }
}
