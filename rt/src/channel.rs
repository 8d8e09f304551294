//! The socket to the driver.

use crate::{cell::Global, kernel::descriptors, record::record, sys};
use alloc::{string::String, vec, vec::Vec};
use leno_model::wire::{Fault, Job, Message};

static FD: Global<i32> = Global::new(-1);

/// Set in the child process of an execution. What it has to say it leaves to the host:
/// the program may have closed the socket, or put another file in its place.
static IN_CHILD: Global<bool> = Global::new(false);

pub fn leave_to_the_host() {
    *IN_CHILD.get() = true;
}

/// Sends what a child has left.
pub fn pass_on(frames: &[u8]) {
    if !sys::write_all(*FD.get(), frames) {
        sys::exit_group(70);
    }
}

/// Takes over the descriptor that the driver left open.
pub fn open(fd: i32) {
    *FD.get() = descriptors::reserve(fd);
}

/// Reads the job; none if the driver has gone.
pub fn receive_job() -> Option<Job> {
    let mut len = [0; 4];
    if !sys::read_all(*FD.get(), &mut len) {
        return None;
    }
    let mut bytes = vec![0; u32::from_le_bytes(len) as usize];
    if !sys::read_all(*FD.get(), &mut bytes) {
        return None;
    }
    postcard::from_bytes(&bytes).ok()
}

/// Sends a message. A driver that has gone wants no check: the process ends.
pub fn send(message: &Message) {
    let payload = postcard::to_allocvec(message).expect("a message can always be encoded");
    let mut frame = Vec::with_capacity(payload.len() + 4);
    frame.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    frame.extend_from_slice(&payload);
    if *IN_CHILD.get() {
        record().outbox.extend(&frame);
    } else {
        pass_on(&frame);
    }
}

/// Reports a fault of the runtime itself, if there is anybody to report it to.
pub fn internal_fault(what: String) {
    if *FD.get() >= 0 {
        send(&Message::Fault(Fault::Internal { what }));
    } else {
        sys::write_all(2, b"leno: internal fault: ");
        sys::write_all(2, what.as_bytes());
        sys::write_all(2, b"\n");
    }
}
