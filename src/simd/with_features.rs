//! Methods that are compiled for the instructions of newer processors.

/// Makes methods whose bodies call intrinsics. The compiler checks the bodies as safe code for
/// processors with the features; `self`, a proof or a vector, makes the call sound.
macro_rules! with_features {
    ($features:literal: $(fn $name:ident($this:ident: $proof:ty $(, $argument:ident: $type:ty)*) -> $result:ty $body:block)*) => {$(
        #[inline(always)]
        fn $name(self $(, $argument: $type)*) -> $result {
            #[inline]
            #[target_feature(enable = $features)]
            fn compiled($this: $proof $(, $argument: $type)*) -> $result $body

            // SAFETY: `self` exists only on processors with all features that `compiled` enables: it is
            // the proof of them, or a vector that was made with it.
            unsafe { compiled(self $(, $argument)*) }
        }
    )*};
}
pub(super) use with_features;
