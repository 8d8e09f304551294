//! Calls by pointer that lead out of what is instrumented: a function whose address was
//! taken, a virtual function of a library's class.
//!
//! The driver sends all models with their names. Whole names are looked up beforehand (a
//! function such as `memcpy` has several bodies, and the address is that of the one that
//! was chosen when the program was loaded); for other addresses the dynamic linker is
//! asked when they are called for the first time. A virtual function may have no name
//! outside its library; then it goes by that of the vtable and its place in it, from 0.

use super::Callee;
use crate::{cell::Global, host, units};
use alloc::{ffi::CString, format, string::String, vec::Vec};
use core::ffi::{CStr, c_char};
use hashbrown::HashMap;

#[derive(Default)]
struct Known {
    by_address: HashMap<u64, Option<Callee>>,
    by_name: HashMap<String, Option<u32>>,
    /// Beginnings of names, the longest first.
    by_beginning: Vec<(String, Option<u32>)>,
}

static KNOWN: Global<Option<Known>> = Global::new(None);

pub fn prepare(named: &[(String, Option<u32>)]) {
    let mut known = Known::default();
    for (name, model) in named {
        if let Some(beginning) = name.strip_suffix('*') {
            known.by_beginning.push((String::from(beginning), *model));
            continue;
        }
        known.by_name.insert(name.clone(), *model);
        // SAFETY: plain use of dlsym.
        let address = CString::new(name.as_str())
            .map_or(0, |name| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) } as u64);
        if address != 0 && !is_seen(address) {
            known.by_address.insert(address, Some(described(*model)));
        }
    }
    known.by_beginning.sort_by_key(|(name, _)| core::cmp::Reverse(name.len()));
    *KNOWN.get() = Some(known);
}

fn described(model: Option<u32>) -> Callee {
    Callee { model, unknown: model.is_none() }
}

/// Whether a function is instrumented, or the runtime's own: it says itself what it does.
fn is_seen(address: u64) -> bool {
    units::has_unit(address) || host::owns_address(address)
}

/// What is known of the function at an address, which is called with these arguments; none if
/// it is seen.
pub fn callee(address: u64, args: &[u64]) -> Option<Callee> {
    let known = KNOWN.get().as_mut()?;
    if let Some(found) = known.by_address.get(&address) {
        return *found;
    }
    let found = look(known, address, args);
    known.by_address.insert(address, found);
    found
}

fn look(known: &Known, address: u64, args: &[u64]) -> Option<Callee> {
    // A function of a library has its address in the program where that has a stub for it;
    // what the dynamic linker names in the program else is instrumented.
    // The object is the first argument, or the second if the first is where the result goes.
    // (The second may be no pointer: it is only looked at if it leads to data of a file.)
    let first = || args.first().and_then(|object| virtual_name(address, *object));
    let in_file = |object: &&u64| units::range_of(**object).is_some();
    let second = || args.get(1).filter(in_file).and_then(|it| virtual_name(address, *it));
    let name = name_of(address).or_else(first).or_else(second);
    let model = name.as_deref().and_then(|name| {
        let begins = |(beginning, _): &&(String, Option<u32>)| name.starts_with(&**beginning);
        let by_beginning = || known.by_beginning.iter().find(begins).map(|(_, model)| model);
        known.by_name.get(name).or_else(by_beginning)
    });
    match model {
        None if is_seen(address) => None,
        Some(model) => Some(described(*model)),
        None => Some(described(None)),
    }
}

/// The name of what begins at an address, for the dynamic linker.
fn name_of(address: u64) -> Option<String> {
    // SAFETY: all zeros is a valid value, and dladdr fills it in.
    unsafe {
        let mut info: libc::Dl_info = core::mem::zeroed();
        let found = libc::dladdr(address as *const libc::c_void, &mut info) != 0;
        let named = found && !info.dli_sname.is_null() && info.dli_saddr as u64 == address;
        named.then(|| CStr::from_ptr(info.dli_sname).to_string_lossy().into_owned())
    }
}

/// What the vtable would be called that begins there, if it had a name outside its library:
/// by the class's type information, which the word before its functions leads to.
///
/// # Safety
/// A vtable's functions lie there, or constant data that look like it.
unsafe fn class_name(functions: u64) -> Option<String> {
    // SAFETY: what is read is constant data of loaded files.
    unsafe {
        let word = |at: u64| units::is_constant(at).then(|| *(at as *const u64));
        let name = word(word(functions.wrapping_sub(8))?.wrapping_add(8))?;
        let name = units::is_constant(name).then(|| CStr::from_ptr(name as *const c_char))?;
        let name = name.to_str().ok()?;
        // A class without linkage is marked.
        Some(format!("_ZTV{}", name.strip_prefix('*').unwrap_or(name)))
    }
}

/// The place of a virtual function in the vtable of the object that it is called for.
fn virtual_name(address: u64, object: u64) -> Option<String> {
    const MOST: usize = 64;
    if object < 4096 || !object.is_multiple_of(8) || is_seen(address) {
        return None;
    }
    // SAFETY: the callee is a library's, and its caller has a pointer to where the object
    // would be. A vtable is constant and has its functions behind two words.
    unsafe {
        let functions = *(object as *const u64);
        if !units::is_constant(functions.wrapping_sub(16)) {
            return None;
        }
        let table = name_of(functions.wrapping_sub(16)).or_else(|| class_name(functions))?;
        let slot = |place: usize| (functions as *const u64).add(place);
        let known = |place: &usize| units::is_constant(slot(*place) as u64);
        let mut places = (0..MOST).take_while(known);
        let place = places.find(|place| *slot(*place) == address)?;
        table.starts_with("_ZTV").then(|| format!("{table}:{place}"))
    }
}
