//! The instrumented units that are loaded, and what their tables say.

use crate::{
    back_off::{self, Role},
    cell::Global,
    execution,
    fiber::FrameRecord,
    host, sys,
};
use alloc::{boxed::Box, string::String, vec::Vec};
use core::ops::Range;
use leno_model::{
    SiteRef,
    site::{self, Residual, SiteId, SiteKind, UnitHeader, UnitTable},
    wire::{Fault, Unit},
};

/// A unit as the runtime uses it.
pub struct Loaded {
    start: u64,
    end: u64,
    digest: u64,
    /// The frame record of each function.
    frames: Vec<Shape>,
    /// The slots of all of them, and those of each.
    slots: Vec<Slot>,
    slots_of: Vec<Range<u32>>,
    /// The same for those that others may have the address of.
    escaping: Vec<Slot>,
    escaping_of: Vec<Range<u32>>,
    /// What each site needs of its frame, before it and behind it: parts of `live`.
    before: Vec<Range<u32>>,
    behind: Vec<Range<u32>>,
    /// Places of slots in their function.
    live: Vec<u32>,
    /// What part each function has in taking several locks at once.
    roles: Vec<Role>,
    /// What each site calls by name.
    callees: Vec<Option<String>>,
    /// Which sites are calls whose result nobody looks at.
    ignored: Vec<bool>,
    /// All of the table, once somebody has asked for it.
    table: Option<Box<UnitTable>>,
    image: String,
    /// What to subtract from an address to get the file's.
    bias: u64,
}

static UNITS: Global<Vec<Loaded>> = Global::new(Vec::new());

/// A file whose table cannot be read.
static DAMAGED: Global<Option<String>> = Global::new(None);

fn damaged(unit: *const u8) {
    *DAMAGED.get() = Some(image_of(unit as u64).unwrap_or_default().0);
}

/// The name of a file whose table cannot be read, if there is one.
pub fn damage() -> Option<&'static str> {
    DAMAGED.get().as_deref()
}

/// What there is of a frame.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Bytes of the record.
    pub size: u64,
    /// Where in the record the function keeps where it returns to, if it may be called by
    /// pointer; 0 if not.
    pub returns: u64,
    /// There is memory outside the record that the function may have given to others.
    pub dynamic: bool,
    /// A digest of the function's symbol.
    symbol: u64,
}

/// A part of a frame record.
#[derive(Clone, Copy)]
pub struct Slot {
    pub offset: u32,
    pub size: u32,
    escapes: bool,
}

/// A range of `live` that says that nothing is known.
const NOTHING: Range<u32> = u32::MAX..u32::MAX;

/// Adds what a residual needs to a list, and gives its place there.
fn note(live: &mut Vec<u32>, residual: Option<Residual>) -> Range<u32> {
    residual.map_or(NOTHING, |residual| append(live, residual.live))
}

/// Adds items to a list, and gives their place there.
fn append<T>(list: &mut Vec<T>, items: impl IntoIterator<Item = T>) -> Range<u32> {
    let start = list.len() as u32;
    list.extend(items);
    start..list.len() as u32
}

/// What is needed of a frame at some point.
pub struct Needed {
    slots: &'static [Slot],
    escaping: &'static [Slot],
    live: &'static [u32],
}

impl Needed {
    /// What is needed because others may have its address, wherever the function is.
    #[inline(always)]
    pub fn escaping(&self) -> &'static [Slot] {
        self.escaping
    }

    /// What the function itself needs of the rest.
    #[inline(always)]
    pub fn live(&self) -> impl Iterator<Item = Slot> {
        let slots = self.live.iter().filter_map(|place| self.slots.get(*place as usize).copied());
        slots.filter(|slot| !slot.escapes)
    }
}

/// What the frame of a record needs at a point of its function.
#[inline(always)]
fn needed(
    record: &FrameRecord,
    site: SiteRef,
    ranges: impl FnOnce(&Loaded) -> &[Range<u32>],
) -> Option<Needed> {
    let (_, unit) =
        find(record.function).filter(|(_, unit)| (unit.start..unit.end).contains(&site.0))?;
    let function = (record.function - unit.start) as usize;
    let live = ranges(unit).get((site.0 - unit.start) as usize).filter(|live| **live != NOTHING)?;
    Some(Needed {
        slots: part(&unit.slots, unit.slots_of.get(function)?),
        escaping: part(&unit.escaping, unit.escaping_of.get(function)?),
        live: part(&unit.live, live),
    })
}

