//! A pseudo-terminal for commands that ask for confirmation.

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::process::{Command, Output, Stdio};

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Runs a command whose standard input is a terminal at which this text is typed.
pub(super) fn run_in_terminal(mut command: Command, typed: &str) -> Output {
    let (keyboard, terminal) = terminal_pair();
    command.stdin(terminal).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the binary runs");
    // `command` holds a handle of the terminal. Dropping `command` closes this handle, so that only the child
    // process holds a handle of the terminal.
    drop(command);
    let mut keyboard = File::from(keyboard);
    keyboard.write_all(typed.as_bytes()).expect("the terminal takes it");
    child.wait_with_output().expect("it ends")
}

/// Opens a pseudo-terminal. Returns the end to which the test writes the typed text, and the end for the
/// command.
fn terminal_pair() -> (OwnedFd, OwnedFd) {
    let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&keyboard).expect("it may be used");
    unlockpt(&keyboard).expect("it is open");
    let name = ptsname(&keyboard, Vec::new()).expect("it has a name");
    let terminal = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("its other end");
    (keyboard, terminal)
}
