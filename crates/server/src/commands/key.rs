//! `key`: creates, rotates and revokes keys while servers use the database.
//!
//! Servers watch their key file, so a change of the file changes the keys of all servers. If the keys are in
//! the settings, only the operator can change them. For such keys, the command prints instructions for the
//! operator.

use std::fs;
use std::io::Write;
use std::path::Path;

use payroll_adapter_db::{OpenError, ResealProgress};
use payroll_ports::keys::{Key, KeySet};

use super::context::CommandContext;
use crate::cli::KeyCommand;
use crate::config::Setting;
use crate::failure::{Failure, Outcome};
use crate::keys::line;
use crate::{database_file, keys};

/// The maximum number of connections from this command to the database.
const MAX_CONNECTIONS: usize = 2;
/// The number of rows between two progress reports.
const ROWS_PER_PROGRESS_REPORT: u64 = 20_000;

/// Prints a new key, or runs a subcommand for the existing keys.
pub(super) async fn run(mut context: CommandContext<'_>, command: Option<KeyCommand>) -> Outcome {
    if command.is_some() {
        database_file::require_database_file(&context.settings)?;
    }
    let file = keys::key_file_path(&context.settings);
    match (command, file) {
        (None, _) => Ok(writeln!(context.out, "{}", keys::new_key_line(&*context.randomness))?),
        (Some(KeyCommand::Rotate), Some(file)) => rotate_key(&mut context, &file).await,
        (Some(KeyCommand::Rotate), None) => print_rotation(&mut context),
        (Some(KeyCommand::Reseal), file) => reseal_database(&mut context, file.as_deref()).await,
        (Some(KeyCommand::Revoke { key_id }), Some(file)) => revoke_key(&mut context, &file, &key_id).await,
        (Some(KeyCommand::Revoke { key_id }), None) => print_revocation(&mut context, &key_id),
    }
}

/// Rotates the keys in three steps: all servers load the new key, then all servers encrypt with it, and
/// then the existing rows are re-encrypted. In another order, a server could read values that it cannot
/// decrypt, or still write rows with the old key. An interrupted rotation is continued.
async fn rotate_key(context: &mut CommandContext<'_>, file: &Path) -> Outcome {
    keys::load_keys(&context.settings, &*context.randomness)?;
    if !has_unfinished_rotation(file)? {
        let line = keys::new_key_line(&*context.randomness);
        keys::rewrite_key_file(file, |lines| lines.extend([UNFINISHED_ROTATION_COMMENT.to_owned(), line]))?;
    }
    reseal_database(context, Some(file)).await
}

/// The comment line above a new key in the key file, until the rotation makes that key the first key.
const UNFINISHED_ROTATION_COMMENT: &str =
    "# The rotation to the next key is not complete. `payroll-server key reseal` continues it.";

/// Returns whether a rotation was interrupted before its key became the first key.
fn has_unfinished_rotation(file: &Path) -> Result<bool, Failure> {
    let text = fs::read_to_string(file).map_err(|error| {
        Failure::with_cause(format!("the key file {} cannot be read", file.display()), &error)
    })?;
    Ok(text.lines().any(is_unfinished_rotation))
}

fn is_unfinished_rotation(line: &str) -> bool {
    line.trim() == UNFINISHED_ROTATION_COMMENT
}

/// Moves the key of an unfinished rotation to the first position.
fn complete_rotation(lines: &mut Vec<String>) {
    let Some(at) = lines.iter().position(|line| is_unfinished_rotation(line)) else { return };
    let (before, after) = lines.split_at(at);
    let new = after.iter().skip(1).take(1);
    *lines = new.chain(before).chain(after.iter().skip(2)).cloned().collect();
}

async fn reseal_database(context: &mut CommandContext<'_>, file: Option<&Path>) -> Outcome {
    if let Some(file) = file
        && has_unfinished_rotation(file)?
    {
        tokio::time::sleep(keys::KEY_FILE_RELOAD_TIME).await;
        keys::rewrite_key_file(file, complete_rotation)?;
        tokio::time::sleep(keys::KEY_FILE_RELOAD_TIME).await;
        let set = keys::load_keys(&context.settings, &*context.randomness)?;
        let id = set.active().id();
        writeln!(context.out, "{id} is now in use. It is the first key in {}.", file.display())?;
    }
    let set = keys::load_keys(&context.settings, &*context.randomness)?;
    let done = reencrypt_all(context, &set).await?;
    let others: Vec<&str> = set.iter().skip(1).map(Key::id).collect();
    writeln!(
        context.out,
        "{} rows were encrypted again with {}. In total, {} rows contain encrypted values.",
        done.resealed_rows,
        set.active().id(),
        done.rows
    )?;
    if !others.is_empty() {
        writeln!(
            context.out,
            "If every server has restarted with {1} as its first key, no row needs {0} any more. Remove the \
             old keys in {2} seconds, when the tokens that they signed have expired.",
            others.join(", "),
            set.active().id(),
            context.settings.token_lifetime_seconds
        )?;
    }
    Ok(())
}

