//! LLVM, as far as the pass needs it.
//!
//! inkwell owns the context and the module, reads, verifies and writes them. What
//! stands between, single instructions and debug info, the pass does on LLVM's C
//! interface, because inkwell 0.11 has no words for half of it (orderings of a
//! compare-exchange, debug records, call sites of `invoke`, the inside of a debug
//! node). This file is the only one that touches that interface.
//!
//! All the small types here are plain copies of LLVM's pointers. What makes the
//! `unsafe` blocks right is the same everywhere: a handle comes from the one module
//! that [`crate::instrument`] holds until it returns, or from its context; an
//! instruction is erased only by the code that has just replaced it and that does
//! not use its handle again; and every function is called on the kind of value its
//! name speaks of, which LLVM's own release build would not check.

use inkwell::llvm_sys::{self, core::*, debuginfo::*, prelude::*, target::*};
use std::ffi::{CStr, CString, c_char};

pub use llvm_sys::{LLVMAtomicOrdering as Ordering, LLVMOpcode as Opcode, LLVMTypeKind as Kind};
pub use llvm_sys::{LLVMAtomicRMWBinOp as RmwOp, debuginfo::LLVMMetadataKind as NodeKind};

/// More gaps in a variable than this are not worth being noted.
const MOST_PADDING: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Value(LLVMValueRef);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type(LLVMTypeRef);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Block(LLVMBasicBlockRef);

/// A metadata node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Node(LLVMMetadataRef);

fn wrap<T, H>(pointer: *mut T, handle: impl Fn(*mut T) -> H) -> Option<H> {
    (!pointer.is_null()).then(|| handle(pointer))
}

/// The bytes that LLVM keeps at `start`, copied.
///
/// # Safety
/// `start` is null or points to `len` bytes.
unsafe fn text(start: *const c_char, len: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// A text that LLVM has made for us, which is then disposed of.
///
/// # Safety
/// `message` ends with a zero and is not used again.
unsafe fn message(message: *mut c_char) -> String {
    // SAFETY: as the caller promises.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

/// The number behind an attribute's name, for the functions that take one.
fn attribute_kind(name: &str) -> u32 {
    // SAFETY: the name is a slice with its length.
    let kind = unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) };
    debug_assert!(kind != 0, "LLVM knows no attribute {name}");
    kind
}

impl Value {
    pub fn name(self) -> String {
        let mut len = 0;
        // SAFETY: see the head of this file.
        unsafe {
            let start = LLVMGetValueName2(self.0, &mut len);
            text(start, len)
        }
    }

    pub fn ty(self) -> Type {
        // SAFETY: see the head of this file.
        Type(unsafe { LLVMTypeOf(self.0) })
    }

    pub fn operand(self, index: u32) -> Value {
        // SAFETY: see the head of this file.
        Value(unsafe { LLVMGetOperand(self.0, index) })
    }

    pub fn operands(self) -> impl Iterator<Item = Value> {
        // SAFETY: see the head of this file.
        let count = unsafe { LLVMGetNumOperands(self.0) }.max(0) as u32;
        (0..count).filter_map(move |index| wrap(unsafe { LLVMGetOperand(self.0, index) }, Value))
    }

    pub fn users(self) -> impl Iterator<Item = Value> {
        // SAFETY: see the head of this file.
        let first = unsafe { LLVMGetFirstUse(self.0) };
        std::iter::successors((!first.is_null()).then_some(first), |at| {
            let next = unsafe { LLVMGetNextUse(*at) };
            (!next.is_null()).then_some(next)
        })
        .map(|at| Value(unsafe { LLVMGetUser(at) }))
    }

    pub fn replace_with(self, new: Value) {
        // SAFETY: see the head of this file.
        unsafe { LLVMReplaceAllUsesWith(self.0, new.0) }
    }

    pub fn is_function(self) -> bool {
        // SAFETY: see the head of this file.
        !unsafe { LLVMIsAFunction(self.0) }.is_null()
    }

    pub fn is_global_variable(self) -> bool {
        // SAFETY: see the head of this file.
        !unsafe { LLVMIsAGlobalVariable(self.0) }.is_null()
    }

    pub fn is_global(self) -> bool {
        // SAFETY: see the head of this file.
        !unsafe { LLVMIsAGlobalValue(self.0) }.is_null()
    }

    pub fn is_inline_asm(self) -> bool {
        // SAFETY: see the head of this file.
        !unsafe { LLVMIsAInlineAsm(self.0) }.is_null()
    }

    /// Of inline assembly: in the syntax that compilers have on Unix.
    pub fn is_att_asm(self) -> bool {
        use llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectATT;
        // SAFETY: asked of inline assembly only.
        unsafe { LLVMGetInlineAsmDialect(self.0) == LLVMInlineAsmDialectATT }
    }

    pub fn is_constant(self) -> bool {
        // SAFETY: see the head of this file.
        unsafe { LLVMIsConstant(self.0) != 0 }
    }

    pub fn is_instruction(self) -> bool {
        // SAFETY: see the head of this file.
        !unsafe { LLVMIsAInstruction(self.0) }.is_null()
    }

    /// The value of an integer constant.
    pub fn constant_int(self) -> Option<u64> {
        // SAFETY: see the head of this file; the width is checked because LLVM
        // gives the value of integers up to 64 bits only.
        unsafe {
            (!LLVMIsAConstantInt(self.0).is_null() && LLVMGetIntTypeWidth(LLVMTypeOf(self.0)) <= 64)
                .then(|| LLVMConstIntGetZExtValue(self.0))
        }
    }

    /// What one would read in LLVM's assembly. Of constants: their type and value.
    pub fn print(self) -> String {
        // SAFETY: the message is LLVM's until it is disposed of.
        unsafe { message(LLVMPrintValueToString(self.0)) }
    }

    /// The opcode of a constant expression.
    pub fn constant_opcode(self) -> Option<Opcode> {
        // SAFETY: see the head of this file.
        unsafe { (!LLVMIsAConstantExpr(self.0).is_null()).then(|| LLVMGetConstOpcode(self.0)) }
    }

    /// The address of a label, as `goto *` needs it.
    pub fn is_block_address(self) -> bool {
        // SAFETY: see the head of this file.
        !unsafe { LLVMIsABlockAddress(self.0) }.is_null()
    }

    /// If this is a `getelementptr`, as an instruction or as a constant: its base.
    pub fn gep_base(self) -> Option<Value> {
        // SAFETY: see the head of this file.
        let is_gep = unsafe {
            !LLVMIsAGetElementPtrInst(self.0).is_null()
                || (!LLVMIsAConstantExpr(self.0).is_null()
                    && LLVMGetConstOpcode(self.0) == Opcode::LLVMGetElementPtr)
        };
        is_gep.then(|| self.operand(0))
    }
}

