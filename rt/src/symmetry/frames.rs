//! The frames of a thread that stands at its next event: what code each has before it, and
//! which of its variables that code needs.
//!
//! A frame stands before an instruction, in its hook, or behind a call that is in
//! progress. What is on the stack between two frames with records must be known too: a
//! library function that calls back holds variables that nobody sees. There is none
//! if the call is one by name and the next frame is of that function; or, where the call
//! is by pointer, if that function does not return into a library.

use super::{difference, incomparable};
use crate::{
    cell::Global,
    execution::{self, Thread, director, running},
    fiber::{self, FrameRecord},
    local_state, units,
};
use alloc::{format, vec::Vec};
use leno_model::{
    Op, SiteRef, ThreadId,
    site::{Function, Residual, SiteKind, Slot, UnitTable},
    symmetry::{Difference, DifferenceKind},
};

pub struct Frame {
    pub record: u64,
    unit: u32,
    pub function: &'static Function,
    /// The function that it is in the middle of calling.
    calls: Option<&'static str>,
    /// What the frame may still do: from before a call and from behind it, if its callee
    /// runs that needs the arguments.
    at: Vec<&'static Residual>,
}

pub struct Stack {
    pub thread: ThreadId,
    /// The outermost first.
    pub frames: Vec<Frame>,
    /// Parts of the stack of which nobody knows what is in them.
    pub gaps: Vec<(usize, usize)>,
}

/// Whose stack it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// That of a thread which is to be compared: all of it must be understood.
    Compared,
    /// That of another one: what is not understood is a gap.
    Other,
}

/// Functions of libstdc++ that hold nothing but their arguments when they call what waits.
const TRANSPARENT: [&str; 5] = [
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
    "_ZNSt6thread4joinEv",
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
    "_ZNSt18condition_variable10notify_oneEv",
    "_ZNSt18condition_variable10notify_allEv",
];

/// Where a function is, by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    Runtime,
    Libstdcxx,
    Elsewhere,
}

/// Where functions are that have been asked for.
static HOMES: Global<Vec<(&'static str, Home)>> = Global::new(Vec::new());

fn home(callee: &'static str) -> Home {
    if let Some((_, home)) = HOMES.get().iter().find(|(name, _)| *name == callee) {
        return *home;
    }
    let name = format!("{callee}\0");
    // SAFETY: a string that ends with a zero.
    let function = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr().cast()) } as u64;
    let ours = units::range_of(home as *const () as u64);
    let is_ours = ours.is_some_and(|(low, high)| (low..high).contains(&function));
    let home = if is_ours {
        Home::Runtime
    } else if units::is_libstdcxx(function) {
        Home::Libstdcxx
    } else {
        Home::Elsewhere
    };
    HOMES.get().push((callee, home));
    home
}

/// Whether what a function has yet to do is decided by its arguments and by the event that
/// it stands at. So it is with the runtime's own.
fn is_transparent(callee: &'static str, op: &Op) -> bool {
    let deletes = callee.starts_with("_ZdlPv") || callee.starts_with("_ZdaPv");
    let (known, frees) = match home(callee) {
        Home::Runtime => (true, callee == "free"),
        Home::Libstdcxx => (TRANSPARENT.contains(&callee), deletes),
        Home::Elsewhere => return false,
    };
    let simple = matches!(
        op,
        Op::Lock { .. }
            | Op::TryLock { .. }
            | Op::Unlock { .. }
            | Op::MutexInit { .. }
            | Op::MutexDestroy { .. }
            | Op::CondInit { .. }
            | Op::CondDestroy { .. }
            | Op::Wait { .. }
            | Op::Rewait { .. }
            | Op::Signal { .. }
            | Op::Broadcast { .. }
            | Op::RwInit { .. }
            | Op::RwDestroy { .. }
            | Op::ReadLock { .. }
            | Op::WriteLock { .. }
            | Op::TryReadLock { .. }
            | Op::TryWriteLock { .. }
            | Op::RwUnlock { .. }
            | Op::SemInit { .. }
            | Op::SemDestroy { .. }
            | Op::SemWait { .. }
            | Op::SemTryWait { .. }
            | Op::SemPost { .. }
            | Op::SemValue { .. }
            | Op::BarrierInit { .. }
            | Op::BarrierDestroy { .. }
            | Op::BarrierArrive { .. }
            | Op::BarrierLeave { .. }
            | Op::FutexWait { .. }
            | Op::FutexDiffers { .. }
            | Op::FutexResume { .. }
            | Op::Choose { .. }
            | Op::Hidden { .. }
            | Op::Join { .. }
            | Op::Create { .. }
            | Op::Await
    );
    simple && known || frees && *op == Op::Access
}

