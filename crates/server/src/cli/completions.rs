//! The arguments of the command `completions`.

use clap::ValueEnum;

/// The shells for which the command can print completions.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum CompletionShell {
    /// Run source <(payroll-server completions bash)
    Bash,
    /// Write the output to a file _payroll-server in a folder of $fpath.
    Zsh,
    /// Run payroll-server completions fish | source
    Fish,
}
