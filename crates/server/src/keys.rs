//! Reads the keys of the server from the settings or from a key file.
//!
//! For the embedded database, the first start creates a key file, so that one command is enough to start a
//! server. For PostgreSQL, which several processes may use, keys are never created automatically. Otherwise
//! each of two processes could create its own key, and could not decrypt the data of the other process.

pub(crate) mod line;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use payroll_ports::Randomness;
use payroll_ports::keys::{CurrentKeys, KEY_LENGTH, Key, KeySet};

use line::parse;

use crate::config::Settings;
use crate::failure::{Failure, Outcome};

/// The maximum size of a key file in bytes. The limit is enough for hundreds of keys, and rejects a large
/// file whose path was given by mistake.
const MAX_KEY_FILE_BYTES: u64 = 64 * 1024;
/// The interval at which a server checks whether its key file has changed.
const KEY_FILE_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The time after which every server on the machine has loaded a changed key file.
pub(crate) const KEY_FILE_RELOAD_TIME: Duration = Duration::from_secs(3);
/// The mode of a file that only its owner can read and write.
pub(crate) const OWNER_ONLY_MODE: u32 = 0o600;
/// The mode of a file that the owner can read and write, and the group can read.
const OWNER_AND_GROUP_MODE: u32 = 0o640;
/// The user id of root.
const ROOT_USER_ID: u32 = 0;

/// Returns the keys in the settings or in the key file. A missing key file is created if that is allowed.
///
/// # Errors
/// There are no keys although they are required, or the key file is invalid or readable for other users.
pub fn load_keys(settings: &Settings, randomness: &dyn Randomness) -> Outcome<KeySet> {
    match find_key_source(settings)? {
        KeySource::Existing(keys) => Ok(keys),
        KeySource::CreatedAtStart(path) => {
            create_key_file(&path, randomness)?;
            read_file(&path)
        }
    }
}

/// The keys that were found, or the file in which keys will be created.
pub(crate) enum KeySource {
    /// The keys exist and were read.
    Existing(KeySet),
    /// There are no keys yet. The first start creates them in this file.
    CreatedAtStart(PathBuf),
}

/// Finds the keys of the server without creating a key.
///
/// # Errors
/// Returns the same errors as [`load_keys`].
pub(crate) fn find_key_source(settings: &Settings) -> Outcome<KeySource> {
    if !settings.keys.0.is_empty() {
        return build_key_set(settings.keys.0.clone(), "setting `keys`").map(KeySource::Existing);
    }
    let database = settings.database_url.embedded_path();
    let path = match (settings.key_file.as_str(), &database) {
        ("", Some(database)) => default_key_file(database),
        ("", None) => return Err(missing_keys_failure("with PostgreSQL no key is created automatically")),
        (named, _) => PathBuf::from(named),
    };
    if path.exists() {
        return read_file(&path).map(KeySource::Existing);
    }
    require_new_database(&path, database.as_deref())?;
    Ok(KeySource::CreatedAtStart(path))
}

/// Returns a human-readable description of the source from which [`load_keys`] reads the keys.
pub(crate) fn key_location(settings: &Settings) -> String {
    if !settings.keys.0.is_empty() {
        return "the keys of PAYROLL_KEYS (setting `keys`)".to_owned();
    }
    match (settings.key_file.as_str(), settings.database_url.embedded_path()) {
        ("", Some(database)) => format!("the key file {}", default_key_file(&database).display()),
        ("", None) => "the keys of PAYROLL_KEYS or the key file".to_owned(),
        (named, _) => format!("the key file {named}"),
    }
}

/// Creates a key, as a line of a key file: its id, a colon, and 32 random bytes in base64.
pub fn new_key_line(randomness: &dyn Randomness) -> String {
    let (mut id, mut secret) = ([0; 4], [0; KEY_LENGTH]);
    randomness.fill_with_random_bytes(&mut id);
    randomness.fill_with_random_bytes(&mut secret);
    format!("k{:08x}:{}", u32::from_be_bytes(id), STANDARD.encode(secret))
}

/// Returns the path of the key file. `None` if the keys are in the settings, or if there is no key file.
pub(crate) fn key_file_path(settings: &Settings) -> Option<PathBuf> {
    let in_settings = !settings.keys.0.is_empty();
    let named = Some(&settings.key_file).filter(|named| !named.is_empty()).map(PathBuf::from);
    let embedded = || settings.database_url.embedded_path().map(|database| default_key_file(&database));
    if in_settings { None } else { named.or_else(embedded) }
}