#[inline(always)]
fn part<'a, T>(list: &'a [T], range: &Range<u32>) -> &'a [T] {
    &list[range.start as usize..range.end as usize]
}

/// What a frame needs that is about to do what the site stands for.
#[inline(always)]
pub fn needed_before(record: &FrameRecord, site: SiteRef) -> Option<Needed> {
    needed(record, site, |unit| &unit.before)
}

/// What a frame needs when the call is over that it makes at the site.
#[inline(always)]
pub fn needed_behind(record: &FrameRecord, site: SiteRef) -> Option<Needed> {
    needed(record, site, |unit| &unit.behind)
}

/// Called by a constructor of each unit.
///
/// # Safety
/// `unit` points to a unit's table, which stays where it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __leno_register(unit: *const u8) {
    // SAFETY: the pass gives the address of a whole table; its header says how long it is.
    let table = unsafe {
        let head = core::slice::from_raw_parts(unit, UnitHeader::SIZE);
        let Ok(header) = UnitHeader::decode(head) else { return damaged(unit) };
        core::slice::from_raw_parts(unit, header.size as usize)
    };
    let Ok((header, table)) = UnitTable::decode(table) else { return damaged(unit) };
    let (image, bias) = image_of(unit as u64).unwrap_or_default();
    if execution::running().is_some() {
        // By `dlopen`. The check begins anew with the library loaded from the start: the
        // numbers of units, what is constant, what the models say are all settled by then.
        host::fault(Fault::Library { path: image });
    }
    let start = unit as u64;
    let (mut slots, mut slots_of) = (Vec::new(), Vec::new());
    let (mut escaping, mut escaping_of) = (Vec::new(), Vec::new());
    for function in &table.functions {
        let all = &function.frame.slots;
        let kept = |slot: &site::Slot| Slot {
            offset: slot.offset as u32,
            size: slot.size as u32,
            escapes: slot.escapes,
        };
        slots_of.push(append(&mut slots, all.iter().map(kept)));
        let escape = all.iter().filter(|slot| slot.escapes);
        escaping_of.push(append(&mut escaping, escape.map(kept)));
    }
    let (mut before, mut behind, mut live) = (Vec::new(), Vec::new(), Vec::new());
    let mut callees = Vec::new();
    let mut ignored = Vec::new();
    for site in table.sites {
        before.push(note(&mut live, site.before));
        behind.push(note(&mut live, site.behind));
        ignored.push(site.ignored);
        callees.push(if let SiteKind::Call(name) = site.kind { name } else { None });
    }
    let loaded = Loaded {
        slots,
        slots_of,
        escaping,
        escaping_of,
        before,
        behind,
        live,
        ignored,
        callees,
        start,
        end: start + header.size,
        digest: header.digest,
        frames: table.functions.iter().map(shape).collect(),
        roles: table.functions.iter().map(|f| back_off::role(&f.symbol)).collect(),
        table: None,
        image,
        bias,
    };
    let units = UNITS.get();
    let place = units.partition_point(|u| u.start < start);
    units.insert(place, loaded);
}

/// A loaded file.
struct Image {
    name: String,
    bias: u64,
    low: u64,
    high: u64,
}

/// Whether a loaded file is the one, by its name and the ranges of its segments.
type Wanted<'a> = &'a dyn Fn(&str, &[(u64, u64)]) -> bool;

/// The first loaded file that is the wanted one.
fn find_loaded(wanted: Wanted<'_>) -> Option<Image> {
    struct Search<'a> {
        wanted: Wanted<'a>,
        found: Option<Image>,
    }
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _: usize,
        data: *mut libc::c_void,
    ) -> i32 {
        // SAFETY: libc gives valid headers; `data` is the `Search` below.
        unsafe {
            let search = &mut *data.cast::<Search<'_>>();
            let info = &*info;
            let headers = core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize);
            let range = |h: &libc::Elf64_Phdr| {
                let low = info.dlpi_addr + h.p_vaddr;
                (low, low + h.p_memsz)
            };
            let loaded = headers.iter().filter(|h| h.p_type == libc::PT_LOAD);
            let ranges: Vec<(u64, u64)> = loaded.map(range).collect();
            let name = core::ffi::CStr::from_ptr(info.dlpi_name).to_string_lossy();
            // The linker gives the program itself no name.
            let name = if name.is_empty() { program() } else { name.into_owned() };
            if !(search.wanted)(&name, &ranges) {
                return 0;
            }
            let low = ranges.iter().map(|range| range.0).min().unwrap_or(0);
            let high = ranges.iter().map(|range| range.1).max().unwrap_or(0);
            search.found = Some(Image { name, bias: info.dlpi_addr, low, high });
            1
        }
    }
    let mut search = Search { wanted, found: None };
    // SAFETY: `visit` gets `search` back.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found
}

