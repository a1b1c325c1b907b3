//! Bools in work-group memory are emitted as u32, 0 or 1.
//!
//! naga writes a bool in work-group memory as `OpTypeBool`, whose size is left to the driver; that of NVIDIA
//! reads every element of an array but the first as false (gfx-rs/wgpu#6570). In WGSL a bool takes four bytes.
//! So wherever a type of a work-group variable has a bool in it, the emitted type has a u32, and values are
//! converted when they are loaded and stored. A structure with bools gets a second declaration, `W` and its
//! number. Arrays and structures are converted by functions, one for each type and direction.

use super::Writer;
use super::expr::Text;
use reference::device::syntax::{BOOL, Exp, Place, Program, Space, Ty, U32};

/// Which way a value is converted.
#[derive(Clone, Copy)]
enum To {
    /// To what is kept in work-group memory.
    Memory,
    /// To what expressions compute with.
    Value,
}

/// Is there a bool in a variable of this type?
pub(super) fn holds_bool(program: &Program, ty: &Ty) -> bool {
    match ty {
        Ty::Array(inner, _) => holds_bool(program, inner),
        Ty::Struct(number) => {
            let fields = &program.structs[*number as usize].fields;
            fields.iter().any(|(_, ty)| holds_bool(program, ty))
        }
        other => *other == BOOL,
    }
}

impl Writer<'_> {
    /// The type that a variable of this type has in work-group memory.
    pub(super) fn shared_ty(&self, ty: &Ty) -> String {
        match ty {
            _ if !holds_bool(self.program, ty) => self.ty(ty),
            Ty::Array(inner, n) => format!("array<{}, {n}>", self.shared_ty(inner)),
            Ty::Struct(number) => format!("W{number}"),
            _ => self.ty(&U32),
        }
    }

    /// Declares how structures with bools are kept in work-group memory, if a variable there has one.
    pub(super) fn declare_shared_structs(&mut self) {
        if !self.uses.shared_bools.iter().any(|var| self.types.var(*var) != &BOOL) {
            return;
        }
        for (number, declared) in self.program.structs.iter().enumerate() {
            if holds_bool(self.program, &Ty::Struct(number as u32)) {
                let fields = declared.fields.iter().enumerate();
                let fields: Vec<String> =
                    fields.map(|(i, (_, ty))| format!("m{i}: {}", self.shared_ty(ty))).collect();
                self.line(&format!("struct W{number} {{ {} }}", fields.join(", ")));
            }
        }
    }

    /// The type of a place, if it is in work-group memory and has bools.
    pub(super) fn ty_of_shared_bools(&self, place: &Place) -> Option<Ty> {
        let ty = || Some(self.types.place(place)).filter(|ty| holds_bool(self.program, ty));
        if self.is_shared(place) { ty() } else { None }
    }

    fn is_shared(&self, place: &Place) -> bool {
        match place {
            Place::Var(var) => self.uses.shared_bools.contains(var),
            Place::Deref(Exp::Ref(place)) => self.is_shared(place),
            Place::Deref(pointer) => {
                matches!(self.types.exp(pointer), Ty::Ptr(Space::Workgroup, _))
            }
            Place::At(place, _) | Place::Field(place, _) => self.is_shared(place),
            Place::Element(..) => false,
        }
    }

    /// The value that is kept in work-group memory as this one.
    pub(super) fn value_of_shared(&mut self, ty: &Ty, kept: &str) -> Text {
        if *ty == BOOL {
            return Text::open(format!("{kept} != 0u"));
        }
        Text::closed(self.converted(To::Value, ty, kept))
    }

    /// What is kept in work-group memory for a value.
    pub(super) fn shared_of_value(&mut self, ty: &Ty, value: &str) -> String {
        self.converted(To::Memory, ty, value)
    }

    fn converted(&mut self, to: To, ty: &Ty, from: &str) -> String {
        match (ty, to) {
            (&BOOL, To::Memory) => return format!("u32({from})"),
            (&BOOL, To::Value) => return format!("({from} != 0u)"),
            _ if !holds_bool(self.program, ty) => return from.to_owned(),
            _ => {}
        }
        // Without a loop, whose rounds some drivers would count.
        let parts: Vec<String> = match ty {
            Ty::Array(inner, n) => {
                (0..*n).map(|i| self.converted(to, inner, &format!("v[{i}]"))).collect()
            }
            Ty::Struct(number) => {
                let program = self.program;
                let fields = program.structs[*number as usize].fields.iter().enumerate();
                fields.map(|(i, (_, ty))| self.converted(to, ty, &format!("v.m{i}"))).collect()
            }
            other => unreachable!("{other:?} has no parts"),
        };
        let (kept, value) = (self.shared_ty(ty), self.ty(ty));
        let (given, result) = match to {
            To::Memory => (value, kept),
            To::Value => (kept, value),
        };
        let body = format!("return {result}({});", parts.join(", "));
        let function = self.function_of(format!("(v: {given}) -> {result} {{ {body} }}"));
        format!("{function}({from})")
    }
}