/// Changes the lines of a key file atomically: afterwards either the complete new file or the old file is on
/// disk. The new lines are parsed first, so that only a valid file is written.
pub(crate) fn rewrite_key_file(path: &Path, change: impl FnOnce(&mut Vec<String>)) -> Outcome {
    let shown = path.display();
    let failed =
        |error: io::Error| Failure::with_cause(format!("the key file {shown} cannot be changed"), &error);
    read_file(path)?;
    let mut lines: Vec<String> =
        fs::read_to_string(path).map_err(failed)?.lines().map(str::to_owned).collect();
    change(&mut lines);
    let draft = with_suffix(path, &format!(".new-{}", std::process::id()));
    write_draft(&draft, &(lines.join("\n") + "\n")).map_err(failed)?;
    if let Err(failure) = read_file(&draft) {
        fs::remove_file(&draft).map_err(failed)?;
        return Err(failure);
    }
    fs::rename(&draft, path).map_err(failed)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all()).map_err(failed)
}

/// Loads changes of the key file for as long as the application runs. If the file becomes invalid, the old
/// keys remain in use.
pub(crate) async fn reload_on_change(path: PathBuf, keys: CurrentKeys) {
    let seen =
        |path: &Path| fs::metadata(path).ok().map(|file| (file.ino(), file.mtime(), file.mtime_nsec()));
    let mut before = seen(&path);
    loop {
        tokio::time::sleep(KEY_FILE_CHECK_INTERVAL).await;
        let now = seen(&path);
        if now == before || now.is_none() {
            continue;
        }
        before = now;
        match read_file(&path) {
            Ok(read) => {
                let active = read.active().id().to_owned();
                let ids: Vec<&str> = read.iter().map(Key::id).collect();
                tracing::info!(active, keys = ids.join(" "), "the keys have changed");
                keys.replace(read);
            }
            Err(failure) => tracing::error!(%failure, "the key file has changed and cannot be used"),
        }
    }
}

/// Returns the path of an embedded database's key file.
#[must_use]
pub fn default_key_file(database: &Path) -> PathBuf {
    with_suffix(database, ".keys")
}

/// Returns a path with a suffix after its file name.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Creates the missing folders above a file. Only the owner can open the new folders.
pub(crate) fn create_parent_folder(file: &Path) -> Outcome {
    let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| {
        Failure::with_cause(format!("the folder {} cannot be created", folder.display()), &error)
    })
}

fn build_key_set(keys: Vec<Key>, source: &str) -> Outcome<KeySet> {
    let mut keys = keys.into_iter();
    let active = keys.next().ok_or_else(|| Failure::new(format!("{source} contains no key")))?;
    if active.is_revoked() {
        return Err(Failure::new(format!(
            "the first key of {source}, {}, is revoked: put a valid key before it",
            active.id()
        )));
    }
    KeySet::new(active, keys.collect())
        .ok_or_else(|| Failure::new(format!("{source} contains two keys with the same id")))
}

fn missing_keys_failure(reason: &str) -> Failure {
    Failure::new(format!(
        "there are no keys: {reason}. Create one with `payroll-server key`, store it safely, and give it to \
         every server of this database as PAYROLL_KEYS or in the file that PAYROLL_KEY_FILE names"
    ))
}

/// Checks that a key may be created. A new key is only allowed for a new database, because a new key cannot
/// decrypt existing data.
fn require_new_database(path: &Path, database: Option<&Path>) -> Outcome {
    let shown = path.display();
    let Some(database) = database else {
        return Err(missing_keys_failure(&format!("the key file {shown} is missing")));
    };
    if fs::metadata(database).is_ok_and(|file| file.len() > 0) {
        return Err(Failure::new(format!(
            "the database {} exists, but its key file {shown} is missing: restore it, because a new key \
             cannot decrypt the data",
            database.display()
        )));
    }
    Ok(())
}

fn create_key_file(path: &Path, randomness: &dyn Randomness) -> Outcome {
    create_parent_folder(path)?;
    write_new_file(path, &format!("{}\n", new_key_line(randomness))).map_err(|error| {
        Failure::with_cause(format!("the key file {} cannot be created", path.display()), &error)
    })
}