/// Globals: functions and variables.
impl Value {
    pub fn is_declaration(self) -> bool {
        // SAFETY: see the head of this file.
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    pub fn is_constant_global(self) -> bool {
        // SAFETY: see the head of this file; asked of variables only.
        self.is_global_variable() && unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }

    pub fn is_thread_local(self) -> bool {
        // SAFETY: see the head of this file.
        unsafe { LLVMIsThreadLocal(self.0) != 0 }
    }

    pub fn value_type(self) -> Type {
        // SAFETY: see the head of this file.
        Type(unsafe { LLVMGlobalGetValueType(self.0) })
    }

    /// A copy of a body that another file has, which the optimiser may use.
    pub fn is_only_for_inlining(self) -> bool {
        use llvm_sys::LLVMLinkage::LLVMAvailableExternallyLinkage;
        // SAFETY: see the head of this file.
        unsafe { LLVMGetLinkage(self.0) == LLVMAvailableExternallyLinkage }
    }

    /// Of this unit alone: another one may have something else of this name.
    pub fn is_local(self) -> bool {
        use llvm_sys::LLVMLinkage::{LLVMInternalLinkage, LLVMPrivateLinkage};
        // SAFETY: see the head of this file.
        matches!(unsafe { LLVMGetLinkage(self.0) }, LLVMInternalLinkage | LLVMPrivateLinkage)
    }

    /// A definition that no other one can take the place of when the program is linked
    /// by the ordinary rules.
    pub fn is_strong(self) -> bool {
        use llvm_sys::LLVMLinkage::LLVMExternalLinkage;
        // SAFETY: see the head of this file.
        let external = unsafe { LLVMGetLinkage(self.0) == LLVMExternalLinkage };
        !self.is_declaration() && (self.is_local() || external)
    }

    /// A constant of which only the content counts, not the address.
    pub fn is_nameless_constant(self) -> bool {
        // SAFETY: see the head of this file.
        self.is_constant_global()
            && self.is_private()
            && unsafe { LLVMGetUnnamedAddress(self.0) }
                == llvm_sys::LLVMUnnamedAddr::LLVMGlobalUnnamedAddr
    }

    pub fn initializer(self) -> Option<Value> {
        // SAFETY: asked of variables only.
        wrap(unsafe { LLVMGetInitializer(self.0) }, Value)
    }

    /// Without a symbol in the object file.
    pub fn is_private(self) -> bool {
        // SAFETY: see the head of this file.
        unsafe { LLVMGetLinkage(self.0) == llvm_sys::LLVMLinkage::LLVMPrivateLinkage }
    }

    pub fn subprogram(self) -> Option<Node> {
        // SAFETY: see the head of this file.
        wrap(unsafe { LLVMGetSubprogram(self.0) }, Node)
    }

    /// The debug nodes attached to a global variable.
    pub fn global_debug_nodes(self) -> Vec<Node> {
        let mut count = 0;
        // SAFETY: LLVM gives `count` entries, which live until they are disposed of.
        unsafe {
            let entries = LLVMGlobalCopyAllMetadata(self.0, &mut count);
            let nodes = (0..count as u32)
                .map(|at| Node(LLVMValueMetadataEntriesGetMetadata(entries, at)))
                .filter(|node| {
                    matches!(node.kind(), NodeKind::LLVMDIGlobalVariableExpressionMetadataKind)
                })
                .collect();
            LLVMDisposeValueMetadataEntries(entries);
            nodes
        }
    }

    pub fn intrinsic(self) -> bool {
        // SAFETY: see the head of this file; asked of functions only.
        self.is_function() && unsafe { LLVMGetIntrinsicID(self.0) != 0 }
    }

    pub fn blocks(self) -> Vec<Block> {
        // SAFETY: see the head of this file.
        let first = unsafe { LLVMGetFirstBasicBlock(self.0) };
        std::iter::successors(wrap(first, Block), |at| {
            wrap(unsafe { LLVMGetNextBasicBlock(at.0) }, Block)
        })
        .collect()
    }

    pub fn params(self) -> Vec<Value> {
        // SAFETY: see the head of this file.
        (0..unsafe { LLVMCountParams(self.0) })
            .map(|index| Value(unsafe { LLVMGetParam(self.0, index) }))
            .collect()
    }

    pub fn has_attribute(self, name: &str) -> bool {
        // SAFETY: see the head of this file; asked of functions only.
        let attribute = unsafe {
            LLVMGetEnumAttributeAtIndex(
                self.0,
                llvm_sys::LLVMAttributeFunctionIndex,
                attribute_kind(name),
            )
        };
        !attribute.is_null()
    }

    pub fn remove_attribute(self, name: &str) {
        // SAFETY: see the head of this file; asked of functions only.
        unsafe {
            LLVMRemoveEnumAttributeAtIndex(
                self.0,
                llvm_sys::LLVMAttributeFunctionIndex,
                attribute_kind(name),
            );
        }
    }

    /// Adds an attribute that has a name only.
    pub fn add_named_attribute(self, unit: Unit, name: &str) {
        let len = name.len() as u32;
        // SAFETY: see the head of this file; asked of functions only. The name is a slice
        // with its length, the value is empty.
        unsafe {
            let (name, none) = (name.as_ptr().cast(), c"".as_ptr());
            let attribute = LLVMCreateStringAttribute(unit.context, name, len, none, 0);
            LLVMAddAttributeAtIndex(self.0, llvm_sys::LLVMAttributeFunctionIndex, attribute);
        }
    }

    /// The type of a function's `byval` parameter.
    pub fn byval_param(self, index: u32) -> Option<Type> {
        // SAFETY: see the head of this file; asked of functions only.
        unsafe {
            let kind = attribute_kind("byval");
            let attribute = LLVMGetEnumAttributeAtIndex(self.0, index + 1, kind);
            (!attribute.is_null()).then(|| Type(LLVMGetTypeAttributeValue(attribute)))
        }
    }
}

/// Instructions.
impl Value {
    pub fn opcode(self) -> Opcode {
        // SAFETY: see the head of this file.
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    pub fn block(self) -> Block {
        // SAFETY: see the head of this file.
        Block(unsafe { LLVMGetInstructionParent(self.0) })
    }

    pub fn next(self) -> Option<Value> {
        // SAFETY: see the head of this file.
        wrap(unsafe { LLVMGetNextInstruction(self.0) }, Value)
    }

    pub fn erase(self) {
        // SAFETY: the caller has replaced the instruction and forgets it.
        unsafe { LLVMInstructionEraseFromParent(self.0) }
    }

    pub fn location(self) -> Option<Node> {
        // SAFETY: see the head of this file.
        wrap(unsafe { LLVMInstructionGetDebugLoc(self.0) }, Node)
    }

    pub fn is_volatile(self) -> bool {
        // SAFETY: see the head of this file.
        unsafe { LLVMGetVolatile(self.0) != 0 }
    }

    pub fn make_volatile(self) {
        // SAFETY: see the head of this file.
        unsafe { LLVMSetVolatile(self.0, 1) }
    }

    /// Of a load, store, fence or `atomicrmw`.
    pub fn ordering(self) -> Ordering {
        // SAFETY: see the head of this file.
        unsafe { LLVMGetOrdering(self.0) }
    }

    /// Of a `cmpxchg`: on success and on failure.
    pub fn exchange_orderings(self) -> (Ordering, Ordering) {
        // SAFETY: see the head of this file.
        unsafe { (LLVMGetCmpXchgSuccessOrdering(self.0), LLVMGetCmpXchgFailureOrdering(self.0)) }
    }

    pub fn is_weak(self) -> bool {
        // SAFETY: see the head of this file.
        unsafe { LLVMGetWeak(self.0) != 0 }
    }

    /// Atomic with regard to signal handlers of its own thread only.
    pub fn is_single_thread(self) -> bool {
        // SAFETY: see the head of this file; asked of atomic instructions only.
        unsafe { LLVMIsAtomicSingleThread(self.0) != 0 }
    }

    pub fn rmw_op(self) -> RmwOp {
        // SAFETY: see the head of this file.
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }

    pub fn alignment(self) -> u64 {
        // SAFETY: see the head of this file.
        u64::from(unsafe { LLVMGetAlignment(self.0) })
    }

    pub fn allocated_type(self) -> Type {
        // SAFETY: see the head of this file.
        Type(unsafe { LLVMGetAllocatedType(self.0) })
    }

    /// Where an `invoke` goes on when it returns.
    pub fn normal_destination(self) -> Block {
        // SAFETY: see the head of this file.
        Block(unsafe { LLVMGetNormalDest(self.0) })
    }

    /// The blocks that a terminator leads to.
    pub fn successors(self) -> Vec<Block> {
        // SAFETY: asked of terminators only.
        (0..unsafe { LLVMGetNumSuccessors(self.0) })
            .map(|index| Block(unsafe { LLVMGetSuccessor(self.0, index) }))
            .collect()
    }

    /// Has a terminator that leads to a block lead to another one.
    pub fn lead(self, from: Block, to: Block) {
        for (index, next) in self.successors().into_iter().enumerate() {
            if next == from {
                // SAFETY: asked of terminators only.
                unsafe { LLVMSetSuccessor(self.0, index as u32, to.0) };
            }
        }
    }

    /// The values of a phi node with the blocks they come from.
    pub fn incoming(self) -> Vec<(Value, Block)> {
        // SAFETY: asked of phi nodes only.
        unsafe {
            (0..LLVMCountIncoming(self.0))
                .map(|at| {
                    (
                        Value(LLVMGetIncomingValue(self.0, at)),
                        Block(LLVMGetIncomingBlock(self.0, at)),
                    )
                })
                .collect()
        }
    }

    /// Puts a phi node with other values in this one's place.
    fn rebuild(self, incoming: &[(Value, Block)]) {
        let (mut values, mut blocks): (Vec<_>, Vec<_>) =
            incoming.iter().map(|(value, block)| (value.0, block.0)).unzip();
        // SAFETY: asked of phi nodes only, which nobody uses any more when they are erased.
        unsafe {
            let builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(self.ty().0));
            LLVMPositionBuilderBefore(builder, self.0);
            let phi = LLVMBuildPhi(builder, self.ty().0, NO_NAME);
            if let Some(location) = self.location() {
                LLVMInstructionSetDebugLoc(phi, location.0);
            }
            LLVMDisposeBuilder(builder);
            // It may be a value of itself.
            self.replace_with(Value(phi));
            let own = values.iter_mut().filter(|value| **value == self.0);
            own.for_each(|value| *value = phi);
            LLVMAddIncoming(phi, values.as_mut_ptr(), blocks.as_mut_ptr(), values.len() as u32);
        }
        self.erase();
    }

