//! Every archive that Flux never writes is refused, with its reason and the entry's name.

use std::collections::BTreeMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use sealift::archive::{self, CONFIG_TYPE, LAYER_TYPE, Limits, ReadError, Unpacked, config_for, manifest_for};
use sealift::model::{Descriptor, Digest, Manifest};
use sealift::tree::Tree as _;

const CONFIG_29: &[u8] = br#"{"architecture":"","created":"0001-01-01T00:00:00Z","os":"","rootfs":{"type":"layers","diff_ids":null},"config":{}}"#;

/// A header, all fields valid but those a case spoils.
fn header(name: &[u8], kind: u8, size: u64) -> [u8; 512] {
    let mut block = [0; 512];
    block[..name.len().min(100)].copy_from_slice(&name[..name.len().min(100)]);
    block[100..107].copy_from_slice(b"0000644");
    block[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    block[156] = kind;
    block[257..265].copy_from_slice(b"ustar\x0000");
    sum(block)
}

fn sum(mut block: [u8; 512]) -> [u8; 512] {
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().map(|&b| u32::from(b)).sum();
    block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    block
}

fn entry(name: &[u8], kind: u8, content: &[u8]) -> Vec<u8> {
    let mut out = header(name, kind, content.len() as u64).to_vec();
    out.extend(content);
    out.resize(out.len().next_multiple_of(512), 0);
    out
}

fn tar(entries: &[Vec<u8>]) -> Vec<u8> {
    [entries.concat(), vec![0; 1024]].concat()
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn pointer(media_type: &str, bytes: &[u8]) -> Descriptor {
    Descriptor { media_type: media_type.into(), size: bytes.len() as u64, digest: Digest::of(bytes), platform: None }
}

fn read_layer(layer: &[u8], limits: &Limits) -> Result<Unpacked, ReadError> {
    let manifest = manifest_for(&pointer(CONFIG_TYPE, CONFIG_29), &pointer(LAYER_TYPE, layer), &BTreeMap::new());
    archive::read(&manifest, CONFIG_29, layer, limits)
}

fn refusal(tar: &[u8]) -> String {
    read_layer(&gzip(tar), &Limits::default()).expect_err("must be refused").to_string()
}

#[test]
fn a_plain_one_is_read() {
    let content = tar(&[entry(b".", b'5', b""), entry(b"a", b'5', b""), entry(b"a/x", b'0', b"sealed")]);
    let padded = [content.clone(), vec![0; 8192]].concat();
    for content in [content, padded] {
        let read = read_layer(&gzip(&content), &Limits::default()).unwrap();
        assert_eq!(read.read(b"a/x").unwrap(), b"sealed");
        assert_eq!(read.content(b"a"), None);
        assert_eq!(read.find(b"a/x").unwrap().map(|e| e.size), Some(6));
        assert_eq!(read.find(b"x").unwrap(), None);
        assert_eq!(read.diff_id(), Digest::of(&content));
        assert!(read.read(b"b").unwrap_err().to_string().contains("artifact sha256:"));
    }
}

#[test]
fn names() {
    for (name, reason) in [
        (&b""[..], "an empty name"),
        (b"/etc/passwd", "an absolute path"),
        (b"../x", "climbs out"),
        (b"a/../../x", "climbs out"),
        (b"..", "climbs out"),
        (b"./x", "empty or `.` component"),
        (b"a//x", "empty or `.` component"),
        (b"a/", "empty or `.` component"),
        (b"a\\x", "with a backslash"),
        (b"a../x", "ends in `..`"),
    ] {
        let found = refusal(&tar(&[entry(name, b'0', b"x")]));
        let shown = name.escape_ascii().to_string().replace("\\\\", "\\");
        assert!(found.contains(reason) && found.contains(&format!("`{shown}`")), "{found}");
    }
    let found = refusal(&tar(&[entry(b".", b'0', b"")]));
    assert!(found.contains("`.` component"), "{found}");
    let long = format!("4107 path={}\n", "a".repeat(4096));
    let found = refusal(&tar(&[entry(b"p", b'x', long.as_bytes()), entry(b"x", b'0', b"")]));
    assert!(found.contains("longer than 4095 bytes"), "{found}");
    // The same through PAX, whose path replaces the header's clean one.
    for (path, reason) in [("../x", "climbs out"), ("/x", "an absolute path"), ("a\0b", "NUL")] {
        let record = format!("{} path={path}\n", path.len() + 9);
        let found = refusal(&tar(&[entry(b"PaxHeaders.0/x", b'x', record.as_bytes()), entry(b"x", b'0', b"x")]));
        assert!(found.contains(reason), "{found} ({record:?})");
    }
}

#[test]
fn kinds() {
    for (kind, reason) in [
        (b'1', "a hard link"),
        (b'2', "a symlink"),
        (b'3', "a device"),
        (b'4', "a device"),
        (b'6', "a pipe"),
        (b'7', "type '7'"),
        (b'L', "a GNU long name"),
        (b'K', "a GNU long name"),
        (b'S', "a GNU sparse file"),
        (b'g', "a global PAX header"),
        (0, "type '\\0'"),
    ] {
        let found = refusal(&tar(&[entry(b"evil", kind, b"")]));
        assert!(found.contains("entry `evil` is refused") && found.contains(reason), "{found}");
    }
    let found = refusal(&tar(&[entry(b"d", b'5', b"content")]));
    assert!(found.contains("`d` is refused: a directory with content"), "{found}");
}

#[test]
fn places() {
    let twice = refusal(&tar(&[entry(b"x", b'0', b"1"), entry(b"y", b'0', b""), entry(b"x", b'0', b"2")]));
    assert!(twice.contains("`x` is refused: it is there twice"), "{twice}");
    let kinds = refusal(&tar(&[entry(b"x", b'0', b"1"), entry(b"x", b'5', b"")]));
    assert!(kinds.contains("twice"), "{kinds}");
    let below = refusal(&tar(&[entry(b"x/y", b'0', b"1"), entry(b"x", b'0', b"")]));
    assert!(below.contains("`x/y` is refused: it lies below a file"), "{below}");
}

#[test]
fn headers() {
    let spoil = |at: usize, bytes: &[u8], again: bool| {
        let mut block = header(b"x", b'0', 0);
        block[at..at + bytes.len()].copy_from_slice(bytes);
        tar(&[if again { sum(block) } else { block }.to_vec()])
    };
    for (content, reason) in [
        (spoil(100, b"0000755", false), "`x` is refused: its header's checksum is wrong"),
        (spoil(257, b"ustar  \0", true), "a GNU tar header"),
        (spoil(257, b"\0\0\0\0\0\0\0\0", true), "not a POSIX tar header"),
        (spoil(124, b"0000000008x", true), "not octal"),
        (spoil(124, b"\x80\0\0\0\0\0\0\0\0\0\0\x01", true), "not octal"),
        (spoil(124, b"77777777777", true), "its content is cut off"),
    ] {
        let found = refusal(&content);
        assert!(found.contains(reason), "{found}");
    }
}

#[test]
fn extensions() {
    let pax = |records: &[u8]| tar(&[entry(b"PaxHeaders.0/x", b'x', records), entry(b"x", b'0', b"x")]);
    for (content, reason) in [
        (pax(b"20 GNU.sparse.major=1\n"), "malformed"),
        (pax(b"22 GNU.sparse.major=1\n"), "a PAX record `GNU.sparse.major`"),
        (pax(b"16 linkpath=abc\n"), "a PAX record `linkpath`"),
        (pax(b"16 mtime=123456\n"), "a PAX record `mtime`"),
        (pax(b"9 path=a\n9 path=b\n"), "two PAX records `path`"),
        (pax(b"99 path=a\n"), "malformed"),
        (pax(b"0 path=a\n"), "malformed"),
        (pax(b"nonsense"), "malformed"),
        (pax(b"9 size=x\n"), "malformed"),
        (pax(b"13 size=9999\n"), "cut off"),
        (tar(&[entry(b"p", b'x', b"9 path=a\n"), entry(b"p", b'x', b"9 path=a\n")]), "follows another"),
        (tar(&[entry(b"p", b'x', b"9 path=a\n")]), "no entry after it"),
    ] {
        let found = refusal(&content);
        assert!(found.contains(reason), "{found}");
    }
    assert_eq!(read_layer(&gzip(&pax(b"9 path=a\n")), &Limits::default()).unwrap().content(b"a"), Some(&b"x"[..]));
}

#[test]
fn ends() {
    let whole = tar(&[entry(b"x", b'0', b"sealed")]);
    let mut hidden = whole.clone();
    hidden[512 + 100] = 1;
    for (content, reason) in [
        (whole[..whole.len() - 1024].to_vec(), "ends without its two zero blocks"),
        (whole[..whole.len() - 512].to_vec(), "ends without its two zero blocks"),
        (whole[..700].to_vec(), "`x` is refused: its content is cut off"),
        (Vec::new(), "ends without"),
        ([whole.clone(), entry(b"y", b'0', b"")].concat(), "bytes after its end, at 2048"),
        ([&whole[..1536], &entry(b"y", b'0', b""), &[0; 1024]].concat(), "one zero block alone"),
        (hidden, "bytes hidden in its padding"),
    ] {
        let found = refusal(&content);
        assert!(found.contains(reason), "{found}");
    }
}

#[test]
fn gzip_streams() {
    let layer = gzip(&tar(&[entry(b"x", b'0', b"sealed")]));
    let spoil = |at: usize| {
        let mut layer = layer.clone();
        layer[at] ^= 0x55;
        layer
    };
    for (layer, reason) in [
        (layer[..layer.len() - 3].to_vec(), "not a whole gzip stream"),
        (layer[..layer.len() / 2].to_vec(), "not a whole gzip stream"),
        (spoil(layer.len() - 8), "not a whole gzip stream"), // CRC
        (spoil(layer.len() - 4), "not a whole gzip stream"), // length
        ([&layer[..], b"garbage"].concat(), "7 bytes after the gzip stream"),
        ([&layer[..], &layer].concat(), "bytes after the gzip stream"),
        (b"plain tar".to_vec(), "not a whole gzip stream"),
    ] {
        let found = read_layer(&layer, &Limits::default()).unwrap_err().to_string();
        assert!(found.contains(reason), "{found}");
    }
}

#[test]
fn bombs() {
    let zeros = gzip(&tar(&[entry(b"x", b'0', &vec![0; 4 << 20])]));
    let many: Vec<_> = (0..50).map(|n| entry(format!("{n}").as_bytes(), b'0', b"")).collect();
    let found = read_layer(&zeros, &Limits::default()).unwrap_err().to_string();
    assert!(found.contains("more than 200 times its size"), "{found}");
    let found = read_layer(&zeros, &Limits { ratio: 2000, bytes: 1 << 20, entries: 10 }).unwrap_err().to_string();
    assert!(found.contains("more than 1048576 bytes"), "{found}");
    let tight = Limits { entries: 49, ..Limits::default() };
    let found = read_layer(&gzip(&tar(&many)), &tight).unwrap_err().to_string();
    assert!(found.contains("more than 49 entries"), "{found}");
    assert!(read_layer(&gzip(&tar(&many)), &Limits { entries: 50, ..tight }).is_ok());
}

#[test]
fn manifests() {
    let content = tar(&[entry(b"x", b'0', b"sealed")]);
    let layer = gzip(&content);
    let config = config_for(Digest::of(&content));
    let good = manifest_for(&pointer(CONFIG_TYPE, &config), &pointer(LAYER_TYPE, &layer), &BTreeMap::new());
    let text = String::from_utf8(good.bytes().to_vec()).unwrap();
    let other = Digest::of(b"other");
    let read = |text: &str, config: &[u8]| {
        let manifest = Manifest::new(text.as_bytes().to_vec(), None).unwrap();
        archive::read(&manifest, config, &layer, &Limits::default()).map(|_| ())
    };
    assert!(read(&text, &config).is_ok());
    let layer_entry = text.split_once("\"layers\":[").unwrap().1.split_once(']').unwrap().0;
    for (from, to, reason) in [
        (layer_entry, String::new(), "0 layers, expected one"),
        (layer_entry, format!("{layer_entry},{layer_entry}"), "2 layers, expected one"),
        (LAYER_TYPE, "application/vnd.oci.image.layer.v1.tar+gzip".into(), "the layer is `application/vnd.oci"),
        (CONFIG_TYPE, "application/vnd.oci.image.config.v1+json".into(), "the config is `application/vnd.oci"),
        ("image.manifest.v1", "image.index.v1".into(), "name the artifact's own digest"),
        (&Digest::of(&layer).to_string(), other.to_string(), "its manifest says sha256:"),
        (&Digest::of(&config).to_string(), other.to_string(), "the config is sha256:"),
        ("\"size\":233", "\"size\":232".into(), "the config has 233 bytes, its manifest says 232"),
        (&format!("\"size\":{}", layer.len()), "\"size\":1".into(), "the layer has"),
    ] {
        let changed = text.replace(from, &to);
        assert_ne!(changed, text);
        let found = read(&changed, &config).unwrap_err().to_string();
        assert!(found.contains(reason), "{found}");
    }
    let bare = text.replace(text.split_once("\"config\":").unwrap().1.split_once(",\"layers\"").unwrap().0, "null");
    assert!(read(&bare, &config).unwrap_err().to_string().contains("no config"));
}

#[test]
fn diff_ids() {
    let content = tar(&[entry(b"x", b'0', b"sealed")]);
    let layer = gzip(&content);
    let read = |config: &[u8]| {
        let manifest = manifest_for(&pointer(CONFIG_TYPE, config), &pointer(LAYER_TYPE, &layer), &BTreeMap::new());
        archive::read(&manifest, config, &layer, &Limits::default()).map(|_| ()).map_err(|e| e.to_string())
    };
    let right = Digest::of(&content);
    let list = |ids: &str| format!(r#"{{"rootfs":{{"diff_ids":{ids}}}}}"#).into_bytes();
    for accepted in [config_for(right), CONFIG_29.to_vec(), b"{}".to_vec(), list("[]")] {
        assert_eq!(read(&accepted), Ok(()));
    }
    let found = read(&config_for(Digest::of(b"other"))).unwrap_err();
    assert!(found.contains(&format!("the uncompressed layer is {right}, the config says sha256:")), "{found}");
    let found = read(&list(&format!(r#"["{right}","{right}"]"#))).unwrap_err();
    assert!(found.contains("2 diff ids"), "{found}");
    assert!(read(&list("[\"sha512:x\"]")).unwrap_err().contains("config is not readable"));
    assert!(read(b"<html>").unwrap_err().contains("config is not readable"));
}
