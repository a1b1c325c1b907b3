//! Structs: each list of types makes one.

use super::types::{Points, Ty, Types};
use super::{Elaborated, Elaborator, MOST_INSTANCES, MOST_OPEN, MOST_PARTS};
use crate::kit::text::{Limit, Rejected, Span};
use crate::minias::sycl::rules::Rule;
use crate::minias::sycl::syntax::Struct;
use crate::minias::syntax::Space;
use std::rc::Rc;

/// A struct with types for the parameters of its template.
pub(super) struct MadeStruct<'p> {
    /// The first one of these types; others differ in what is deduced of fields.
    pub(super) class: usize,
    pub(super) item: &'p Struct,
    pub(super) types: Types<'p>,
    pub(super) fields: Vec<(&'p str, Ty)>,
    /// How many ints and pointers it consists of.
    parts: usize,
}

impl<'p> Elaborator<'p, '_> {
    /// `Y-STRUCT`: no struct holds itself (itself). By `field=fixed` a raw pointer in it is private.
    pub(super) fn structure(&mut self, item: &'p Struct, types: Types<'p>) -> Elaborated<Ty> {
        self.to.enter(Rule::YStruct, || item.name.text.clone());
        let key = (&*item.name.text, format!("{types:?}"));
        match self.struct_numbers.get(&key) {
            Some(Some(number)) => {
                self.to.leave(String::new);
                return Ok(Ty::Struct { number: *number, is_const: false });
            }
            Some(None) => {
                let message = format!("`{}` holds itself", item.name.text);
                let refused = Rejected::new(item.name.span, message, "a struct is its fields");
                return self.refuse(Rule::YStruct, "itself", refused);
            }
            None => {}
        }
        let instances = self.struct_numbers.len();
        self.opens(instances, item.span)?;
        self.struct_numbers.insert(key.clone(), None);
        let around = std::mem::replace(&mut self.function.types, types.clone());
        let (mut fields, mut parts) = (Vec::new(), 0);
        for (ty, name) in &item.fields {
            let ty = self.ty(ty, None)?;
            if ty == Ty::Void {
                return self.no_value(&format!("`{}`", name.text), name.span);
            }
            parts += self.parts_of(&ty);
            self.few_parts(parts, &format!("`{}`", item.name.text), name.span)?;
            fields.push((&*name.text, self.field(ty)));
        }
        self.function.types = around;
        self.open -= 1;
        let number = self.made_structs.len();
        self.made_structs.push(MadeStruct { class: number, item, types, fields, parts });
        self.struct_numbers.insert(key, Some(number));
        self.to.leave(String::new);
        Ok(Ty::Struct { number, is_const: false })
    }

    /// The struct, with these types of its fields.
    pub(super) fn with_fields(&mut self, number: usize, fields: Vec<(&'p str, Ty)>) -> usize {
        let MadeStruct { class, item, types, parts, .. } = &self.made_structs[number];
        let (class, types, parts) = (*class, types.clone(), *parts);
        let made = MadeStruct { class, item, types, fields, parts };
        self.made_structs.push(made);
        self.made_structs.len() - 1
    }

    /// How many ints and pointers a value of the type consists of.
    pub(super) fn parts_of(&self, ty: &Ty) -> usize {
        match ty {
            Ty::Struct { number, .. } => self.made_structs[*number].parts,
            Ty::Closure { number, .. } => self.closures[*number].parts,
            Ty::Reference(pointer) => self.parts_of(&pointer.to),
            Ty::Void | Ty::Null | Ty::Scalar(_) | Ty::Pointer(_) => 1,
        }
    }

    /// A struct or a lambda consists of no more parts than variables may become. Structs of structs double them with each
    /// declaration.
    pub(super) fn few_parts(&self, parts: usize, what: &str, span: Span) -> Elaborated<()> {
        if parts <= MOST_PARTS {
            return Ok(());
        }
        let message = format!("{what} consists of {parts} ints and pointers");
        let refused = Rejected::new(span, message, "with these").by_limit(Limit::Types);
        Err(refused.help(format!("a struct or a lambda consists of at most {MOST_PARTS}")))
    }

    fn field(&self, ty: Ty) -> Ty {
        match ty {
            Ty::Pointer(pointer)
                if !self.answers.field_initialiser && !self.answers.generic_space =>
            {
                let points = private_if_raw(pointer.points);
                Ty::Pointer(Rc::new(super::types::Pointer { points, ..(*pointer).clone() }))
            }
            other => other,
        }
    }

    /// One more instance within the others that are being elaborated.
    pub(super) fn opens(&mut self, instances: usize, span: Span) -> Elaborated<()> {
        self.open += 1;
        self.few_instances(instances, self.open, span)
    }

    /// There are no more instances than may be, and none is made within too many others.
    pub(super) fn few_instances(
        &self,
        instances: usize,
        within: usize,
        span: Span,
    ) -> Elaborated<()> {
        let (number, what) = match (instances > MOST_INSTANCES, within > MOST_OPEN) {
            (true, _) => (MOST_INSTANCES, "instances of functions or structs"),
            (_, true) => (MOST_OPEN, "instances within one another"),
            _ => return Ok(()),
        };
        let message = format!("more than {number} {what}");
        Err(Rejected::new(span, message, "one too many").by_limit(Limit::Types))
    }
}

/// A raw pointer of which nothing is deduced is private.
pub(super) fn private_if_raw(points: Points) -> Points {
    match points {
        Points::Raw { .. } => Points::Raw { known: Some(Space::Private), fixed: true },
        points => points,
    }
}
