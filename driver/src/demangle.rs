//! C++ names as they are in the source.

use cpp_demangle::{DemangleOptions, Symbol};

/// A function or variable of C++ without its parameters: overloads are told apart by
/// where they are. Every other symbol as it is.
pub fn plain(symbol: &str) -> String {
    let name = demangled(symbol, DemangleOptions::new().no_params().no_return_type());
    name.strip_suffix(" const").unwrap_or(&name).to_string()
}

/// The same with the parameters, as a linker's message would have it.
pub fn full(symbol: &str) -> String {
    demangled(symbol, DemangleOptions::new().no_return_type())
}

fn demangled(symbol: &str, options: DemangleOptions) -> String {
    let name = || Symbol::new(symbol).ok()?.demangle_with_options(&options).ok();
    match name().filter(|_| symbol.starts_with("_Z")) {
        Some(name) => as_written(&name),
        None => symbol.to_string(),
    }
}

/// Without what the libraries tell their versions apart by: libc++'s inner namespace, and
/// tags (`f[abi:cxx11]`).
fn as_written(name: &str) -> String {
    let mut name = name.replace("std::__1::", "std::");
    while let Some(start) = name.find("[abi:") {
        let Some(end) = name[start..].find(']') else { break };
        name.replace_range(start..=start + end, "");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_c_plus_plus_are_demangled_and_others_are_left_alone() {
        assert_eq!(plain("_ZN5StackIiE4pushERKi"), "Stack<int>::push");
        assert_eq!(full("_ZN5StackIiE4pushERKi"), "Stack<int>::push(int const&)");
        assert_eq!(plain("_ZNK5StackIiE4sizeEv"), "Stack<int>::size");
        assert_eq!(plain("_ZGVZ3getvE1s"), "guard variable for get()::s");
        assert_eq!(plain("_ZNSt3__15mutex4lockEv"), "std::mutex::lock");
        let tagged = "_ZNSt3__14lockB9nqe220108INS_5mutexES1_EEvRT_RT0_";
        assert_eq!(plain(tagged), "std::lock<std::mutex, std::mutex>");
        for other in ["main", "_Zebra", "", "_ZN"] {
            assert_eq!(plain(other), other);
        }
    }
}
