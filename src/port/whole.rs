//! Files that appear whole or not at all, one or many together.
//!
//! New content is written beside its name, to the disk, and renamed: a crash, a full disk or Ctrl-C
//! leaves the old file or the new one. What is replaced keeps its permissions, and its owner and group
//! where that is permitted; a new file gets what the umask lets it have. Other names of a replaced file
//! (hard links) keep the old content, and extended attributes stay behind.

use std::fs::{File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

/// The new content of a file, not yet under its name. Dropped, it is gone.
pub struct NewFile {
    temp: NamedTempFile,
    place: PathBuf,
}

/// One that is on the disk with all it needs but its name.
pub struct ReadyFile {
    temp: TempPath,
    place: PathBuf,
}

/// Why files didn't appear together.
#[derive(Debug, thiserror::Error)]
pub enum TogetherError {
    /// Those that had been renamed were put back.
    #[error("{}: can't be written: {source}; every file is as it was", .place.display())]
    AsBefore { place: PathBuf, source: io::Error },
    /// Some could not be put back either. `kept` has, for each that is new, where its old content is.
    #[error("{}", partly(.place, .source, .kept, .old))]
    Partly { place: PathBuf, source: io::Error, kept: Vec<(PathBuf, PathBuf)>, old: Vec<PathBuf> },
}

impl NewFile {
    /// For a place that a person named. Where a link leads is written, and the link stays; there must be
    /// a regular file, or none.
    ///
    /// # Errors
    /// Also for a link to nothing, and for a device, a pipe or a folder, where nothing can appear whole.
    pub fn at(place: &Path) -> io::Result<Self> {
        match place.symlink_metadata() {
            Ok(found) if found.is_symlink() => Self::instead_of(&place.canonicalize()?),
            Ok(_) => Self::instead_of(place),
            Err(error) if error.kind() == ErrorKind::NotFound => Self::beside(place),
            Err(error) => Err(error),
        }
    }

    /// In place of a regular file, never through a link.
    ///
    /// # Errors
    /// Also where there is none.
    pub fn instead_of(place: &Path) -> io::Result<Self> {
        let old = place.symlink_metadata()?;
        if !old.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file"));
        }
        let new = Self::beside(place)?;
        let made = new.temp.as_file().metadata()?;
        if (made.uid(), made.gid()) != (old.uid(), old.gid()) {
            give(old.uid(), old.gid(), &mut |uid, gid| std::os::unix::fs::fchown(new.temp.as_file(), uid, gid));
        }
        new.temp.as_file().set_permissions(old.permissions())?;
        Ok(new)
    }

    fn beside(place: &Path) -> io::Result<Self> {
        let readable = Permissions::from_mode(0o666);
        let temp = named().permissions(readable).tempfile_in(folder(place)?)?;
        Ok(Self { temp, place: place.to_owned() })
    }

    /// Brings it to the disk and closes it.
    ///
    /// # Errors
    /// The disk's, as where it is full: nothing has appeared, and the new content is gone.
    pub fn ready(self) -> io::Result<ReadyFile> {
        self.temp.as_file().sync_all()?;
        Ok(ReadyFile { temp: self.temp.into_temp_path(), place: self.place })
    }

    /// Brings it to the disk, and then under its name.
    ///
    /// # Errors
    /// As of [`Self::ready`]; where it can't be renamed, with nothing changed either; and where the disk doesn't
    /// take the folder: then the file is there, the words say so, and a crash may bring the old one back.
    pub fn appear(self) -> io::Result<()> {
        let ReadyFile { temp, place } = self.ready()?;
        temp.persist(&place).map_err(|error| error.error)?;
        sync(folder(&place)?).map_err(|error| {
            io::Error::new(error.kind(), format!("it is there, and a crash may take it back: {error}"))
        })
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temp.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temp.flush()
    }
}

/// Brings files under their names, all or none of them. Each is in place of an old one, which is put back
/// should a later rename fail.
///
/// # Errors
/// Says what became of them.
pub fn appear_together(files: Vec<ReadyFile>) -> Result<(), TogetherError> {
    appear_by(files, &mut |from, to| std::fs::rename(from, to))
}

/// How a file gets another name.
type Rename<'a> = &'a mut dyn FnMut(&Path, &Path) -> io::Result<()>;

fn appear_by(files: Vec<ReadyFile>, rename: Rename<'_>) -> Result<(), TogetherError> {
    let mut olds = Vec::with_capacity(files.len());
    for file in &files {
        let old = keep(&file.place);
        olds.push(old.map_err(|source| TogetherError::AsBefore { place: file.place.clone(), source })?);
    }
    for (at, file) in files.iter().enumerate() {
        if let Err(source) = rename(&file.temp, &file.place) {
            return Err(put_back(&files, at, &file.place, source, olds, rename));
        }
    }
    let mut folders: Vec<&Path> = files.iter().filter_map(|file| folder(&file.place).ok()).collect();
    folders.sort_unstable();
    folders.dedup();
    if let Some((folder, source)) = folders.iter().find_map(|folder| sync(folder).err().map(|error| (*folder, error))) {
        return Err(put_back(&files, files.len(), folder, source, olds, rename));
    }
    Ok(())
}

