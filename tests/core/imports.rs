//! The folder tree is the dependency order: who may import whom.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each top module and the modules of this crate that it may import.
const ALLOWED: [(&str, &[&str]); 23] = [
    ("elementary", &[]),
    ("random", &["elementary"]),
    ("game", &["random", "names"]),
    ("memory", &[]),
    ("large_pages", &[]),
    ("file_header", &[]),
    ("files", &[]),
    ("simd", &[]),
    ("threads", &["memory"]),
    ("names", &[]),
    ("encode", &["game", "names"]),
    ("small_board", &["game", "memory"]),
    (
        "tablebase",
        &[
            "game",
            "memory",
            "file_header",
            "files",
            "simd",
            "threads",
            "small_board",
        ],
    ),
    (
        "search",
        &[
            "game",
            "memory",
            "large_pages",
            "random",
            "file_header",
            "simd",
            "threads",
            "small_board",
            "tablebase",
        ],
    ),
    ("best_response", &["game", "memory", "encode", "search"]),
    ("policy", &["game", "random", "threads", "search"]),
    ("play", &["game", "names", "random", "encode", "search"]),
    (
        "network",
        &[
            "elementary",
            "game",
            "names",
            "memory",
            "random",
            "file_header",
            "simd",
            "threads",
            "encode",
            "search",
        ],
    ),
    (
        "vector",
        &[
            "game", "names", "memory", "random", "simd", "threads", "encode", "search", "policy",
        ],
    ),
    (
        "functional",
        &["game", "memory", "simd", "threads", "encode", "vector"],
    ),
    (
        "tree_search",
        &[
            "elementary",
            "game",
            "memory",
            "large_pages",
            "random",
            "simd",
            "threads",
            "encode",
            "search",
            "vector",
        ],
    ),
    (
        "self_play",
        &[
            "elementary",
            "game",
            "memory",
            "random",
            "threads",
            "encode",
            "search",
            "network",
            "vector",
            "tree_search",
        ],
    ),
    (
        "python",
        &[
            "best_response",
            "files",
            "game",
            "names",
            "memory",
            "random",
            "threads",
            "encode",
            "search",
            "network",
            "policy",
            "vector",
            "functional",
            "tree_search",
            "self_play",
            "play",
            "tablebase",
        ],
    ),
];

/// The files with `unsafe` code, and the number of places in each. A new one needs a reason.
const UNSAFE: [(&str, usize); 12] = [
    ("simd::amx", 13),
    ("simd::avx2", 7),
    ("simd::avx512", 6),
    ("simd::fetch", 1),
    ("simd::neon", 1),
    ("simd::with_features", 1),
    ("tablebase", 1),
    ("threads::pool", 1),
    ("large_pages", 1),
    ("python::convert::actions", 1),
    ("python::convert::integers", 1),
    ("python::convert::shared_memory", 16),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every source file below `path`, with its module path: `vector/step/mod.rs` is `vector::step`.
fn sources(path: &Path, found: &mut BTreeMap<Vec<String>, String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            sources(&entry.unwrap().path(), found);
        }
        return;
    }
    let inside = path.strip_prefix(root()).unwrap().with_extension("");
    let mut module: Vec<String> = inside
        .iter()
        .map(|part| part.to_str().unwrap().to_owned())
        .collect();
    if module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    found.insert(module, fs::read_to_string(path).unwrap());
}

pub(super) fn modules() -> BTreeMap<Vec<String>, String> {
    let mut found = BTreeMap::new();
    sources(&root(), &mut found);
    found
}

/// The code of a file without comments and without its test module, which may import anything.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The paths that start with `prefix` in some code, braces of a `use` written out.
fn paths(code: &str, prefix: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        let before = code[..at].chars().next_back();
        if before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':') {
            expand(&code[at + prefix.len()..], &[], &mut found);
        }
    }
    found
}

/// Reads one path, or the paths between braces, and returns what follows.
fn expand<'a>(text: &'a str, before: &[String], found: &mut Vec<Vec<String>>) -> &'a str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = expand(rest, before, found).trim_start();
            match rest.strip_prefix(',') {
                Some(next) if next.trim_start().starts_with('}') => {
                    return &next.trim_start()[1..];
                }
                Some(next) => rest = next,
                None => return rest.strip_prefix('}').unwrap_or(rest),
            }
        }
    }
    let end = text
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    let mut path = before.to_vec();
    path.push(text[..end].to_owned());
    if let Some(rest) = text[end..].strip_prefix("::") {
        return expand(rest, &path, found);
    }
    found.push(path);
    &text[end..]
}

/// The modules that a module imports: the longest part of each path that is a module.
fn imports(
    module: &[String],
    text: &str,
    modules: &BTreeMap<Vec<String>, String>,
) -> BTreeSet<Vec<String>> {
    let code = code(text);
    let parent = &module[..module.len().saturating_sub(1)];
    let starts: [(&str, &[String]); 4] = [
        ("crate::", &[]),
        ("self::", module),
        ("super::", parent),
        ("super::super::", &parent[..parent.len().saturating_sub(1)]),
    ];
    let mut found = BTreeSet::new();
    for (prefix, base) in starts {
        for path in paths(&code, prefix) {
            let mut full = [base, &path].concat();
            while !modules.contains_key(&full) && !full.is_empty() {
                full.pop();
            }
            if !full.is_empty() && full != module {
                found.insert(full);
            }
        }
    }
    found
}

