//! The folder tree is the dependency order: who may import whom.

use std::fs;
use std::path::Path;

/// Each module and the modules of this crate that it may import.
const ALLOWED: [(&str, &[&str]); 10] = [
    ("game", &[]),
    ("random", &[]),
    ("sealed", &[]),
    ("lanes", &[]),
    ("wide", &["lanes"]),
    ("encode", &["game"]),
    ("search", &["game", "random", "sealed"]),
    (
        "policy",
        &[
            "game", "random", "sealed", "lanes", "wide", "encode", "search",
        ],
    ),
    (
        "vector",
        &[
            "game", "random", "lanes", "wide", "encode", "search", "policy",
        ],
    ),
    (
        "python",
        &["game", "random", "encode", "search", "policy", "vector"],
    ),
];

fn sources(path: &Path, found: &mut Vec<String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            sources(&entry.unwrap().path(), found);
        }
    } else {
        found.push(fs::read_to_string(path).unwrap());
    }
}

#[test]
fn imports_point_inward() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (module, allowed) in ALLOWED {
        let mut files = Vec::new();
        let folder = root.join(module);
        let path = if folder.is_dir() {
            folder
        } else {
            root.join(format!("{module}.rs"))
        };
        sources(&path, &mut files);
        assert!(!files.is_empty());
        for text in &files {
            let code = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            for line in code {
                for (at, _) in line.match_indices("crate::") {
                    let rest = &line[at + "crate::".len()..];
                    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                    let imported = &rest[..end.unwrap_or(rest.len())];
                    let fine = imported == module || allowed.contains(&imported);
                    assert!(fine, "{module} imports {imported}: {line}");
                }
                let binds = line.contains("pyo3") || line.contains("numpy::");
                assert!(
                    module == "python" || !binds,
                    "{module} knows of Python: {line}"
                );
            }
        }
    }
}