/// Puts back the old content of the files that were renamed, the first ones.
fn put_back(
    files: &[ReadyFile],
    renamed: usize,
    place: &Path,
    source: io::Error,
    olds: Vec<TempPath>,
    rename: Rename<'_>,
) -> TogetherError {
    let (mut kept, mut old) = (Vec::new(), Vec::new());
    for (file, saved) in files.iter().zip(olds).take(renamed) {
        match rename(&saved, &file.place) {
            Ok(()) => old.push(file.place.clone()),
            Err(_) => {
                kept.push((file.place.clone(), saved.to_path_buf()));
                // It is the only old one that there is.
                drop(saved.keep());
            }
        }
    }
    old.extend(files.iter().skip(renamed).map(|file| file.place.clone()));
    let place = place.to_owned();
    match kept.is_empty() {
        true => TogetherError::AsBefore { place, source },
        false => TogetherError::Partly { place, source, kept, old },
    }
}

/// Another name for a file beside it, or a copy where links can't be made.
fn keep(place: &Path) -> io::Result<TempPath> {
    let folder = folder(place)?;
    match named().make_in(folder, |name| std::fs::hard_link(place, name)) {
        Ok(linked) => Ok(linked.into_temp_path()),
        Err(_) => {
            let mut copy = NewFile::instead_of(place)?;
            io::copy(&mut File::open(place)?, &mut copy)?;
            Ok(copy.ready()?.temp)
        }
    }
}

fn named() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sealift-").suffix(".tmp");
    builder
}

fn folder(place: &Path) -> io::Result<&Path> {
    match place.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Ok(Path::new(".")),
        Some(folder) => Ok(folder),
        None => Err(io::Error::new(ErrorKind::InvalidInput, "not a path of a file")),
    }
}

/// Gives a new file to an owner and a group. Nobody but root may give a file away, and its members a group
/// alone: what isn't permitted stays the writer's, as of any editor.
fn give(uid: u32, gid: u32, change: &mut dyn FnMut(Option<u32>, Option<u32>) -> io::Result<()>) {
    if change(Some(uid), Some(gid)).is_err() {
        let _ = change(None, Some(gid));
    }
}

/// Brings a folder's names to the disk.
fn sync(folder: &Path) -> io::Result<()> {
    where_it_can_be(File::open(folder).and_then(|folder| folder.sync_all()))
}