/// Where a function in progress returns to. One whose record does not say is never called
/// by pointer.
fn callee_returns_to(record: u64) -> u64 {
    // SAFETY: a frame record of a thread that stands still.
    let record = unsafe { &*(record as *const FrameRecord) };
    local_state::returns_to(record).map_or(0, |returns| returns.address())
}

/// What a frame record is of.
fn function_of(record: &FrameRecord) -> Option<(u32, u32, &'static UnitTable)> {
    let (unit, place, table) = units::table_of(record.function)?;
    (place < table.functions.len()).then_some((unit, place as u32, table))
}

impl Stack {
    /// Of a thread that does not run, or has just arrived.
    pub fn of(thread: ThreadId, state: &Thread, whose: Whose) -> Result<Self, Difference> {
        let (site, op) = director()
            .and_then(|director| director.standing(thread))
            .ok_or_else(|| incomparable(format!("{} stands at no event", name(thread))))?;
        let (mut frames, mut gaps) = (Vec::new(), Vec::new());
        let mut inner: Option<(u64, u32, &'static Function)> = None;
        let mut at = execution::frames_of(thread);
        let (low, high) = fiber::stack_range(thread);
        // SAFETY: the chain of frame records of a thread that stands still.
        while let Some(record) = unsafe { at.as_ref() } {
            let address = at as u64;
            let unknown = || incomparable(format!("a frame of {} is unknown", name(thread)));
            if !(low as u64..high as u64).contains(&address) {
                return Err(unknown());
            }
            let (unit, place, table) = function_of(record).ok_or_else(unknown)?;
            let function = &table.functions[place as usize];
            let mut frame = Frame { record: address, unit, function, calls: None, at: Vec::new() };
            let known = match inner {
                None => frame.stand_at(thread, state, (site, &op), record, place),
                Some(inner) => frame.stand_behind(thread, record, inner),
            };
            let below = match inner {
                None => running().map_or(low, |x| x.stack_of(thread)),
                Some((inner, _, function)) => (inner + function.frame.size) as usize,
            };
            match known {
                Ok(()) if whose == Whose::Compared && function.frame.dynamic => {
                    let what = format!("{} has an array of variable length", function.name);
                    return Err(incomparable(what));
                }
                Ok(()) if function.frame.dynamic => gaps.push((below, address as usize)),
                Ok(()) => {}
                Err(difference) if whose == Whose::Compared => return Err(difference),
                Err(_) => gaps.push((below, address as usize)),
            }
            frames.push(frame);
            inner = Some((address, place, function));
            at = record.caller;
        }
        frames.reverse();
        if frames.is_empty() && op != Op::End && whose == Whose::Other {
            gaps.push((running().map_or(low, |x| x.stack_of(thread)), high));
        } else if frames.is_empty() && op != Op::End {
            let what = format!("no instrumented code of {} is in progress", name(thread));
            return Err(incomparable(what));
        }
        Ok(Self { thread, frames, gaps })
    }

    /// The variable that an address leads into, its end included: which frame's, counted
    /// from the outermost, and what is known about it.
    pub fn slot_at(&self, addr: u64) -> Option<(usize, &Frame, &'static Slot)> {
        self.frames.iter().enumerate().find_map(|(depth, frame)| {
            let offset = addr.checked_sub(frame.record)?;
            if offset > frame.function.frame.size {
                return None;
            }
            let slots = &frame.function.frame.slots;
            let around = |slot: &&Slot| (slot.offset..slot.offset + slot.size).contains(&offset);
            let behind = |slot: &&Slot| slot.offset + slot.size == offset;
            let slot = slots.iter().find(around).or_else(|| slots.iter().find(behind))?;
            Some((depth, frame, slot))
        })
    }
}

impl Frame {
    /// The innermost frame.
    fn stand_at(
        &mut self,
        thread: ThreadId,
        state: &Thread,
        (site, op): (SiteRef, &Op),
        record: &FrameRecord,
        function: u32,
    ) -> Result<(), Difference> {
        let unseen =
            || incomparable(format!("{} is in a function that is not instrumented", name(thread)));
        let (unit, place, table) = units::table_of(site.0).ok_or_else(unseen)?;
        let site_of = table.sites.get(place).filter(|_| unit == self.unit).ok_or_else(unseen)?;
        if site_of.function != function {
            return Err(unseen());
        }
        let is_call = matches!(site_of.kind, SiteKind::Call(_));
        if !is_call || state.is_announcing() || site.0 != record.site {
            self.at.extend(site_of.before.as_ref());
        } else {
            let callee = units::callee(site).ok_or_else(|| {
                incomparable(format!("{} waits in a function called by pointer", name(thread)))
            })?;
            if !is_transparent(callee, op) {
                let what = format!("{} is in the middle of {callee}", name(thread));
                return Err(incomparable(what));
            }
            self.calls = Some(callee);
            self.at.extend(site_of.behind.as_ref());
            if self.at.len() == 1 {
                self.at.extend(site_of.before.as_ref());
            }
        }
        self.require_code()
    }