/// The loaded file around an address.
fn loaded_around(addr: u64) -> Option<Image> {
    find_loaded(&|_, ranges| ranges.iter().any(|(low, high)| (*low..*high).contains(&addr)))
}

/// The name of the loaded file around an address, and its load bias.
pub fn image_of(addr: u64) -> Option<(String, u64)> {
    loaded_around(addr).map(|image| (image.name, image.bias))
}

/// The file whose thread-local storage lies at a place relative to the thread pointer,
/// which is the same in all threads, and the place inside it.
pub fn thread_local_at(offset: i64) -> Option<(String, i64)> {
    struct Wanted {
        /// In the running thread's storage.
        addr: u64,
        found: Option<(String, i64)>,
    }
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _: usize,
        data: *mut libc::c_void,
    ) -> i32 {
        // SAFETY: libc gives valid headers; `data` is the `Wanted` below.
        unsafe {
            let wanted = &mut *data.cast::<Wanted>();
            let info = &*info;
            let headers = core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize);
            let start = info.dlpi_tls_data as u64;
            let tls = headers.iter().find(|h| h.p_type == libc::PT_TLS);
            let inside = tls.is_some_and(|h| (start..start + h.p_memsz).contains(&wanted.addr));
            if inside && start != 0 {
                let name = core::ffi::CStr::from_ptr(info.dlpi_name).to_string_lossy();
                let name = if name.is_empty() { program() } else { name.into_owned() };
                wanted.found = Some((name, (wanted.addr - start) as i64));
            }
            i32::from(inside)
        }
    }
    let addr = crate::fiber::own_handle().wrapping_add_signed(offset);
    let mut wanted = Wanted { addr, found: None };
    // SAFETY: `visit` gets `wanted` back.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut wanted).cast()) };
    wanted.found
}

/// The load bias of a loaded file.
pub fn bias_of(name: &str) -> Option<u64> {
    find_loaded(&|other, _| other == name).map(|image| image.bias)
}

/// The files that hold instrumented units, with their load biases.
pub fn biases() -> Vec<(String, u64)> {
    let mut found: Vec<(String, u64)> = Vec::new();
    for unit in UNITS.get().iter() {
        if found.iter().all(|(image, _)| *image != unit.image) {
            found.push((unit.image.clone(), unit.bias));
        }
    }
    found
}

/// Parts of loaded files that nobody can write.
static CONSTANT: Global<Vec<(u64, u64)>> = Global::new(Vec::new());

/// Notes which parts of the loaded files are read-only.
pub fn find_constants() {
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _: usize,
        _: *mut libc::c_void,
    ) -> i32 {
        // SAFETY: libc gives valid headers.
        unsafe {
            let info = &*info;
            let headers = core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize);
            let range = |h: &libc::Elf64_Phdr| {
                let low = info.dlpi_addr + h.p_vaddr;
                (low, low + h.p_memsz)
            };
            let constant =
                headers.iter().filter(|h| h.p_type == libc::PT_LOAD && h.p_flags & libc::PF_W == 0);
            CONSTANT.get().extend(constant.map(range));
            // Read-only after relocation, which is over; whole pages of it.
            let sealed = headers.iter().filter(|h| h.p_type == libc::PT_GNU_RELRO).map(range);
            CONSTANT.get().extend(sealed.map(|(low, high)| (low, high & !4095)));
            0
        }
    }
    // SAFETY: plain use of dl_iterate_phdr.
    unsafe { libc::dl_iterate_phdr(Some(visit), core::ptr::null_mut()) };
    CONSTANT.get().sort_unstable();
}

