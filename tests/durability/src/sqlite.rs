//! Settings of SQLite that are weaker than the settings of the application, for tests that must find a loss.
#![expect(unsafe_code, reason = "the functions of SQLite that change each new connection are C")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use libsqlite3_sys as sqlite;

/// The first statement of each new connection. Null means no statement.
static FIRST_STATEMENT: AtomicPtr<c_char> = AtomicPtr::new(std::ptr::null_mut());

/// Forces a value of the setting `synchronous` on new connections as long as this value exists, regardless of
/// the application's own setting.
pub(crate) struct ForcedSynchronousSetting(());

impl ForcedSynchronousSetting {
    /// Makes each new SQLite connection begin with this statement and ignore later changes of `synchronous`.
    pub(crate) fn force(statement: &'static CStr) -> Self {
        FIRST_STATEMENT.store(statement.as_ptr().cast_mut(), Ordering::SeqCst);
        // SAFETY: `initialize_connection` has the parameters that SQLite passes to an extension.
        let added = unsafe { sqlite::sqlite3_auto_extension(Some(initialize_connection)) };
        assert_eq!(added, sqlite::SQLITE_OK);
        Self(())
    }
}

impl Drop for ForcedSynchronousSetting {
    fn drop(&mut self) {
        // SAFETY: The function `force` has registered `initialize_connection` with SQLite.
        unsafe { sqlite::sqlite3_cancel_auto_extension(Some(initialize_connection)) };
    }
}

/// Initializes a new SQLite connection. Later statements cannot change the connection's setting
/// `synchronous`.
unsafe extern "C" fn initialize_connection(
    connection: *mut sqlite::sqlite3,
    _error: *mut *mut c_char,
    _routines: *const sqlite::sqlite3_api_routines,
) -> c_int {
    let statement = FIRST_STATEMENT.load(Ordering::SeqCst);
    let nothing = std::ptr::null_mut();
    // SAFETY: The connection is open, and the statement is a C string with a static lifetime.
    unsafe {
        let set = sqlite::sqlite3_exec(connection, statement, None, nothing, std::ptr::null_mut());
        if set != sqlite::SQLITE_OK {
            return set;
        }
        sqlite::sqlite3_set_authorizer(connection, Some(deny_synchronous_pragma), nothing)
    }
}

/// Ignores `PRAGMA synchronous = …` and permits all other actions.
unsafe extern "C" fn deny_synchronous_pragma(
    _: *mut c_void,
    action: c_int,
    name: *const c_char,
    value: *const c_char,
    _: *const c_char,
    _: *const c_char,
) -> c_int {
    if action != sqlite::SQLITE_PRAGMA || name.is_null() || value.is_null() {
        return sqlite::SQLITE_OK;
    }
    // SAFETY: SQLite passes the name of the setting as a C string.
    let name = unsafe { CStr::from_ptr(name) };
    if name.to_bytes().eq_ignore_ascii_case(b"synchronous") {
        sqlite::SQLITE_IGNORE
    } else {
        sqlite::SQLITE_OK
    }
}
