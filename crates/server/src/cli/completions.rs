//! The arguments of the command `completions`.

use clap::ValueEnum;

/// The shells that completions can be written for.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum CompletionShell {
    /// source <(payroll-server completions bash)
    Bash,
    /// Into a file _payroll-server in a folder of $fpath.
    Zsh,
    /// payroll-server completions fish | source
    Fish,
}