    /// A frame whose call of the next one is in progress.
    fn stand_behind(
        &mut self,
        thread: ThreadId,
        record: &FrameRecord,
        (inner, _, callee): (u64, u32, &'static Function),
    ) -> Result<(), Difference> {
        let unseen = |what: &str| {
            let (name, function) = (name(thread), &self.function.name);
            incomparable(format!("{name}: {function} calls {} {what}", callee.name))
        };
        let site = SiteRef(record.site);
        let (unit, place, table) =
            units::table_of(site.0).ok_or_else(|| unseen("from somewhere"))?;
        let site_of = table.sites.get(place).filter(|_| unit == self.unit);
        let site_of = site_of.ok_or_else(|| unseen("from somewhere"))?;
        match &site_of.kind {
            SiteKind::Call(Some(name)) if *name == callee.symbol => {}
            SiteKind::Call(None) if units::is_foreign_code(callee_returns_to(inner)) => {
                return Err(unseen("by way of a function that is not instrumented"));
            }
            SiteKind::Call(None) => {}
            SiteKind::Call(Some(name)) => return Err(unseen(&format!("by way of {name}"))),
            _ => return Err(unseen("from somewhere")),
        }
        self.at.extend(site_of.behind.as_ref());
        self.require_code()
    }

    /// What the code before the frame needs; everything, if nobody knows.
    pub fn needed(&self) -> Vec<&'static Slot> {
        let slots = &self.function.frame.slots;
        if self.at.is_empty() {
            return slots.iter().collect();
        }
        let live = self.at.iter().flat_map(|residual| &residual.live);
        live.filter_map(|slot| slots.get(*slot as usize)).collect()
    }

    fn require_code(&self) -> Result<(), Difference> {
        if self.at.is_empty() {
            let what = format!("what {} still does is not known", self.function.name);
            return Err(incomparable(what));
        }
        Ok(())
    }

    /// The variables that the code before two frames needs, if it is the same code.
    pub fn needs(&self, other: &Frame) -> Result<Vec<&'static Slot>, Difference> {
        let (one, two) = (self.function, other.function);
        let unlike = |what: &str| {
            let text = format!("{what}: {} and {}", one.name, two.name);
            difference(DifferenceKind::Code, text)
        };
        if self.calls != other.calls || self.at.len() != other.at.len() {
            return Err(unlike("they stand at different places"));
        }
        let layout = |function: &'static Function| {
            function.frame.slots.iter().map(|slot| (slot.offset, slot.size, &slot.padding))
        };
        if !layout(one).eq(layout(two)) {
            return Err(unlike("the functions have different variables"));
        }
        let mut needed = Vec::new();
        for (a, b) in self.at.iter().zip(&other.at) {
            let foreign = (a.local || b.local) && self.unit != other.unit;
            if a.digest != b.digest || foreign {
                return Err(unlike("what they still do is not the same"));
            }
            if a.live != b.live {
                return Err(unlike("what they still need is not the same"));
            }
            needed.extend(a.live.iter().filter_map(|slot| one.frame.slots.get(*slot as usize)));
        }
        Ok(needed)
    }
}

pub fn name(thread: ThreadId) -> alloc::string::String {
    super::name(thread)
}