/// The writable data of all loaded files but the runtime's.
pub fn writable() -> Vec<(usize, usize)> {
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _: usize,
        data: *mut libc::c_void,
    ) -> i32 {
        // SAFETY: libc gives valid headers; `data` is the list below.
        unsafe {
            let found = &mut *data.cast::<Vec<(usize, usize)>>();
            let info = &*info;
            let headers = core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize);
            let written =
                headers.iter().filter(|h| h.p_type == libc::PT_LOAD && h.p_flags & libc::PF_W != 0);
            found.extend(written.map(|h| {
                let low = (info.dlpi_addr + h.p_vaddr) as usize;
                (low, low + h.p_memsz as usize)
            }));
            0
        }
    }
    let mut found: Vec<(usize, usize)> = Vec::new();
    // SAFETY: `visit` gets `found` back.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
    found.retain(|(low, _)| !crate::host::owns_address(*low as u64));
    found
}

/// Whether an address is in a part of a file that nobody can write.
pub fn is_constant(addr: u64) -> bool {
    let parts = CONSTANT.get();
    let place = parts.partition_point(|part| part.0 <= addr);
    parts[..place].last().is_some_and(|part| addr < part.1)
}

/// Where the loaded file around an address begins and ends.
pub fn range_of(addr: u64) -> Option<(u64, u64)> {
    loaded_around(addr).map(|image| (image.low, image.high))
}

/// Whether the loaded file around an address has an instrumented unit.
pub fn has_unit(addr: u64) -> bool {
    range_of(addr)
        .is_some_and(|(low, high)| UNITS.get().iter().any(|u| low <= u.start && u.start < high))
}

/// The file that the process was started from.
fn program() -> String {
    let mut path = [0u8; 4096];
    let link = c"/proc/self/exe".as_ptr() as u64;
    // SAFETY: the kernel writes `path` only.
    let len = unsafe {
        sys::call(libc::SYS_readlink, [link, path.as_mut_ptr() as u64, path.len() as u64, 0, 0, 0])
    };
    String::from_utf8_lossy(&path[..len.max(0) as usize]).into_owned()
}

/// The list that goes to the driver; a `SiteId` refers to it.
pub fn list() -> Vec<Unit> {
    let unit =
        |u: &Loaded| Unit { image: u.image.clone(), address: u.start - u.bias, digest: u.digest };
    UNITS.get().iter().map(unit).collect()
}

/// Where the tables of that list lie.
pub fn loaded() -> Vec<u64> {
    UNITS.get().iter().map(|unit| unit.start).collect()
}

fn find(addr: u64) -> Option<(u32, &'static Loaded)> {
    let units = &*UNITS.get();
    let place = units.partition_point(|u| u.start <= addr).checked_sub(1)?;
    (addr < units[place].end).then(|| (place as u32, &units[place]))
}

/// A site's (or function's) name outside the process.
pub fn site_id(site: SiteRef) -> Option<SiteId> {
    let (unit, loaded) = find(site.0)?;
    Some(SiteId { unit, index: (site.0 - loaded.start) as u32 })
}

/// The address of a site that has this name.
pub fn site_ref(id: SiteId) -> SiteRef {
    SiteRef(UNITS.get().get(id.unit as usize).map_or(0, |u| u.start + u64::from(id.index)))
}

fn shape(function: &site::Function) -> Shape {
    let site::Frame { size, dynamic, returns, .. } = function.frame;
    Shape { size, returns: returns.unwrap_or(0), dynamic, symbol: digest(&function.symbol) }
}

fn digest(name: &str) -> u64 {
    let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    name.bytes().fold(0xcbf2_9ce4_8422_2325, add)
}

/// Whether the caller of a function in progress called it by its name.
pub fn is_called_by_name(record: &FrameRecord) -> bool {
    // SAFETY: the chain of frame records of a thread.
    let Some(caller) = (unsafe { record.caller.as_ref() }) else { return false };
    let called = callee(SiteRef(caller.site)).map(digest);
    called.is_some() && called == frame_shape(record).map(|shape| shape.symbol)
}

/// The frame that a record of the shadow stack stands for.
#[inline]
pub fn frame_shape(record: &FrameRecord) -> Option<Shape> {
    let (_, unit) = find(record.function)?;
    unit.frames.get((record.function - unit.start) as usize).copied()
}

/// Bytes of the record.
pub fn frame_size(record: &FrameRecord) -> u64 {
    frame_shape(record).map_or(size_of::<FrameRecord>() as u64, |shape| shape.size)
}

/// The part that a frame's function has in taking several locks at once.
pub fn role(record: &FrameRecord) -> Role {
    find(record.function)
        .and_then(|(_, unit)| unit.roles.get((record.function - unit.start) as usize).copied())
        .unwrap_or(Role::Other)
}