/// Writes a new key file atomically: afterwards either the complete file or no file is on disk. A file that
/// another process has created first remains unchanged.
fn write_new_file(path: &Path, text: &str) -> io::Result<()> {
    let draft = with_suffix(path, &format!(".new-{}", std::process::id()));
    let written = write_draft(&draft, text).and_then(|()| match fs::hard_link(&draft, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        linked => linked,
    });
    fs::remove_file(&draft)?;
    written?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

fn write_draft(draft: &Path, text: &str) -> io::Result<()> {
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(OWNER_ONLY_MODE).open(draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Returns the most permissive mode that a key file may have. The group may read a file that root owns,
/// because systemd (`LoadCredential`) and Kubernetes (`fsGroup`) mount secrets with the mode 0440.
const fn max_key_file_mode(owner: u32, user: u32) -> u32 {
    if owner == ROOT_USER_ID && user != ROOT_USER_ID { OWNER_AND_GROUP_MODE } else { OWNER_ONLY_MODE }
}

/// Reads a key file with one key per line. The first key is the active key. Empty lines and lines that start
/// with `#` are skipped.
pub(crate) fn read_file(path: &Path) -> Outcome<KeySet> {
    let shown = path.display();
    let unreadable =
        |error: io::Error| Failure::with_cause(format!("the key file {shown} cannot be read"), &error);
    let status = fs::metadata(path).map_err(unreadable)?;
    let mode = status.permissions().mode() & 0o777;
    if mode & !max_key_file_mode(status.uid(), rustix::process::geteuid().as_raw()) != 0 {
        return Err(Failure::new(format!(
            "the key file {shown} is open to others (mode {mode:04o}): run chmod 600 {shown}"
        )));
    }
    if status.len() > MAX_KEY_FILE_BYTES {
        return Err(Failure::new(format!("{shown} is too large for a key file")));
    }
    let text = fs::read_to_string(path).map_err(unreadable)?;
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let keys: Result<Vec<Key>, usize> = lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| parse(line).ok_or(number))
        .collect();
    let keys = keys.map_err(|number| {
        Failure::new(format!(
            "line {number} of the key file {shown} is not a key: it must be id:base64 of 32 bytes"
        ))
    })?;
    build_key_set(keys, &format!("the key file {shown}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{SettingFlags, SettingSources};
    use crate::system::SystemRandomness;

    fn settings(database: &str, others: &[(&'static str, &str)]) -> Settings {
        let flags = SettingFlags::default().with_setting("database_url", database);
        let flags = others.iter().fold(flags, |flags, (name, text)| flags.with_setting(name, *text));
        Settings::load(&SettingSources::gather_sources([], &flags).unwrap()).unwrap()
    }

    fn embedded_database_settings(folder: &tempfile::TempDir) -> (PathBuf, Settings) {
        let database = folder.path().join("data/payroll.db");
        let settings = settings(database.to_str().unwrap(), &[]);
        (database, settings)
    }

    fn load_error(settings: &Settings) -> String {
        load_keys(settings, &SystemRandomness).unwrap_err().to_string()
    }

    #[test]
    fn the_first_start_creates_a_private_key_file_and_the_second_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let (database, settings) = embedded_database_settings(&folder);
        let first = load_keys(&settings, &SystemRandomness).unwrap();
        let mode = fs::metadata(default_key_file(&database)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let second = load_keys(&settings, &SystemRandomness).unwrap();
        assert_eq!(first.active().id(), second.active().id());
        assert_eq!(fs::read_dir(database.parent().unwrap()).unwrap().count(), 1, "no draft is left");
    }

    #[test]
    fn rejects_a_key_file_that_others_can_read() {
        let folder = tempfile::tempdir().unwrap();
        let (database, settings) = embedded_database_settings(&folder);
        load_keys(&settings, &SystemRandomness).unwrap();
        fs::set_permissions(default_key_file(&database), fs::Permissions::from_mode(0o640)).unwrap();
        assert!(load_error(&settings).contains("chmod 600"), "{}", load_error(&settings));
    }

    #[test]
    fn accepts_a_group_readable_key_file_only_from_root() {
        let handed_out =
            [(ROOT_USER_ID, 65_532), (65_532, 65_532), (1_000, 65_532), (ROOT_USER_ID, ROOT_USER_ID)];
        assert_eq!(
            handed_out.map(|(owner, user)| max_key_file_mode(owner, user)),
            [0o640, 0o600, 0o600, 0o600]
        );
    }

    #[test]
    fn an_existing_database_gets_no_new_key_file() {
        let folder = tempfile::tempdir().unwrap();
        let (database, settings) = embedded_database_settings(&folder);
        create_parent_folder(&database).unwrap();
        fs::write(&database, "SQLite format 3").unwrap();
        assert!(load_error(&settings).contains("restore it"), "{}", load_error(&settings));
        assert!(!default_key_file(&database).exists());
    }

    #[test]
    fn no_key_is_created_for_postgresql() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("keys").to_string_lossy().into_owned();
        for others in [&[][..], &[("key_file", missing.as_str())]] {
            let message = load_error(&settings("postgres://localhost/pay", others));
            assert!(message.contains("payroll-server key"), "{message}");
        }
        assert!(!Path::new(&missing).exists());
    }

    #[test]
    fn the_first_key_encrypts_and_all_keys_decrypt() {
        let lines = format!("{},{}", new_key_line(&SystemRandomness), new_key_line(&SystemRandomness));
        let keys =
            load_keys(&settings("postgres://localhost/pay", &[("keys", &lines)]), &SystemRandomness).unwrap();
        assert_eq!(keys.iter().count(), 2);
        assert!(lines.starts_with(keys.active().id()));
    }
}
