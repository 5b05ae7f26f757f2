//! Instructions that the hot loops take, counted by callgrind: exact, whatever else the machine does.
//!
//! `make bench-instructions` runs this program. It runs itself under `valgrind` once for each case, which
//! counts only what happens in [`measured`], and prints a line for each: the instructions of one step,
//! simulation, node or position, and the ratio to the first case of the same kind. For steps the ratio is
//! the bytes written per instruction. With the path of another build of this program, such as one of an
//! older checkout, it prints the instructions of that one too.

mod batches;
mod cases;

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};

use cases::Work;

/// The work that callgrind counts.
#[inline(never)]
#[unsafe(no_mangle)]
fn measured(work: &mut dyn FnMut()) {
    work();
}

/// What callgrind counted in a case, and what the case says of its work.
struct Counted {
    each: f64,
    bytes: Option<f64>,
}

/// Runs one case of a build of this program under valgrind.
fn count(program: &Path, case: &str) -> Result<Counted, String> {
    let done = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(["--collect-atstart=no", "--toggle-collect=measured"])
        .arg(program)
        .args(["case", case])
        .output()
        .map_err(|error| format!("valgrind cannot be started: {error}"))?;
    let (said, errors) = (
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr),
    );
    let collected = errors.split("Collected : ").nth(1);
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let instructions = collected.and_then(|rest| number(rest.lines().next()?));
    let mut words = said.split_whitespace().map(number);
    match (instructions, words.next().flatten()) {
        (Some(instructions), Some(units)) if done.status.success() => Ok(Counted {
            each: instructions / units,
            bytes: words.next().flatten(),
        }),
        _ => Err(format!("{case}: {}, {errors}", done.status)),
    }
}

/// Counts every case and prints its line.
fn print_all(other: Option<&Path>) -> Result<(), String> {
    let own = env::current_exe().map_err(|error| error.to_string())?;
    println!("{:<28}{:>14}{:>8}", "instructions", "", "ratio");
    for kind in cases::KINDS {
        println!();
        let mut first: Option<Counted> = None;
        for case in cases::of_kind(kind) {
            let found = count(&own, &case)?;
            let reference = first.as_ref().unwrap_or(&found);
            let ratio = match (found.bytes, reference.bytes) {
                (Some(bytes), Some(before)) => bytes / before * reference.each / found.each,
                _ => found.each / reference.each,
            };
            print!("{case:<28}{:14.1}{ratio:8.2}", found.each);
            if let Some(other) = other {
                let theirs = count(other, &case)?.each;
                print!("{theirs:14.1}{:8.3}", theirs / found.each);
            }
            println!();
            first.get_or_insert(found);
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["case", case] => {
            let Work { units, bytes } = cases::run(case);
            println!(
                "{units} {}",
                bytes.map_or(String::new(), |bytes| bytes.to_string())
            );
            ExitCode::SUCCESS
        }
        [] | [_] => match print_all(words.first().map(Path::new)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                eprintln!("{message}");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("usage: instructions [ANOTHER BUILD OF THIS PROGRAM]");
            ExitCode::FAILURE
        }
    }
}
