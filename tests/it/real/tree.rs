//! The tree of a real release candidate, where it can be had: its files that pin images, and from
//! the fixture tree what a whole repository has beside them.

use std::path::Path;
use std::process::Command;

/// From the fixture tree; none of them carries a version.
const COMPLETED: [&str; 10] = [
    ".github",
    "README.md",
    "api",
    "docs",
    "packages/apps/kubernetes/current",
    "packages/core/installer/.helmignore",
    "packages/core/installer/Chart.yaml",
    "packages/core/installer/templates",
    "packages/system/multus/hack",
    "packages/system/multus/logo.png",
];

/// `None` where the data isn't there.
pub fn golden() -> Option<tempfile::TempDir> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let archive = crate::support::reference("cozystack-1.6.2/rc.tar.gz")?;
    let dir = tempfile::tempdir().unwrap();
    for path in COMPLETED {
        let to = dir.path().join(path);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        done(Command::new("cp").arg("-a").arg(root.join("fixtures/world/cozystack").join(path)).arg(to));
    }
    done(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(dir.path()));
    Some(dir)
}

/// The fixture tree among 4000 files, as many as a whole repository has.
pub fn large() -> tempfile::TempDir {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir = tempfile::tempdir().unwrap();
    done(Command::new("cp").arg("-a").arg(root.join("fixtures/world/cozystack/.")).arg(dir.path()));
    let mut state = 1u64;
    for n in 0..4000 {
        let folder = dir.path().join(format!("packages/system/part-{}/charts/upstream/templates", n % 100));
        std::fs::create_dir_all(&folder).unwrap();
        let mut text = String::with_capacity(2_100);
        while text.len() < 2_000 {
            // A linear congruential generator: text that neither repeats nor compresses to nothing.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(&format!("  key-{:x}: value of {}\n", state >> 40, state >> 33));
        }
        std::fs::write(folder.join(format!("{n}.yaml")), text).unwrap();
    }
    dir
}

fn done(command: &mut Command) {
    assert!(command.status().unwrap().success(), "{command:?}");
}