async fn revoke_key(context: &mut CommandContext<'_>, file: &Path, key_id: &str) -> Outcome {
    let set = keys::load_keys(&context.settings, &*context.randomness)?;
    if set.get(key_id).is_none() {
        return Err(Failure::new(format!("{} does not contain the key {key_id}", file.display())));
    }
    let new = (set.active().id() == key_id).then(|| keys::new_key_line(&*context.randomness));
    keys::rewrite_key_file(file, |lines| {
        for line in lines.iter_mut().filter(|line| line::parse_key_id(line) == Some(key_id)) {
            *line =
                format!("{}{}", line::REVOKED_PREFIX, line.trim().trim_start_matches(line::REVOKED_PREFIX));
        }
        lines.splice(0..0, new);
    })?;
    tokio::time::sleep(keys::KEY_FILE_RELOAD_TIME).await;
    writeln!(context.out, "{key_id} is revoked. Tokens that it signed are rejected.")?;
    reencrypt_and_remove(context, file, key_id).await
}

async fn reencrypt_and_remove(context: &mut CommandContext<'_>, file: &Path, key_id: &str) -> Outcome {
    let set = keys::load_keys(&context.settings, &*context.randomness)?;
    let done = reencrypt_all(context, &set).await?;
    keys::rewrite_key_file(file, |lines| lines.retain(|line| line::parse_key_id(line) != Some(key_id)))?;
    writeln!(
        context.out,
        "{} rows were encrypted again with {}, and {key_id} was removed from {}.\n{ADVICE_AFTER_A_LEAK}",
        done.resealed_rows,
        set.active().id(),
        file.display()
    )?;
    Ok(())
}

/// Advice about the consequences of a leaked key that remain after the database is re-encrypted.
const ADVICE_AFTER_A_LEAK: &str = "Anyone who has the key can decrypt older copies of the database. Destroy older \
    backups, or protect them like the key. If a copy of the database may have leaked too, its tax IDs and \
    the credentials of hooks are known. Ask partners to rotate the signing secrets and credentials of their \
    hooks.";

async fn reencrypt_all(context: &CommandContext<'_>, key_set: &KeySet) -> Result<ResealProgress, Failure> {
    let database = payroll_adapter_db::DatabaseSettings {
        url: context.settings.database_url.expose().to_owned(),
        direct_url: context.settings.direct_database_url.expose().map(str::to_owned),
        connections: MAX_CONNECTIONS,
        node_connections: 0,
        streams: 1,
        is_exclusive: false,
        keys: key_set.clone().into(),
        randomness: context.randomness.clone(),
    };
    let mut reported = 0;
    let sealing = payroll_adapter_db::reseal(database, |done| {
        if done.rows / ROWS_PER_PROGRESS_REPORT > reported {
            reported = done.rows / ROWS_PER_PROGRESS_REPORT;
            // If standard error is closed, the progress is not shown, but the command continues.
            let _ = writeln!(
                std::io::stderr(),
                "{} rows checked, {} encrypted again",
                done.rows,
                done.resealed_rows
            );
        }
    });
    sealing.await.map_err(|error: OpenError| {
        Failure::with_cause(
            format!("the database {} cannot be used", context.settings.database_url.show()),
            &error,
        )
    })
}

fn print_rotation(context: &mut CommandContext<'_>) -> Outcome {
    let line = keys::new_key_line(&*context.randomness);
    Ok(writeln!(
        context.out,
        "The keys are in the settings (PAYROLL_KEYS), which only you can change. A new key:\n\
         \n\
         {line}\n\
         \n\
         1. Append it to the keys of every server, and restart the servers one at a time. Then all of them \
         know it.\n\
         2. Move it to the first position on every server, and restart them one at a time. Then it encrypts \
         and signs.\n\
         3. Run `payroll-server key reseal` with the same keys. It encrypts the other data again while the \
         servers run.\n\
         4. Remove the old key when the tokens that it signed have expired, {} seconds later.",
        context.settings.token_lifetime_seconds
    )?)
}

fn print_revocation(context: &mut CommandContext<'_>, key_id: &str) -> Outcome {
    let set = keys::load_keys(&context.settings, &*context.randomness)?;
    if set.get(key_id).is_none() {
        return Err(Failure::new(format!("the keys in the settings do not contain the key {key_id}")));
    }
    let new = match set.active().id() == key_id {
        true => format!("Put this key first:\n\n{}\n\n", keys::new_key_line(&*context.randomness)),
        false => String::new(),
    };
    Ok(writeln!(
        context.out,
        "The keys are in the settings (PAYROLL_KEYS), which only you can change.\n\
         \n\
         {new}1. Write {}{key_id} in place of {key_id} on every server, and restart the servers. Then the \
         key signs and encrypts nothing, its tokens are rejected, and it still decrypts.\n\
         2. Run `payroll-server key reseal` with the same keys, and remove {}{key_id}.\n\
         \n\
         {ADVICE_AFTER_A_LEAK}",
        line::REVOKED_PREFIX,
        line::REVOKED_PREFIX
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_an_unfinished_rotation_becomes_the_first_one() {
        let lines = |text: &[&str]| text.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        for (before, after) in [
            (
                &["# mine", "a:1", UNFINISHED_ROTATION_COMMENT, "b:2"] as &[&str],
                &["b:2", "# mine", "a:1"] as &[&str],
            ),
            (&["a:1", UNFINISHED_ROTATION_COMMENT], &["a:1"]),
            (&["a:1", "b:2"], &["a:1", "b:2"]),
        ] {
            let mut changed = lines(before);
            complete_rotation(&mut changed);
            assert_eq!(changed, lines(after));
        }
    }
}