/// A folder that may not be read, or is on a file system that knows no such thing (some network mounts), has
/// nothing to wait for.
fn where_it_can_be(synced: io::Result<()>) -> io::Result<()> {
    match synced {
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::PermissionDenied | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

fn partly(place: &Path, source: &io::Error, kept: &[(PathBuf, PathBuf)], old: &[PathBuf]) -> String {
    let new = kept.iter().map(|(place, saved)| format!("{} (its old content: {})", place.display(), saved.display()));
    let old = old.iter().map(|place| place.display().to_string());
    format!(
        "{}: can't be written: {source}; and not every file could be put back. New: {}. Old: {}. Move the old content \
         over each new file, or make all of them writable and run the same command again",
        place.display(),
        new.collect::<Vec<_>>().join(", "),
        old.collect::<Vec<_>>().join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn put(place: &Path, text: &str) {
        std::fs::write(place, text).unwrap();
    }

    fn write(file: io::Result<NewFile>, text: &str) -> io::Result<()> {
        let mut file = file?;
        file.write_all(text.as_bytes())?;
        file.appear()
    }

    fn mode(place: &Path) -> u32 {
        place.metadata().unwrap().mode() & 0o7777
    }

    /// Every name in a folder with what is behind it.
    fn all(dir: &Path) -> Vec<(String, String)> {
        let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        let mut found: Vec<_> = entries.map(|path| (name(&path), std::fs::read_to_string(&path).unwrap())).collect();
        found.sort();
        found
    }

    #[test]
    fn a_file_keeps_its_permissions_and_a_link_stays_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        put(&at("old"), "old");
        std::fs::set_permissions(at("old"), Permissions::from_mode(0o640)).unwrap();
        write(NewFile::at(&at("old")), "new").unwrap();
        assert_eq!((mode(&at("old")), std::fs::read_to_string(at("old")).unwrap().as_str()), (0o640, "new"));
        put(&at("usual"), "");
        write(NewFile::at(&at("fresh")), "new").unwrap();
        assert_eq!(mode(&at("fresh")), mode(&at("usual")), "the umask decides");
        symlink("old", at("link")).unwrap();
        write(NewFile::at(&at("link")), "through").unwrap();
        assert!(at("link").is_symlink());
        assert_eq!((mode(&at("old")), std::fs::read_to_string(at("old")).unwrap().as_str()), (0o640, "through"));
        // Through no link that a person didn't name, and to nothing that can't be replaced.
        assert!(NewFile::instead_of(&at("link")).is_err() && NewFile::instead_of(&at("none")).is_err());
        symlink("none", at("dangling")).unwrap();
        assert!(NewFile::at(&at("dangling")).is_err() && NewFile::at(dir.path()).is_err());
        assert!(NewFile::at(Path::new("/dev/null")).is_err());
        assert!(NewFile::at(&at("no/folder")).is_err());
        // One that is given up leaves nothing.
        std::fs::remove_file(at("dangling")).unwrap();
        let before = all(dir.path());
        drop(NewFile::at(&at("fresh")).unwrap());
        assert_eq!(all(dir.path()), before);
    }

    #[test]
    fn a_group_is_kept_where_the_owner_can_t_be() {
        for (permitted, tried) in [
            (&[(Some(1), Some(2))][..], &[(Some(1), Some(2))][..]),
            (&[(None, Some(2))], &[(Some(1), Some(2)), (None, Some(2))]),
            (&[], &[(Some(1), Some(2)), (None, Some(2))]),
        ] {
            let mut asked = Vec::new();
            give(1, 2, &mut |uid, gid| {
                asked.push((uid, gid));
                if permitted.contains(&(uid, gid)) { Ok(()) } else { Err(ErrorKind::PermissionDenied.into()) }
            });
            assert_eq!(asked, tried);
        }
    }

    #[test]
    fn a_folder_is_brought_to_the_disk_where_that_can_be() {
        // As Linux numbers them: EACCES, EINVAL, EOPNOTSUPP, and then EIO and ENOSPC.
        for can_t in [13, 22, 95] {
            where_it_can_be(Err(io::Error::from_raw_os_error(can_t))).unwrap();
        }
        for failed in [5, 28] {
            let error = where_it_can_be(Err(io::Error::from_raw_os_error(failed))).unwrap_err();
            assert_eq!(error.raw_os_error(), Some(failed));
        }
    }

    /// Three files, and the new ones that are to replace them.
    fn three(dir: &Path) -> Vec<ReadyFile> {
        let ready = |name: &str| {
            put(&dir.join(name), &format!("old {name}"));
            let mut new = NewFile::instead_of(&dir.join(name)).unwrap();
            new.write_all(format!("new {name}").as_bytes()).unwrap();
            new.ready().unwrap()
        };
        ["a", "b", "c"].map(ready).into()
    }

    fn texts(word: &str) -> Vec<(String, String)> {
        ["a", "b", "c"].map(|name| (name.to_owned(), format!("{word} {name}"))).into()
    }

    #[test]
    fn files_appear_together_and_leave_nothing_beside_them() {
        let dir = tempfile::tempdir().unwrap();
        appear_together(three(dir.path())).unwrap();
        assert_eq!(all(dir.path()), texts("new"));
    }

    #[test]
    fn what_was_renamed_is_put_back_when_a_rename_fails() {
        let dir = tempfile::tempdir().unwrap();
        let files = three(dir.path());
        let blocked = dir.path().join("c");
        // The third has become a folder meanwhile, which no file can be renamed to.
        let mut rename = |from: &Path, to: &Path| {
            if to == blocked && to.is_file() {
                std::fs::remove_file(to)?;
                std::fs::create_dir(to)?;
            }
            std::fs::rename(from, to)
        };
        let error = appear_by(files, &mut rename).unwrap_err();
        assert!(matches!(&error, TogetherError::AsBefore { place, .. } if *place == blocked), "{error}");
        assert!(error.to_string().ends_with("every file is as it was"), "{error}");
        std::fs::remove_dir(&blocked).unwrap();
        assert_eq!(all(dir.path()), texts("old")[..2]);
    }

    #[test]
    fn what_can_t_be_put_back_is_named_with_its_old_content() {
        let dir = tempfile::tempdir().unwrap();
        let files = three(dir.path());
        let at = |name: &str| dir.path().join(name);
        let mut calls = 0;
        let mut rename = |from: &Path, to: &Path| {
            calls += 1;
            // a and b, then not c; then a again, and not b.
            if matches!(calls, 3 | 5) { Err(ErrorKind::PermissionDenied.into()) } else { std::fs::rename(from, to) }
        };
        let error = appear_by(files, &mut rename).unwrap_err();
        let TogetherError::Partly { place, kept, old, .. } = &error else { panic!("{error}") };
        let [(new, saved)] = kept.as_slice() else { panic!("{kept:?}") };
        assert_eq!((place, new, old), (&at("c"), &at("b"), &vec![at("a"), at("c")]));
        assert_eq!(std::fs::read_to_string(saved).unwrap(), "old b");
        let text = error.to_string();
        let named = format!(
            "New: {} (its old content: {}). Old: {}, {}. ",
            new.display(),
            saved.display(),
            old[0].display(),
            old[1].display()
        );
        assert!(text.contains(&named), "{text}");
        std::fs::rename(saved, new).unwrap();
        assert_eq!(all(dir.path()), texts("old"));
    }
}
