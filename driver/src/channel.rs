//! Frames on the socket to the runtime: four bytes of length and then one value in
//! postcard's encoding. What the values mean is said in `model/src/wire.rs`.

use serde::{Serialize, de::DeserializeOwned};
use std::io::{self, Read, Write};

pub fn write_frame(to: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let payload = postcard::to_allocvec(value).map_err(io::Error::other)?;
    let len = u32::try_from(payload.len()).map_err(io::Error::other)?;
    to.write_all(&[&len.to_le_bytes()[..], &payload].concat())
}

/// The next value; none where the stream ends between two frames.
pub fn read_frame<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut len = [0; 4];
    match from.read_exact(&mut len) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let mut payload = vec![0; u32::from_le_bytes(len) as usize];
    from.read_exact(&mut payload)?;
    postcard::from_bytes(&payload).map(Some).map_err(io::Error::other)
}