/// The unit that a site or a function belongs to, its place there, and all that the unit's
/// table says.
pub fn table_of(addr: u64) -> Option<(u32, usize, &'static UnitTable)> {
    let (number, unit) = find(addr)?;
    let (start, size) = (unit.start, (unit.end - unit.start) as usize);
    let unit = &mut UNITS.get()[number as usize];
    if unit.table.is_none() {
        // SAFETY: the table was read when it was registered, and stays where it is.
        let bytes = unsafe { core::slice::from_raw_parts(start as *const u8, size) };
        unit.table = Some(Box::new(UnitTable::decode(bytes).ok()?.1));
    }
    let table: &'static UnitTable = unit.table.as_deref()?;
    Some((number, (addr - start) as usize, table))
}

/// The code of loaded files, and whether the file has an instrumented unit.
static CODE: Global<Vec<(u64, u64, bool)>> = Global::new(Vec::new());

/// The code of the instrumented file that was asked about last.
static INSTRUMENTED: Global<(u64, u64)> = Global::new((0, 0));

/// Whether an address is in code of a file without an instrumented unit.
#[inline(always)]
pub fn is_foreign_code(addr: u64) -> bool {
    let (low, high) = *INSTRUMENTED.get();
    !(low..high).contains(&addr) && is_foreign_code_elsewhere(addr)
}

#[inline(never)]
fn is_foreign_code_elsewhere(addr: u64) -> bool {
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _: usize,
        _: *mut libc::c_void,
    ) -> i32 {
        // SAFETY: libc gives valid headers.
        unsafe {
            let info = &*info;
            let headers = core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize);
            let loaded = headers.iter().filter(|h| h.p_type == libc::PT_LOAD);
            let range = |h: &libc::Elf64_Phdr| {
                let low = info.dlpi_addr + h.p_vaddr;
                (low, low + h.p_memsz)
            };
            let units = &*UNITS.get();
            let has_unit = loaded
                .clone()
                .map(range)
                .any(|(low, high)| units.iter().any(|unit| (low..high).contains(&unit.start)));
            let code = loaded.filter(|h| h.p_flags & libc::PF_X != 0).map(range);
            CODE.get().extend(code.map(|(low, high)| (low, high, has_unit)));
            0
        }
    }
    if CODE.get().is_empty() {
        // SAFETY: plain use of dl_iterate_phdr.
        unsafe { libc::dl_iterate_phdr(Some(visit), core::ptr::null_mut()) };
        CODE.get().sort_unstable();
    }
    let code = &*CODE.get();
    let place = code.partition_point(|part| part.0 <= addr);
    let Some((low, high, has_unit)) = code[..place].last() else { return false };
    let inside = addr < *high;
    if inside && *has_unit {
        *INSTRUMENTED.get() = (*low, *high);
    }
    inside && !has_unit
}

/// Whether an address is in libstdc++.
pub fn is_libstdcxx(addr: u64) -> bool {
    let file = image_of(addr).map(|(name, _)| name).unwrap_or_default();
    file.rsplit('/').next().is_some_and(|name| name.starts_with("libstdc++.so"))
}

/// What a call site calls by name.
pub fn callee(site: SiteRef) -> Option<&'static str> {
    let (_, unit) = find(site.0)?;
    unit.callees.get((site.0 - unit.start) as usize)?.as_deref()
}

/// Whether a site is a call by pointer. (Assembly has a name of its own.)
pub fn calls_by_pointer(site: SiteRef) -> bool {
    let unnamed = |unit: &Loaded| Some(unit.callees.get((site.0 - unit.start) as usize)?.is_none());
    find(site.0).and_then(|(_, unit)| unnamed(unit)).unwrap_or(false)
}

/// Whether a site is a call whose result nobody looks at.
pub fn ignores_result(site: SiteRef) -> bool {
    let ignored = |unit: &Loaded| unit.ignored.get((site.0 - unit.start) as usize).copied();
    find(site.0).and_then(|(_, unit)| ignored(unit)).unwrap_or(false)
}

/// The name of the function that a call site calls, where it does so by name.
pub fn callees() -> impl Iterator<Item = (SiteRef, &'static str)> {
    UNITS.get().iter().flat_map(|unit| {
        let named = |(index, name): (usize, &'static Option<String>)| {
            Some((SiteRef(unit.start + index as u64), name.as_deref()?))
        };
        unit.callees.iter().enumerate().filter_map(named)
    })
}
