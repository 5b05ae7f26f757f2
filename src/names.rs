//! Options whose values have names.

use thiserror::Error;

/// A name that an option does not have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown {option} {found:?}; choose one of {}", .choices.join(", "))]
pub struct UnknownName {
    /// The option.
    pub option: &'static str,
    /// The name given, cut when it is long.
    pub found: String,
    /// The names that exist.
    pub choices: Vec<&'static str>,
}

/// A text as errors keep it: at most 60 characters, however long the input was.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Defines an option as an enum, with its values in `ALL`, their `name` and `FromStr`.
macro_rules! named {
    (
        $(#[$meta:meta])* $type:ident as $option:literal {
            $($(#[$variant_meta:meta])* $variant:ident = $name:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $type { $($(#[$variant_meta])* $variant,)* }

        impl $type {
            /// All values.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name, as `from_str` reads it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::names::UnknownName;

            fn from_str(name: &str) -> Result<Self, $crate::names::UnknownName> {
                let found = Self::ALL.into_iter().find(|value| value.name() == name);
                found.ok_or_else(|| $crate::names::UnknownName {
                    option: $option,
                    found: $crate::names::shortened(name),
                    choices: Self::ALL.map(Self::name).to_vec(),
                })
            }
        }
    };
}

pub(crate) use named;