/// A file that no `mod` names is not compiled, and its tests do not run.
#[test]
fn every_file_is_a_module() {
    let is_named = |text: &str, name: &str| {
        let declaration = format!("mod {name};");
        text.lines().any(|line| line.ends_with(&declaration))
    };
    let modules = modules();
    for module in modules.keys().filter(|module| module[..] != ["lib"]) {
        let (name, parent) = module.split_last().unwrap();
        let parent = if parent.is_empty() {
            &["lib".to_owned()]
        } else {
            parent
        };
        assert!(is_named(&modules[parent], name), "{}", module.join("::"));
    }
    for file in fs::read_dir(root().with_file_name("tests").join("core")).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(
            name == "main" || is_named(include_str!("main.rs"), name),
            "tests/core/{name}.rs"
        );
    }
}

#[test]
fn imports_point_inward() {
    let modules = modules();
    for (module, text) in &modules {
        let Some(top) = module.first().filter(|&top| top != "lib") else {
            continue;
        };
        let known = ALLOWED.iter().find(|(name, _)| name == top);
        let (_, allowed) = known.unwrap_or_else(|| panic!("{top} has no row in ALLOWED"));
        for line in code(text).lines() {
            for (at, _) in line.match_indices("crate::") {
                let rest = &line[at + "crate::".len()..];
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                let imported = &rest[..end.unwrap_or(rest.len())];
                let fine = imported == top || allowed.contains(&imported);
                assert!(fine, "{top} imports {imported}: {line}");
            }
            let binds = line.contains("pyo3") || line.contains("numpy::");
            assert!(top == "python" || !binds, "{top} knows of Python: {line}");
            let packages = ["ndarray", "rand::", "libm::"];
            let imports = packages.iter().any(|package| line.contains(package));
            assert!(
                top != "game" || !imports,
                "the rules import a package: {line}"
            );
        }
    }
}

/// A folder's `mod.rs` re-exports what its files define, so an import of the folder by one of its own
/// files is not a circle, and to import the folder is to import what its files do. Any other two
/// modules must not import each other, directly or over others.
#[test]
fn no_two_modules_import_each_other() {
    let modules = modules();
    let mut edges: BTreeMap<&Vec<String>, BTreeSet<Vec<String>>> = BTreeMap::new();
    for (module, text) in &modules {
        let found = imports(module, text, &modules);
        for folder in modules.keys().filter(|&other| module.starts_with(other)) {
            let outside =
                |other: &&Vec<String>| !folder.starts_with(other) && !other.starts_with(folder);
            let found = found.iter().filter(outside).cloned();
            edges.entry(folder).or_default().extend(found);
        }
    }
    for start in edges.keys() {
        let mut seen: BTreeMap<&Vec<String>, &Vec<String>> = BTreeMap::new();
        let mut next = vec![*start];
        while let Some(module) = next.pop() {
            for other in edges.get(module).into_iter().flatten() {
                if other == *start {
                    let mut circle = vec![start.join("::"), module.join("::")];
                    let mut at = module;
                    while let Some(before) = seen.get(at).copied() {
                        circle.push(before.join("::"));
                        at = before;
                    }
                    panic!("a circle of imports: {}", circle.join(" <- "));
                }
                if !seen.contains_key(other) {
                    seen.insert(other, module);
                    next.push(other);
                }
            }
        }
    }
}

/// `src/python/errors.rs` says which exception each core error becomes, and `?` does the rest.
#[test]
fn errors_become_exceptions_in_one_place() {
    let mut checked = 0;
    for (module, text) in &modules() {
        if module[0] != "python" || module[1..] == ["errors"] {
            continue;
        }
        checked += 1;
        let code = code(text);
        for path in paths(&code, "crate::") {
            let name = path.last().unwrap();
            let fine = path[0] == "python" || !name.ends_with("Error");
            assert!(fine, "{} handles {name}", module.join("::"));
        }
        let fine = !code.contains("error.to_string()") && !code.contains("Error::new_err)?");
        assert!(fine, "{} maps an error", module.join("::"));
    }
    assert!(checked > 10);
}

/// The package imports the native module, so that must not import the package: of its modules it needs
/// only the errors, which a module for the stable ABI cannot define, and the drawing of a position.
#[test]
fn native_code_imports_no_python_module_of_the_package() {
    let mut found = BTreeSet::new();
    for text in modules().values() {
        for line in code(text).lines() {
            for (at, quoted) in line.match_indices("import(\"mijnlieff") {
                let rest = &line[at + quoted.len()..];
                found.insert(rest.split('"').next().unwrap().to_owned());
            }
            // The classes that `exceptions!` declares have a line each.
            for start in ["import_exception!(mijnlieff.", "    mijnlieff."] {
                for (at, start) in line.match_indices(start) {
                    let rest = &line[at + start.len() - 1..];
                    found.insert(rest.split(',').next().unwrap().to_owned());
                }
            }
        }
    }
    let expected = ["._mijnlieff", ".errors", ".render"];
    assert_eq!(found, expected.map(String::from).into());
}

/// The compiler denies `unsafe` code but where a file allows it; this is the list of those files.
#[test]
fn unsafe_code_is_where_it_is_listed() {
    let mut found = BTreeMap::new();
    for (module, text) in modules() {
        let code = code(&text);
        let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
        let places = words.filter(|&word| word == "unsafe").count();
        if places > 0 {
            found.insert(module.join("::"), places);
        }
    }
    let listed = UNSAFE.map(|(module, places)| (module.to_owned(), places));
    assert_eq!(found, BTreeMap::from(listed));
}

#[test]
fn paths_are_read_from_uses() {
    let text = "use crate::a::{b, c::{D, e}};\nlet x = crate::f::g();";
    let expected = [
        vec!["a", "b"],
        vec!["a", "c", "D"],
        vec!["a", "c", "e"],
        vec!["f", "g"],
    ];
    assert_eq!(paths(text, "crate::"), expected);
}