    /// The values that the branches of a `switch` stand for, without the default.
    pub fn cases(self) -> Vec<Value> {
        // SAFETY: asked of `switch` only; the successor 0 is the default.
        (1..unsafe { LLVMGetNumSuccessors(self.0) })
            .map(|index| Value(unsafe { LLVMGetSwitchCaseValue(self.0, index) }))
            .collect()
    }

    /// All that makes up an instruction (or a constant expression) besides its opcode,
    /// type and operands, as numbers.
    pub fn particulars(self, opcode: Opcode) -> Vec<u64> {
        use Opcode::*;
        let instruction = self.is_instruction();
        // SAFETY: each question is asked of the instructions that it is for.
        unsafe {
            let mut found = match opcode {
                LLVMICmp if instruction => {
                    vec![LLVMGetICmpPredicate(self.0) as u64, LLVMGetICmpSameSign(self.0) as u64]
                }
                LLVMFCmp if instruction => vec![LLVMGetFCmpPredicate(self.0) as u64],
                LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMTrunc if instruction => {
                    vec![LLVMGetNUW(self.0) as u64, LLVMGetNSW(self.0) as u64]
                }
                LLVMUDiv | LLVMSDiv | LLVMLShr | LLVMAShr if instruction => {
                    vec![LLVMGetExact(self.0) as u64]
                }
                LLVMZExt | LLVMUIToFP if instruction => vec![LLVMGetNNeg(self.0) as u64],
                LLVMOr if instruction => vec![LLVMGetIsDisjoint(self.0) as u64],
                LLVMGetElementPtr => vec![u64::from(LLVMGEPGetNoWrapFlags(self.0))],
                LLVMLoad | LLVMStore | LLVMFence | LLVMAtomicRMW => vec![
                    if opcode == LLVMFence { 0 } else { u64::from(self.is_volatile()) },
                    self.ordering() as u64,
                    if opcode == LLVMAtomicRMW { self.rmw_op() as u64 } else { 0 },
                    if self.is_atomic() { u64::from(LLVMGetAtomicSyncScopeID(self.0)) } else { 0 },
                ],
                LLVMAtomicCmpXchg => {
                    let (success, failure) = self.exchange_orderings();
                    vec![
                        u64::from(self.is_volatile()),
                        success as u64,
                        failure as u64,
                        u64::from(self.is_weak()),
                        u64::from(LLVMGetAtomicSyncScopeID(self.0)),
                    ]
                }
                LLVMExtractValue | LLVMInsertValue => {
                    let count = LLVMGetNumIndices(self.0) as usize;
                    let indices = std::slice::from_raw_parts(LLVMGetIndices(self.0), count);
                    indices.iter().map(|index| u64::from(*index)).collect()
                }
                LLVMShuffleVector => (0..LLVMGetNumMaskElements(self.0))
                    .map(|at| LLVMGetMaskValue(self.0, at) as u64)
                    .collect(),
                LLVMLandingPad => vec![LLVMIsCleanup(self.0) as u64],
                LLVMCall | LLVMInvoke | LLVMCallBr => {
                    vec![u64::from(LLVMGetInstructionCallConv(self.0))]
                }
                _ => Vec::new(),
            };
            if instruction && LLVMCanValueUseFastMathFlags(self.0) != 0 {
                found.push(u64::from(LLVMGetFastMathFlags(self.0)));
            }
            found
        }
    }

    /// Of an integer comparison: `eq` or `ne`.
    pub fn is_equality(self) -> bool {
        use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE};
        // SAFETY: asked of integer comparisons only.
        matches!(unsafe { LLVMGetICmpPredicate(self.0) }, LLVMIntEQ | LLVMIntNE)
    }

    fn is_atomic(self) -> bool {
        // SAFETY: asked of instructions only.
        unsafe { LLVMIsAtomic(self.0) != 0 }
    }

