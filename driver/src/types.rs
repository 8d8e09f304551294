//! Source names and values of parts of objects, by their types.

use leno_model::site::{Type, UnitTable};

/// Follows a type to the part at `offset` that is `len` bytes long: `[3].next`, and
/// the part's type where the walk ended at one of that size.
pub fn part(table: &UnitTable, ty: u32, offset: u64, len: u64) -> (String, Option<u32>) {
    let mut path = String::new();
    let (mut at, mut offset) = (ty, offset);
    // Types may be recursive through pointers only, but a damaged table may say
    // otherwise: the depth is bounded by the number of types.
    for _ in 0..=table.types.len() {
        let Some(now) = table.types.get(at as usize) else { break };
        if offset == 0 && size(table, at) == len && !is_wrapper(table, now, len) {
            return (path, Some(at));
        }
        match now {
            Type::Array { element, .. } => {
                let each = size(table, *element);
                if each == 0 || offset % each + len > each {
                    break;
                }
                path.push_str(&format!("[{}]", offset / each));
                offset %= each;
                at = *element;
            }
            Type::Record { fields, .. } => {
                let holds =
                    |from: u64, ty| from <= offset && offset + len <= from + size(table, ty);
                let Some(field) = fields.iter().find(|field| holds(field.offset, field.ty)) else {
                    break;
                };
                if is_reserved(&field.name) {
                    break;
                }
                // An anonymous struct or union inside has no name to add.
                if !field.name.is_empty() {
                    path.push_str(&format!(".{}", field.name));
                }
                offset -= field.offset;
                at = field.ty;
            }
            _ => break,
        }
    }
    if offset != 0 {
        path.push_str(&format!(" + {offset}"));
    }
    (path, None)
}

/// The insides of the library's types (`pthread_mutex_t`) are not the user's words.
fn is_reserved(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next() == Some('_') && letters.next().is_some_and(|c| c == '_' || c.is_uppercase())
}

/// A struct around, or an array of, one thing that is just as long: the thing inside
/// has the better name.
fn is_wrapper(table: &UnitTable, ty: &Type, len: u64) -> bool {
    let scalar = |ty: u32| {
        !matches!(
            table.types.get(ty as usize),
            None | Some(Type::Record { .. } | Type::Array { .. } | Type::Opaque { .. })
        )
    };
    match ty {
        Type::Array { element, count: 1, .. } => scalar(*element),
        Type::Record { fields, .. } => {
            fields.len() == 1
                && size(table, fields[0].ty) == len
                && scalar(fields[0].ty)
                && !is_reserved(&fields[0].name)
        }
        _ => false,
    }
}

pub fn size(table: &UnitTable, ty: u32) -> u64 {
    match table.types.get(ty as usize) {
        None => 0,
        Some(Type::Pointer { .. }) => 8,
        Some(
            Type::Signed { size, .. }
            | Type::Unsigned { size, .. }
            | Type::Float { size, .. }
            | Type::Bool { size }
            | Type::Char { size }
            | Type::Enum { size, .. }
            | Type::Array { size, .. }
            | Type::Record { size, .. }
            | Type::Opaque { size, .. },
        ) => *size,
    }
}

/// Bytes as a person would write their value. Without a type they are a number.
pub fn value(ty: Option<(&UnitTable, u32)>, bytes: &[u8]) -> String {
    let Some(unsigned) = unsigned(bytes) else {
        return hex(bytes);
    };
    let unused = 64 - 8 * bytes.len() as u32;
    let signed = ((unsigned << unused) as i64) >> unused;
    match ty.and_then(|(table, ty)| table.types.get(ty as usize)) {
        Some(Type::Unsigned { .. }) => unsigned.to_string(),
        Some(Type::Bool { .. }) if unsigned < 2 => (unsigned == 1).to_string(),
        Some(Type::Char { .. }) if (32..127).contains(&unsigned) => {
            format!("{:?}", unsigned as u8 as char)
        }
        Some(Type::Float { size: 4, .. }) if bytes.len() == 4 => {
            f32::from_bits(unsigned as u32).to_string()
        }
        Some(Type::Float { size: 8, .. }) if bytes.len() == 8 => {
            f64::from_bits(unsigned).to_string()
        }
        Some(Type::Pointer { .. }) if unsigned == 0 => "NULL".to_string(),
        Some(Type::Pointer { .. }) => format!("{unsigned:#x}"),
        Some(Type::Enum { values, .. }) => {
            let named = values.iter().find(|(_, value)| *value == signed);
            named.map_or_else(|| signed.to_string(), |(name, _)| name.clone())
        }
        _ => signed.to_string(),
    }
}

fn unsigned(bytes: &[u8]) -> Option<u64> {
    let mut word = [0; 8];
    word.get_mut(..bytes.len())?.copy_from_slice(bytes);
    (!bytes.is_empty()).then(|| u64::from_le_bytes(word))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use leno_model::site::Field;

    fn table() -> UnitTable {
        let int = Type::Signed { name: "int".into(), size: 4 };
        let field = |name: &str, offset, ty| Field { name: name.into(), offset, ty };
        let node = Type::Record {
            name: "node".into(),
            size: 16,
            fields: vec![field("value", 0, 0), field("next", 8, 3)],
        };
        UnitTable {
            types: vec![
                int,
                node,
                Type::Array { element: 1, count: 4, size: 64 },
                Type::Pointer { to: Some(1) },
                Type::Enum { name: "state".into(), size: 4, values: vec![("IDLE".into(), -1)] },
                Type::Bool { size: 1 },
                Type::Record { name: "flag".into(), size: 4, fields: vec![field("set", 0, 0)] },
            ],
            ..UnitTable::default()
        }
    }

    #[test]
    fn a_part_is_called_as_in_the_source() {
        let table = table();
        assert_eq!(part(&table, 2, 3 * 16 + 8, 8), ("[3].next".into(), Some(3)));
        assert_eq!(part(&table, 0, 0, 4), (String::new(), Some(0)));
        assert_eq!(part(&table, 2, 16, 16), ("[1]".into(), Some(1)));
        assert_eq!(part(&table, 6, 0, 4), (".set".into(), Some(0)));
        assert_eq!(part(&table, 0, 1, 1), (" + 1".into(), None));
        assert_eq!(part(&table, 1, 5, 2), (" + 5".into(), None));
    }

    #[test]
    fn values_look_as_their_type_does() {
        let table = table();
        let show = |ty, bytes: &[u8]| value(Some((&table, ty)), bytes);
        assert_eq!(show(0, &(-3i32).to_le_bytes()), "-3");
        assert_eq!(show(3, &[0; 8]), "NULL");
        assert_eq!(show(4, &(-1i32).to_le_bytes()), "IDLE");
        assert_eq!(show(5, &[1]), "true");
        assert_eq!(value(None, &[1; 9]), "01 01 01 01 01 01 01 01 01");
    }
}
