//! What LLVM's `atomicrmw` does, by the numbers that the pass gives its operations (see
//! "What the pass emits" in `docs/architecture.md`).

/// What an operation on so many bytes stores in the place of `old`.
pub fn apply(operation: u32, size: u32, old: u128, operand: u128) -> u128 {
    let bits = size * 8;
    let signed = |v: u128| (v << (128 - bits)) as i128 >> (128 - bits);
    let pick = |first: bool| if first { old } else { operand };
    let mask = if bits == 128 { u128::MAX } else { (1 << bits) - 1 };
    let float = |f: fn(f64, f64) -> f64| match bits {
        32 => {
            let (a, b) = (f32::from_bits(old as u32), f32::from_bits(operand as u32));
            u128::from((f(f64::from(a), f64::from(b)) as f32).to_bits())
        }
        _ => u128::from(f(f64::from_bits(old as u64), f64::from_bits(operand as u64)).to_bits()),
    };
    let new = match operation {
        0 => operand,
        1 => old.wrapping_add(operand),
        2 => old.wrapping_sub(operand),
        3 => old & operand,
        4 => !(old & operand),
        5 => old | operand,
        6 => old ^ operand,
        7 => pick(signed(old) > signed(operand)),
        8 => pick(signed(old) <= signed(operand)),
        9 => pick(old > operand),
        10 => pick(old <= operand),
        11 => float(|a, b| a + b),
        12 => float(|a, b| a - b),
        13 => float(f64::max),
        14 => float(f64::min),
        15 => {
            if old >= operand {
                0
            } else {
                old + 1
            }
        }
        16 => {
            if old == 0 || old > operand {
                operand
            } else {
                old - 1
            }
        }
        17 => {
            if old >= operand {
                old - operand
            } else {
                old
            }
        }
        18 => old.saturating_sub(operand),
        other => panic!("unknown atomic operation {other}"),
    };
    new & mask
}

#[cfg(test)]
mod tests {
    use super::apply;

    #[test]
    fn operations_are_of_the_size_that_they_have() {
        assert_eq!(apply(1, 1, 255, 1), 0);
        assert_eq!(apply(3, 4, 0b110, 0b011), 0b010);
        assert_eq!(apply(4, 1, 0xff, 0x0f), 0xf0);
        assert_eq!(apply(5, 2, 0x100, 1), 0x101);
        assert_eq!(apply(7, 1, 0x80, 1), 1, "the first is negative");
        assert_eq!(apply(8, 1, 0x80, 1), 0x80);
        assert_eq!(apply(9, 1, 0x80, 1), 0x80);
        assert_eq!(apply(10, 8, 7, 9), 7);
        assert_eq!(apply(15, 4, 3, 3), 0);
        assert_eq!(apply(16, 4, 0, 3), 3);
        assert_eq!(apply(17, 4, 2, 3), 2);
        assert_eq!(apply(18, 4, 2, 3), 0);
    }
}