    /// The type that a `getelementptr` counts in.
    pub fn gep_element(self) -> Type {
        // SAFETY: asked of `getelementptr` only.
        Type(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    /// The `#dbg_declare` and `#dbg_value` records before this instruction.
    pub fn debug_variables(self) -> Vec<DebugVariable> {
        let mut found = Vec::new();
        // SAFETY: see the head of this file; labels, which have no variable, are skipped.
        unsafe {
            let mut record = LLVMGetFirstDbgRecord(self.0);
            while !record.is_null() {
                if LLVMDbgRecordGetKind(record) == llvm_sys::LLVMDbgRecordKind::LLVMDbgRecordDeclare
                {
                    let value = wrap(LLVMDbgVariableRecordGetValue(record, 0), Value);
                    let variable = wrap(LLVMDbgVariableRecordGetVariable(record), Node);
                    if let (Some(value), Some(variable)) = (value, variable) {
                        found.push(DebugVariable { value, variable });
                    }
                }
                record = LLVMGetNextDbgRecord(record);
            }
        }
        found
    }
}

/// A source variable and the memory it lies in.
pub struct DebugVariable {
    pub value: Value,
    pub variable: Node,
}

/// Calls: `call`, `invoke`, `callbr`.
impl Value {
    pub fn is_call(self) -> bool {
        matches!(self.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr)
    }

    pub fn callee(self) -> Value {
        // SAFETY: see the head of this file.
        Value(unsafe { LLVMGetCalledValue(self.0) })
    }

    pub fn arguments(self) -> Vec<Value> {
        // SAFETY: see the head of this file.
        let count = unsafe { LLVMGetNumArgOperands(self.0) };
        (0..count).map(|index| self.operand(index)).collect()
    }

    pub fn called_type(self) -> Type {
        // SAFETY: see the head of this file.
        Type(unsafe { LLVMGetCalledFunctionType(self.0) })
    }

    pub fn has_bundles(self) -> bool {
        // SAFETY: see the head of this file.
        unsafe { LLVMGetNumOperandBundles(self.0) != 0 }
    }

    /// How many of the arguments the callee's type names, if it takes others besides.
    pub fn fixed_arguments(self) -> Option<usize> {
        // SAFETY: see the head of this file.
        unsafe {
            let ty = LLVMGetCalledFunctionType(self.0);
            (LLVMIsFunctionVarArg(ty) != 0).then(|| LLVMCountParamTypes(ty) as usize)
        }
    }

    pub fn set_operand(self, index: u32, value: Value) {
        // SAFETY: see the head of this file.
        unsafe { LLVMSetOperand(self.0, index, value.0) }
    }

    pub fn set_argument(self, index: u32, value: Value) {
        // SAFETY: see the head of this file.
        unsafe { LLVMSetArgOperand(self.0, index, value.0) }
    }

    pub fn call_has_attribute(self, name: &str) -> bool {
        // SAFETY: see the head of this file.
        let attribute = unsafe {
            LLVMGetCallSiteEnumAttribute(
                self.0,
                llvm_sys::LLVMAttributeFunctionIndex,
                attribute_kind(name),
            )
        };
        !attribute.is_null() || (self.callee().is_function() && self.callee().has_attribute(name))
    }

    pub fn remove_call_attribute(self, name: &str) {
        // SAFETY: see the head of this file.
        unsafe {
            LLVMRemoveCallSiteEnumAttribute(
                self.0,
                llvm_sys::LLVMAttributeFunctionIndex,
                attribute_kind(name),
            );
        }
    }

    /// The type of an argument that is passed as a copy of what it points to.
    pub fn byval_argument(self, index: u32) -> Option<Type> {
        // SAFETY: see the head of this file.
        unsafe {
            let kind = attribute_kind("byval");
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, index + 1, kind);
            (!attribute.is_null()).then(|| Type(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// The type that an argument of inline assembly points to.
    pub fn element_type(self, index: u32) -> Option<Type> {
        // SAFETY: see the head of this file.
        unsafe {
            let kind = attribute_kind("elementtype");
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, index + 1, kind);
            (!attribute.is_null()).then(|| Type(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    pub fn is_must_tail(self) -> bool {
        use llvm_sys::LLVMTailCallKind::LLVMTailCallKindMustTail;
        // SAFETY: the kind is asked of `call` instructions only.
        self.opcode() == Opcode::LLVMCall
            && unsafe { LLVMGetTailCallKind(self.0) == LLVMTailCallKindMustTail }
    }

    /// Takes back the promise that the callee does not touch the caller's frame.
    pub fn clear_tail(self) {
        use llvm_sys::LLVMTailCallKind::{LLVMTailCallKindNone, LLVMTailCallKindTail};
        // SAFETY: the kind is asked of `call` instructions only.
        unsafe {
            if self.opcode() == Opcode::LLVMCall
                && LLVMGetTailCallKind(self.0) == LLVMTailCallKindTail
            {
                LLVMSetTailCallKind(self.0, LLVMTailCallKindNone);
            }
        }
    }

    /// The text of an inline assembly's constraints.
    pub fn asm_constraints(self) -> String {
        let mut len = 0;
        // SAFETY: see the head of this file.
        unsafe {
            let start = LLVMGetInlineAsmConstraintString(self.0, &mut len);
            text(start, len)
        }
    }

    /// The text of an inline assembly.
    pub fn asm_text(self) -> String {
        let mut len = 0;
        // SAFETY: see the head of this file.
        unsafe {
            let start = LLVMGetInlineAsmAsmString(self.0, &mut len);
            text(start, len)
        }
    }
}

impl Block {
    pub fn instructions(self) -> Vec<Value> {
        // SAFETY: see the head of this file.
        let first = unsafe { LLVMGetFirstInstruction(self.0) };
        std::iter::successors(wrap(first, Value), |at| at.next()).collect()
    }

    /// Where code may first be put.
    pub fn insertion_point(self) -> Option<Value> {
        self.instructions().into_iter().find(|instruction| {
            !matches!(
                instruction.opcode(),
                Opcode::LLVMPHI
                    | Opcode::LLVMLandingPad
                    | Opcode::LLVMCatchPad
                    | Opcode::LLVMCleanupPad
                    | Opcode::LLVMCatchSwitch
            )
        })
    }

    /// What its phi nodes have from one block they are to have from another, with a
    /// single edge.
    pub fn comes_from(self, old: Block, new: Block) {
        let phis = self.instructions().into_iter();
        for phi in phis.take_while(|at| at.opcode() == Opcode::LLVMPHI).collect::<Vec<_>>() {
            let mut incoming = phi.incoming();
            let from_old = incoming.iter().position(|(_, block)| *block == old);
            let value = incoming[from_old.expect("an edge has a value")].0;
            incoming.retain(|(_, block)| *block != old);
            incoming.push((value, new));
            phi.rebuild(&incoming);
        }
    }

    /// How many edges lead here.
    pub fn predecessors(self) -> usize {
        // SAFETY: see the head of this file.
        Value(unsafe { LLVMBasicBlockAsValue(self.0) }).users().count()
    }
}

impl Type {
    /// The types that this one is made of, and how many of them there are where the
    /// type says so.
    pub fn parts(self) -> (Vec<Type>, u64) {
        // SAFETY: each question is asked of the types that it is for.
        unsafe {
            match self.kind() {
                Kind::LLVMStructTypeKind if LLVMIsOpaqueStruct(self.0) == 0 => (
                    (0..LLVMCountStructElementTypes(self.0))
                        .map(|at| Type(LLVMStructGetTypeAtIndex(self.0, at)))
                        .collect(),
                    LLVMIsPackedStruct(self.0) as u64,
                ),
                Kind::LLVMArrayTypeKind => {
                    (vec![Type(LLVMGetElementType(self.0))], LLVMGetArrayLength2(self.0))
                }
                Kind::LLVMVectorTypeKind | Kind::LLVMScalableVectorTypeKind => {
                    (vec![Type(LLVMGetElementType(self.0))], u64::from(LLVMGetVectorSize(self.0)))
                }
                Kind::LLVMFunctionTypeKind => {
                    let count = LLVMCountParamTypes(self.0) as usize;
                    let mut types = vec![std::ptr::null_mut(); count];
                    LLVMGetParamTypes(self.0, types.as_mut_ptr());
                    types.push(LLVMGetReturnType(self.0));
                    let types = types.into_iter().map(Type).collect();
                    (types, LLVMIsFunctionVarArg(self.0) as u64)
                }
                Kind::LLVMIntegerTypeKind => (Vec::new(), u64::from(self.int_width())),
                Kind::LLVMPointerTypeKind => {
                    (Vec::new(), u64::from(LLVMGetPointerAddressSpace(self.0)))
                }
                _ => (Vec::new(), 0),
            }
        }
    }

    pub fn kind(self) -> Kind {
        // SAFETY: see the head of this file.
        unsafe { LLVMGetTypeKind(self.0) }
    }

    /// Whether this is what clang makes of a union: one of its members, and more bytes.
    fn is_union(self) -> bool {
        if self.kind() != Kind::LLVMStructTypeKind {
            return false;
        }
        // SAFETY: asked of a struct type; the name ends with a zero, if there is one.
        unsafe {
            let name = LLVMGetStructName(self.0);
            !name.is_null() && CStr::from_ptr(name).to_bytes().starts_with(b"union.")
        }
    }

    pub fn is_struct(self) -> bool {
        self.kind() == Kind::LLVMStructTypeKind
    }

    pub fn is_int(self) -> bool {
        self.kind() == Kind::LLVMIntegerTypeKind
    }

    pub fn int_width(self) -> u32 {
        // SAFETY: asked of integers only.
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }

    /// A pointer into ordinary memory.
    pub fn is_pointer(self) -> bool {
        // SAFETY: the address space is asked of pointers only.
        self.kind() == Kind::LLVMPointerTypeKind
            && unsafe { LLVMGetPointerAddressSpace(self.0) == 0 }
    }

    pub fn is_sized(self) -> bool {
        // SAFETY: see the head of this file.
        unsafe { LLVMTypeIsSized(self.0) != 0 }
    }

    /// Whether a value of this type can be put into memory of a fixed size.
    pub fn is_storable(self) -> bool {
        !matches!(
            self.kind(),
            Kind::LLVMVoidTypeKind
                | Kind::LLVMTokenTypeKind
                | Kind::LLVMLabelTypeKind
                | Kind::LLVMMetadataTypeKind
                | Kind::LLVMFunctionTypeKind
                | Kind::LLVMX86_AMXTypeKind
                | Kind::LLVMScalableVectorTypeKind
                | Kind::LLVMTargetExtTypeKind
        ) && self.is_sized()
    }
}

/// Sizes and alignments on the target.
#[derive(Clone, Copy)]
pub struct Layout(LLVMTargetDataRef);

impl Layout {
    /// Of the module's target; lives as long as the module.
    pub fn of(module: LLVMModuleRef) -> Self {
        // SAFETY: see the head of this file.
        Self(unsafe { LLVMGetModuleDataLayout(module) })
    }

    /// Bytes that a store of this type writes.
    pub fn store_size(self, ty: Type) -> u64 {
        // SAFETY: see the head of this file; asked of sized types only.
        unsafe { LLVMStoreSizeOfType(self.0, ty.0) }
    }

    /// Bytes from one element of an array of this type to the next.
    pub fn size(self, ty: Type) -> u64 {
        // SAFETY: see the head of this file; asked of sized types only.
        unsafe { LLVMABISizeOfType(self.0, ty.0) }
    }

    /// The bytes of a type that no member of it lies in: from where to where. None of them
    /// if there are unions, of which only one member is known, or if it is not worth it.
    pub fn padding(self, ty: Type) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        let is_whole = self.add_padding(ty, 0, &mut found);
        if !is_whole || found.len() > MOST_PADDING {
            found.clear();
        }
        found
    }

    /// False if nobody knows.
    fn add_padding(self, ty: Type, start: u64, found: &mut Vec<(u64, u64)>) -> bool {
        if ty.is_union() || found.len() > MOST_PADDING {
            return false;
        }
        let (parts, count) = ty.parts();
        let end = start + self.size(ty);
        let mut data = start;
        let mut is_whole = true;
        match ty.kind() {
            Kind::LLVMStructTypeKind => {
                for (place, part) in parts.into_iter().enumerate() {
                    // SAFETY: a member of a struct type of a known size.
                    let offset = unsafe { LLVMOffsetOfElement(self.0, ty.0, place as u32) };
                    if start + offset > data {
                        found.push((data, start + offset));
                    }
                    is_whole &= self.add_padding(part, start + offset, found);
                    data = start + offset + self.size(part);
                }
            }
            Kind::LLVMArrayTypeKind => {
                for place in 0..count {
                    let offset = place * self.size(parts[0]);
                    let before = found.len();
                    is_whole &= self.add_padding(parts[0], start + offset, found);
                    // The others are like the first one.
                    if !is_whole || found.len() == before {
                        break;
                    }
                }
                data = end;
            }
            _ => data += self.store_size(ty),
        }
        if end > data {
            found.push((data, end));
        }
        is_whole
    }

    pub fn alignment(self, ty: Type) -> u64 {
        // SAFETY: see the head of this file; asked of sized types only.
        u64::from(unsafe { LLVMABIAlignmentOfType(self.0, ty.0) })
    }
}

/// Debug info.
impl Node {
    pub fn kind(self) -> NodeKind {
        // SAFETY: see the head of this file.
        unsafe { LLVMGetMetadataKind(self.0) }
    }

    pub fn tag(self) -> u16 {
        // SAFETY: see the head of this file.
        unsafe { LLVMGetDINodeTag(self.0) }
    }

    /// The name of a type.
    pub fn type_name(self) -> String {
        let mut len = 0;
        // SAFETY: see the head of this file.
        unsafe {
            let start = LLVMDITypeGetName(self.0, &mut len);
            text(start, len)
        }
    }

    pub fn size_in_bits(self) -> u64 {
        // SAFETY: asked of types only.
        unsafe { LLVMDITypeGetSizeInBits(self.0) }
    }

    pub fn offset_in_bits(self) -> u64 {
        // SAFETY: asked of types (members are types) only.
        unsafe { LLVMDITypeGetOffsetInBits(self.0) }
    }

    pub fn type_flags(self) -> i32 {
        // SAFETY: asked of types only.
        unsafe { LLVMDITypeGetFlags(self.0) }
    }

    pub fn line(self) -> u32 {
        // SAFETY: asked of locations only.
        unsafe { LLVMDILocationGetLine(self.0) }
    }

    pub fn column(self) -> u32 {
        // SAFETY: asked of locations only.
        unsafe { LLVMDILocationGetColumn(self.0) }
    }

    pub fn location_scope(self) -> Option<Node> {
        // SAFETY: asked of locations only.
        wrap(unsafe { LLVMDILocationGetScope(self.0) }, Node)
    }

    pub fn inlined_at(self) -> Option<Node> {
        // SAFETY: asked of locations only.
        wrap(unsafe { LLVMDILocationGetInlinedAt(self.0) }, Node)
    }

    /// The file of a scope.
    pub fn file(self) -> Option<Node> {
        // SAFETY: asked of scopes only.
        wrap(unsafe { LLVMDIScopeGetFile(self.0) }, Node)
    }

    /// Name and directory of a file.
    pub fn file_name(self) -> (String, String) {
        let (mut name_len, mut directory_len) = (0, 0);
        // SAFETY: asked of files only.
        unsafe {
            let name = LLVMDIFileGetFilename(self.0, &mut name_len);
            let directory = LLVMDIFileGetDirectory(self.0, &mut directory_len);
            (text(name, name_len as usize), text(directory, directory_len as usize))
        }
    }

    pub fn subprogram_line(self) -> u32 {
        // SAFETY: asked of subprograms only.
        unsafe { LLVMDISubprogramGetLine(self.0) }
    }

    /// The variable of a `DIGlobalVariableExpression`.
    pub fn global_variable(self) -> Option<Node> {
        // SAFETY: as the name says.
        wrap(unsafe { LLVMDIGlobalVariableExpressionGetVariable(self.0) }, Node)
    }

    pub fn variable_line(self) -> u32 {
        // SAFETY: asked of variables only.
        unsafe { LLVMDIVariableGetLine(self.0) }
    }

    pub fn variable_file(self) -> Option<Node> {
        // SAFETY: asked of variables only.
        wrap(unsafe { LLVMDIVariableGetFile(self.0) }, Node)
    }

    pub fn variable_scope(self) -> Option<Node> {
        // SAFETY: asked of variables only.
        wrap(unsafe { LLVMDIVariableGetScope(self.0) }, Node)
    }
}

/// The operands of debug nodes, for what LLVM's C interface has no getter.
#[derive(Clone, Copy)]
pub struct Nodes(LLVMContextRef);

impl Nodes {
    pub fn new(context: LLVMContextRef) -> Self {
        Self(context)
    }

    fn raw_operands(self, node: Node) -> Vec<LLVMValueRef> {
        // SAFETY: see the head of this file; a tuple or debug node is an `MDNode`.
        unsafe {
            let value = LLVMMetadataAsValue(self.0, node.0);
            if LLVMIsAMDNode(value).is_null() {
                return Vec::new();
            }
            let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(value) as usize];
            LLVMGetMDNodeOperands(value, operands.as_mut_ptr());
            operands
        }
    }

    /// The operand at this place, if it is a node.
    pub fn operand(self, node: Node, index: usize) -> Option<Node> {
        let value = *self.raw_operands(node).get(index)?;
        self.as_node(value)
    }

    /// All operands that are nodes.
    pub fn operands(self, node: Node) -> Vec<Node> {
        self.raw_operands(node).into_iter().filter_map(|value| self.as_node(value)).collect()
    }

    fn as_node(self, value: LLVMValueRef) -> Option<Node> {
        // SAFETY: an operand is null, a constant or string, or a node.
        unsafe {
            if value.is_null() || LLVMIsAMDNode(value).is_null() {
                return None;
            }
            wrap(LLVMValueAsMetadata(value), Node)
        }
    }

    /// The operand at this place, if it is a string.
    pub fn string(self, node: Node, index: usize) -> Option<String> {
        let value = *self.raw_operands(node).get(index)?;
        let mut len = 0;
        // SAFETY: LLVM gives null for what is no string.
        unsafe {
            if value.is_null() || LLVMIsAMDString(value).is_null() {
                return None;
            }
            let start = LLVMGetMDString(value, &mut len);
            Some(text(start, len as usize)).filter(|name| !name.is_empty())
        }
    }

    /// The operand at this place, if it is an integer constant.
    pub fn integer(self, node: Node, index: usize) -> Option<u64> {
        let value = *self.raw_operands(node).get(index)?;
        // SAFETY: operands that are constants come as themselves.
        unsafe { (!value.is_null() && !LLVMIsAConstantInt(value).is_null()).then_some(())? };
        Value(value).constant_int()
    }

    /// The node as text. It holds what has no getter at all: the encoding of a
    /// basic type, the value of an enumerator.
    pub fn print(self, node: Node) -> String {
        // SAFETY: the message is LLVM's until it is disposed of.
        unsafe { message(LLVMPrintValueToString(LLVMMetadataAsValue(self.0, node.0))) }
    }
}

/// What belongs to the module as a whole.
#[derive(Clone, Copy)]
pub struct Unit {
    pub module: LLVMModuleRef,
    pub context: LLVMContextRef,
}

impl Unit {
    pub fn functions(self) -> Vec<Value> {
        // SAFETY: see the head of this file.
        let first = unsafe { LLVMGetFirstFunction(self.module) };
        std::iter::successors(wrap(first, Value), |at| {
            wrap(unsafe { LLVMGetNextFunction(at.0) }, Value)
        })
        .collect()
    }

    pub fn globals(self) -> Vec<Value> {
        // SAFETY: see the head of this file.
        let first = unsafe { LLVMGetFirstGlobal(self.module) };
        std::iter::successors(wrap(first, Value), |at| {
            wrap(unsafe { LLVMGetNextGlobal(at.0) }, Value)
        })
        .collect()
    }

    /// The functions that choose an implementation while the program is loaded.
    pub fn resolvers(self) -> Vec<Value> {
        let mut found = Vec::new();
        // SAFETY: see the head of this file.
        unsafe {
            let mut ifunc = LLVMGetFirstGlobalIFunc(self.module);
            while !ifunc.is_null() {
                found.push(Value(LLVMGetGlobalIFuncResolver(ifunc)));
                ifunc = LLVMGetNextGlobalIFunc(ifunc);
            }
        }
        found
    }

    /// Other names of functions: constructors have two, and C has an attribute for it.
    pub fn function_aliases(self) -> Vec<(String, Value)> {
        let mut found = Vec::new();
        // SAFETY: see the head of this file.
        unsafe {
            let mut alias = LLVMGetFirstGlobalAlias(self.module);
            while !alias.is_null() {
                let target = Value(LLVMAliasGetAliasee(alias));
                if target.is_function() {
                    found.push((Value(alias).name(), target));
                }
                alias = LLVMGetNextGlobalAlias(alias);
            }
        }
        found
    }

    pub fn source_name(self) -> String {
        let mut len = 0;
        // SAFETY: see the head of this file.
        unsafe {
            let start = LLVMGetSourceFileName(self.module, &mut len);
            text(start, len)
        }
    }

    pub fn triple(self) -> String {
        // SAFETY: see the head of this file.
        unsafe { CStr::from_ptr(LLVMGetTarget(self.module)).to_string_lossy().into_owned() }
    }

    /// The debug info's compile unit, the first if there are several.
    pub fn compile_unit(self) -> Option<Node> {
        let name = c"llvm.dbg.cu";
        // SAFETY: the list has room for as many operands as LLVM says there are.
        unsafe {
            let count = LLVMGetNamedMetadataNumOperands(self.module, name.as_ptr());
            let mut operands = vec![std::ptr::null_mut(); count as usize];
            LLVMGetNamedMetadataOperands(self.module, name.as_ptr(), operands.as_mut_ptr());
            wrap(LLVMValueAsMetadata(*operands.first()?), Node)
        }
    }

    /// Whether another file's definition may be called in the place of one of this
    /// unit's: it is meant for a shared library.
    pub fn may_be_interposed(self) -> bool {
        let flag = |name: &str| {
            // SAFETY: the name is a slice with its length.
            let found = unsafe { LLVMGetModuleFlag(self.module, name.as_ptr().cast(), name.len()) };
            !found.is_null()
        };
        flag("PIC Level") && !flag("PIE Level")
    }

    pub fn has_function(self, name: &str) -> bool {
        self.function(name).is_some()
    }

    fn function(self, name: &str) -> Option<Value> {
        let name = CString::new(name).expect("a symbol of ours");
        // SAFETY: the name ends with a zero.
        wrap(unsafe { LLVMGetNamedFunction(self.module, name.as_ptr()) }, Value)
    }

    /// A function of the runtime, declared when it is first used. None of them
    /// unwinds; the optimiser may assume nothing else about them.
    pub fn runtime_function(self, name: &str, result: Type, parameters: &[Type]) -> Callee {
        let mut raw: Vec<_> = parameters.iter().map(|ty| ty.0).collect();
        let c_name = CString::new(name).expect("a symbol of ours");
        // SAFETY: the parameters are a slice with its length; types are of this context.
        unsafe {
            let ty = LLVMFunctionType(result.0, raw.as_mut_ptr(), raw.len() as u32, 0);
            let function = self.function(name).unwrap_or_else(|| {
                let function = LLVMAddFunction(self.module, c_name.as_ptr(), ty);
                let kind = attribute_kind("nounwind");
                let nounwind = LLVMCreateEnumAttribute(self.context, kind, 0);
                LLVMAddAttributeAtIndex(function, llvm_sys::LLVMAttributeFunctionIndex, nounwind);
                Value(function)
            });
            Callee { function, ty: Type(ty) }
        }
    }

    /// The thread's pointer to its innermost frame record, which the stub or the
    /// runtime defines. Both are there when the program starts: initial-exec.
    fn frame_pointer(self) -> Value {
        let name = c"__leno_frame";
        // SAFETY: the name ends with a zero; the type is of this context.
        unsafe {
            let known = LLVMGetNamedGlobal(self.module, name.as_ptr());
            if !known.is_null() {
                return Value(known);
            }
            let global = LLVMAddGlobal(self.module, self.pointer().0, name.as_ptr());
            LLVMSetThreadLocalMode(global, llvm_sys::LLVMThreadLocalMode::LLVMInitialExecTLSModel);
            Value(global)
        }
    }

    /// How often loops may go round, which the stub or the runtime defines; 0: without end.
    pub fn loop_bound(self) -> Value {
        let name = c"__leno_unroll";
        // SAFETY: the name ends with a zero; the type is of this context.
        unsafe {
            let known = LLVMGetNamedGlobal(self.module, name.as_ptr());
            let unknown = || LLVMAddGlobal(self.module, self.int(32).0, name.as_ptr());
            Value(if known.is_null() { unknown() } else { known })
        }
    }

    /// A new block at the end of a function.
    pub fn block(self, function: Value, name: &CStr) -> Block {
        // SAFETY: the name ends with a zero.
        Block(unsafe { LLVMAppendBasicBlockInContext(self.context, function.0, name.as_ptr()) })
    }

    pub fn int(self, bits: u32) -> Type {
        // SAFETY: see the head of this file.
        Type(unsafe { LLVMIntTypeInContext(self.context, bits) })
    }

    pub fn pointer(self) -> Type {
        // SAFETY: see the head of this file.
        Type(unsafe { LLVMPointerTypeInContext(self.context, 0) })
    }

    pub fn void(self) -> Type {
        // SAFETY: see the head of this file.
        Type(unsafe { LLVMVoidTypeInContext(self.context) })
    }

    pub fn pair(self, first: Type, second: Type) -> Type {
        let mut fields = [first.0, second.0];
        // SAFETY: the fields are an array with its length.
        Type(unsafe { LLVMStructTypeInContext(self.context, fields.as_mut_ptr(), 2, 0) })
    }

    pub fn array(self, element: Type, count: u64) -> Type {
        // SAFETY: see the head of this file.
        Type(unsafe { LLVMArrayType2(element.0, count) })
    }

    pub fn const_int(self, bits: u32, value: u64) -> Value {
        // SAFETY: see the head of this file.
        Value(unsafe { LLVMConstInt(self.int(bits).0, value, 0) })
    }

    pub fn null(self, ty: Type) -> Value {
        // SAFETY: see the head of this file.
        Value(unsafe { LLVMConstNull(ty.0) })
    }

    pub fn undefined(self, ty: Type) -> Value {
        // SAFETY: see the head of this file.
        Value(unsafe { LLVMGetPoison(ty.0) })
    }

    /// The constant address `base + offset`.
    pub fn const_offset(self, base: Value, offset: u64) -> Value {
        let mut index = [self.const_int(64, offset).0];
        // SAFETY: the indices are an array with its length.
        Value(unsafe { LLVMConstGEP2(self.int(8).0, base.0, index.as_mut_ptr(), 1) })
    }

    /// A stand-in for a global whose content is not known yet.
    pub fn placeholder(self, name: &CStr) -> Value {
        // SAFETY: the name ends with a zero.
        Value(unsafe { LLVMAddGlobal(self.module, self.int(8).0, name.as_ptr()) })
    }

    /// Puts the real thing, private constant bytes in a section of their own, in
    /// the stand-in's place.
    pub fn settle(self, placeholder: Value, bytes: &[u8], section: &str, align: u32) {
        let section = CString::new(section).expect("a section of ours");
        // SAFETY: the bytes are a slice with its length; the stand-in is not used again.
        unsafe {
            let content =
                LLVMConstStringInContext2(self.context, bytes.as_ptr().cast(), bytes.len(), 1);
            let global = LLVMAddGlobal(self.module, LLVMTypeOf(content), c"leno.unit".as_ptr());
            LLVMSetInitializer(global, content);
            LLVMSetGlobalConstant(global, 1);
            LLVMSetLinkage(global, llvm_sys::LLVMLinkage::LLVMPrivateLinkage);
            LLVMSetSection(global, section.as_ptr());
            LLVMSetAlignment(global, align);
            LLVMReplaceAllUsesWith(placeholder.0, global);
            LLVMDeleteGlobal(placeholder.0);
        }
    }

    /// A function of this unit's own that is called before all other constructors.
    /// Gives the point in it where code may be put.
    pub fn add_first_constructor(self, name: &CStr) -> Value {
        // SAFETY: the names end with a zero, arrays come with their lengths, and the
        // old list is not used after it is deleted.
        unsafe {
            let ty = LLVMFunctionType(self.void().0, std::ptr::null_mut(), 0, 0);
            let function = LLVMAddFunction(self.module, name.as_ptr(), ty);
            LLVMSetLinkage(function, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
            let body = LLVMAppendBasicBlockInContext(self.context, function, c"".as_ptr());
            let builder = Builder::new(self);
            LLVMPositionBuilderAtEnd(builder.0, body);
            let end = LLVMBuildRetVoid(builder.0);

            let mut fields = [self.const_int(32, 0).0, function, self.null(self.pointer()).0];
            let entry = LLVMConstStructInContext(self.context, fields.as_mut_ptr(), 3, 0);
            let mut entries = vec![entry];
            let list = c"llvm.global_ctors";
            let old = LLVMGetNamedGlobal(self.module, list.as_ptr());
            if !old.is_null() {
                let content = LLVMGetInitializer(old);
                let count = LLVMGetArrayLength2(LLVMTypeOf(content));
                entries.extend((0..count as u32).map(|at| LLVMGetAggregateElement(content, at)));
                LLVMDeleteGlobal(old);
            }
            let content =
                LLVMConstArray2(LLVMTypeOf(entry), entries.as_mut_ptr(), entries.len() as u64);
            let global = LLVMAddGlobal(self.module, LLVMTypeOf(content), list.as_ptr());
            LLVMSetInitializer(global, content);
            LLVMSetLinkage(global, llvm_sys::LLVMLinkage::LLVMAppendingLinkage);
            Value(end)
        }
    }
}

/// What can be made of two integers of one type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    Add,
    Sub,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
}

/// How two integers of one type can be compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    Equal,
    /// Less, without signs.
    Below,
    /// Less, with signs.
    Less,
}

/// A function with its type.
#[derive(Clone, Copy)]
pub struct Callee {
    function: Value,
    ty: Type,
}

/// Puts instructions in.
pub struct Builder(LLVMBuilderRef);

const NO_NAME: *const c_char = c"".as_ptr();

impl Builder {
    pub fn new(unit: Unit) -> Self {
        // SAFETY: see the head of this file.
        Self(unsafe { LLVMCreateBuilderInContext(unit.context) })
    }

    /// The next instructions come before this one and have its source position;
    /// where it has none they get line 0 of `function`, because LLVM wants every
    /// call in a function with debug info to have a position.
    pub fn before(&self, instruction: Value, function: Value, unit: Unit) {
        self.at(instruction, instruction, function, unit);
    }

    /// The same for instructions that come before `point`.
    pub fn at(&self, point: Value, instruction: Value, function: Value, unit: Unit) {
        // SAFETY: see the head of this file.
        unsafe { LLVMPositionBuilderBefore(self.0, point.0) };
        self.positioned_as(instruction, function, unit);
    }

    /// The same for instructions at the end of a block.
    pub fn at_end(&self, block: Block, instruction: Value, function: Value, unit: Unit) {
        // SAFETY: see the head of this file.
        unsafe { LLVMPositionBuilderAtEnd(self.0, block.0) };
        self.positioned_as(instruction, function, unit);
    }

    fn positioned_as(&self, instruction: Value, function: Value, unit: Unit) {
        // SAFETY: see the head of this file.
        unsafe {
            let location = instruction.location().or_else(|| {
                let scope = function.subprogram()?;
                wrap(
                    LLVMDIBuilderCreateDebugLocation(
                        unit.context,
                        0,
                        0,
                        scope.0,
                        std::ptr::null_mut(),
                    ),
                    Node,
                )
            });
            LLVMSetCurrentDebugLocation2(
                self.0,
                location.map_or(std::ptr::null_mut(), |location| location.0),
            );
        }
    }

    /// The next instructions come before this one and have no source position.
    pub fn silently_before(&self, instruction: Value) {
        // SAFETY: see the head of this file.
        unsafe {
            LLVMPositionBuilderBefore(self.0, instruction.0);
            LLVMSetCurrentDebugLocation2(self.0, std::ptr::null_mut());
        }
    }

    pub fn call(&self, callee: Callee, arguments: &[Value]) -> Value {
        let mut raw: Vec<_> = arguments.iter().map(|value| value.0).collect();
        // SAFETY: the arguments are a slice with its length.
        Value(unsafe {
            LLVMBuildCall2(
                self.0,
                callee.ty.0,
                callee.function.0,
                raw.as_mut_ptr(),
                raw.len() as u32,
                NO_NAME,
            )
        })
    }

    pub fn load(&self, ty: Type, from: Value) -> Value {
        // SAFETY: see the head of this file.
        Value(unsafe { LLVMBuildLoad2(self.0, ty.0, from.0, NO_NAME) })
    }

    /// From memory that holds the same for as long as the program runs.
    pub fn load_invariant(&self, unit: Unit, ty: Type, from: Value) -> Value {
        let load = self.load(ty, from);
        let name = "invariant.load";
        // SAFETY: the name is a slice with its length; the node is an empty one.
        unsafe {
            let kind =
                LLVMGetMDKindIDInContext(unit.context, name.as_ptr().cast(), name.len() as u32);
            let node = LLVMMDNodeInContext2(unit.context, std::ptr::null_mut(), 0);
            LLVMSetMetadata(load.0, kind, LLVMMetadataAsValue(unit.context, node));
        }
        load
    }

    pub fn branch(&self, to: Block) -> Value {
        // SAFETY: see the head of this file.
        Value(unsafe { LLVMBuildBr(self.0, to.0) })
    }

    pub fn branch_if(&self, condition: Value, then: Block, otherwise: Block) {
        // SAFETY: see the head of this file.
        unsafe { LLVMBuildCondBr(self.0, condition.0, then.0, otherwise.0) };
    }

    /// From a pointer that nothing is known about.
    pub fn load_unaligned(&self, ty: Type, from: Value) -> Value {
        let load = self.load(ty, from);
        // SAFETY: see the head of this file.
        unsafe { LLVMSetAlignment(load.0, 1) };
        load
    }

    pub fn store(&self, value: Value, to: Value, align: u64) {
        // SAFETY: see the head of this file.
        unsafe {
            let store = LLVMBuildStore(self.0, value.0, to.0);
            LLVMSetAlignment(store, align as u32);
        }
    }

    pub fn alloca(&self, ty: Type, align: u64, name: &CStr) -> Value {
        // SAFETY: the name ends with a zero.
        Value(unsafe {
            let alloca = LLVMBuildAlloca(self.0, ty.0, name.as_ptr());
            LLVMSetAlignment(alloca, align as u32);
            alloca
        })
    }

    /// `base + offset`, inside one object.
    pub fn offset(&self, unit: Unit, base: Value, offset: u64, name: &str) -> Value {
        let mut index = [unit.const_int(64, offset).0];
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: the indices are an array with its length.
        Value(unsafe {
            LLVMBuildInBoundsGEP2(
                self.0,
                unit.int(8).0,
                base.0,
                index.as_mut_ptr(),
                1,
                name.as_ptr(),
            )
        })
    }

    /// The place of the thread's list of frame records. (Not the variable itself: without
    /// optimisation a store to a thread-local variable has the whole block in front of it
    /// made by the slow one of LLVM's two code generators.)
    pub fn frame_list(&self, unit: Unit) -> Value {
        let pointer = unit.pointer();
        let address = unit.runtime_function("llvm.threadlocal.address.p0", pointer, &[pointer]);
        self.call(address, &[unit.frame_pointer()])
    }

    /// Where the function returns to.
    pub fn return_address(&self, unit: Unit) -> Value {
        let intrinsic =
            unit.runtime_function("llvm.returnaddress", unit.pointer(), &[unit.int(32)]);
        self.call(intrinsic, &[unit.const_int(32, 0)])
    }

    pub fn copy(&self, to: Value, from: Value, size: Value, align: u64) {
        // SAFETY: see the head of this file.
        unsafe { LLVMBuildMemCpy(self.0, to.0, align as u32, from.0, 1, size.0) };
    }

    /// An integer made longer by zeros, or shorter.
    pub fn resize(&self, value: Value, to: Type) -> Value {
        // SAFETY: both are integers.
        Value(unsafe { LLVMBuildIntCast2(self.0, value.0, to.0, 0, NO_NAME) })
    }

    /// An integer made longer by its sign, or shorter.
    pub fn resize_signed(&self, value: Value, to: Type) -> Value {
        // SAFETY: both are integers.
        Value(unsafe { LLVMBuildIntCast2(self.0, value.0, to.0, 1, NO_NAME) })
    }

    pub fn pointer_to_int(&self, value: Value, to: Type) -> Value {
        // SAFETY: from a pointer to an integer.
        Value(unsafe { LLVMBuildPtrToInt(self.0, value.0, to.0, NO_NAME) })
    }

    pub fn int_to_pointer(&self, value: Value, to: Type) -> Value {
        // SAFETY: from an integer to a pointer.
        Value(unsafe { LLVMBuildIntToPtr(self.0, value.0, to.0, NO_NAME) })
    }

    pub fn bit_cast(&self, value: Value, to: Type) -> Value {
        // SAFETY: between types of the same size, neither of them a pointer.
        Value(unsafe { LLVMBuildBitCast(self.0, value.0, to.0, NO_NAME) })
    }

    pub fn binary(&self, how: Binary, a: Value, b: Value) -> Value {
        let build = match how {
            Binary::Add => LLVMBuildAdd,
            Binary::Sub => LLVMBuildSub,
            Binary::And => LLVMBuildAnd,
            Binary::Or => LLVMBuildOr,
            Binary::Xor => LLVMBuildXor,
            Binary::ShiftLeft => LLVMBuildShl,
            Binary::ShiftRight => LLVMBuildLShr,
            Binary::ShiftRightSigned => LLVMBuildAShr,
        };
        // SAFETY: both are integers of one type.
        Value(unsafe { build(self.0, a.0, b.0, NO_NAME) })
    }

    pub fn compare(&self, how: Comparison, a: Value, b: Value) -> Value {
        use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntSLT, LLVMIntULT};
        let predicate = match how {
            Comparison::Equal => LLVMIntEQ,
            Comparison::Below => LLVMIntULT,
            Comparison::Less => LLVMIntSLT,
        };
        // SAFETY: both are integers of one type.
        Value(unsafe { LLVMBuildICmp(self.0, predicate, a.0, b.0, NO_NAME) })
    }

    pub fn select(&self, condition: Value, yes: Value, no: Value) -> Value {
        // SAFETY: a bit and two values of one type.
        Value(unsafe { LLVMBuildSelect(self.0, condition.0, yes.0, no.0, NO_NAME) })
    }

    /// The address of element `index`, wherever that may be.
    pub fn element(&self, ty: Type, base: Value, index: Value) -> Value {
        let mut index = [index.0];
        // SAFETY: the indices are an array with its length.
        Value(unsafe { LLVMBuildGEP2(self.0, ty.0, base.0, index.as_mut_ptr(), 1, NO_NAME) })
    }

    /// Atomic accesses are of integers and naturally aligned.
    pub fn atomic_load(&self, ty: Type, from: Value, order: Ordering) -> Value {
        let load = self.load(ty, from);
        // SAFETY: see the head of this file.
        unsafe {
            LLVMSetAlignment(load.0, ty.int_width() / 8);
            LLVMSetOrdering(load.0, order);
        }
        load
    }

    pub fn atomic_store(&self, value: Value, to: Value, order: Ordering) {
        // SAFETY: see the head of this file.
        unsafe {
            let store = LLVMBuildStore(self.0, value.0, to.0);
            LLVMSetAlignment(store, value.ty().int_width() / 8);
            LLVMSetOrdering(store, order);
        }
    }

    /// Gives the old value.
    pub fn atomic_update(&self, what: RmwOp, at: Value, by: Value, order: Ordering) -> Value {
        // SAFETY: see the head of this file.
        Value(unsafe { LLVMBuildAtomicRMW(self.0, what, at.0, by.0, order, 0) })
    }

    /// Gives the old value and whether the new one has been stored.
    pub fn atomic_compare_exchange(
        &self,
        at: Value,
        expected: Value,
        new: Value,
        order: Ordering,
    ) -> Value {
        // SAFETY: both values are integers of one type.
        Value(unsafe { LLVMBuildAtomicCmpXchg(self.0, at.0, expected.0, new.0, order, order, 0) })
    }

    pub fn fence(&self, order: Ordering) {
        // SAFETY: see the head of this file.
        unsafe { LLVMBuildFence(self.0, order, 0, NO_NAME) };
    }

    pub fn is_not_zero(&self, unit: Unit, value: Value) -> Value {
        use llvm_sys::LLVMIntPredicate::LLVMIntNE;
        let zero = unit.null(value.ty());
        // SAFETY: both are integers of one type.
        Value(unsafe { LLVMBuildICmp(self.0, LLVMIntNE, value.0, zero.0, NO_NAME) })
    }

    pub fn extract(&self, aggregate: Value, index: u32) -> Value {
        // SAFETY: see the head of this file.
        Value(unsafe { LLVMBuildExtractValue(self.0, aggregate.0, index, NO_NAME) })
    }

    pub fn insert(&self, aggregate: Value, value: Value, index: u32) -> Value {
        // SAFETY: see the head of this file.
        Value(unsafe { LLVMBuildInsertValue(self.0, aggregate.0, value.0, index, NO_NAME) })
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        // SAFETY: the builder is this one's alone.
        unsafe { LLVMDisposeBuilder(self.0) }
    }
}
