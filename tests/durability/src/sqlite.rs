//! Other settings of SQLite than those of the application, for tests that must fail.
#![expect(unsafe_code, reason = "the functions of SQLite that change each new connection are C")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use libsqlite3_sys as sqlite;

/// The statement that each new connection begins with; null: none.
static FIRST: AtomicPtr<c_char> = AtomicPtr::new(std::ptr::null_mut());

/// How durable a commit is, whatever the application sets, as long as this value lives.
pub(crate) struct Synchronous(());

impl Synchronous {
    /// Has each new connection begin with this statement, and ignore what is set afterwards.
    pub(crate) fn set(statement: &'static CStr) -> Self {
        FIRST.store(statement.as_ptr().cast_mut(), Ordering::SeqCst);
        // SAFETY: SQLite calls the function with the arguments that it is declared with.
        let added = unsafe { sqlite::sqlite3_auto_extension(Some(begin)) };
        assert_eq!(added, sqlite::SQLITE_OK);
        Self(())
    }
}

impl Drop for Synchronous {
    fn drop(&mut self) {
        // SAFETY: the function was added by `set`.
        unsafe { sqlite::sqlite3_cancel_auto_extension(Some(begin)) };
    }
}

/// Sets a new connection up, and has it ignore what is set afterwards.
unsafe extern "C" fn begin(
    connection: *mut sqlite::sqlite3,
    _error: *mut *mut c_char,
    _routines: *const sqlite::sqlite3_api_routines,
) -> c_int {
    let statement = FIRST.load(Ordering::SeqCst);
    let nothing = std::ptr::null_mut();
    // SAFETY: the connection is open, and the statement is a C string that lives for ever.
    unsafe {
        let set = sqlite::sqlite3_exec(connection, statement, None, nothing, std::ptr::null_mut());
        if set != sqlite::SQLITE_OK {
            return set;
        }
        sqlite::sqlite3_set_authorizer(connection, Some(ignore), nothing)
    }
}

/// Ignores `PRAGMA synchronous = …`, and allows all else.
unsafe extern "C" fn ignore(
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
