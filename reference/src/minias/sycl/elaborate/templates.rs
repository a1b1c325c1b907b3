//! What the parameters of a template stand for in a call.

use super::exps::Value;
use super::types::{Scalar, Ty, Types};
use super::{Elaborated, Elaborator};
use crate::kit::text::{Rejected, Span};
use crate::minias::sycl::rules::Rule;
use crate::minias::sycl::syntax::{Base, Behind, Function, Name, Type};

/// What is found of the parameters of a template.
struct Found<'p> {
    function: &'p Function,
    /// How many types are said.
    said: usize,
    types: Types<'p>,
    /// A parameter that is found to be two types.
    other: Option<(&'p Name, Ty, Ty)>,
}

impl<'p> Elaborator<'p, '_> {
    /// `Y-TEMPLATE`: each parameter is said, or is found in the types of the arguments, as one type (deduce).
    pub(super) fn template(
        &mut self,
        function: &'p Function,
        explicit: &'p [Type],
        values: &[Value],
        span: Span,
    ) -> Elaborated<Types<'p>> {
        if function.types.is_empty() {
            return Ok(Vec::new());
        }
        self.to.enter(Rule::YTemplate, || function.name.text.clone());
        let mut types: Types<'p> = Vec::new();
        let keeps = self.answers.template_deduced && !self.answers.generic_space;
        for (param, arg) in function.types.iter().zip(explicit) {
            types.push((&*param.text, self.ty(arg, None)?.of_template(keeps)));
        }
        let mut found = Found { function, said: types.len(), types, other: None };
        for (param, value) in function.params.iter().zip(values) {
            self.deduce(&mut found, &param.ty, &param.ty.behind, &value.ty);
            if let Some((param, one, other)) = found.other.take() {
                let message = format!("`{}` is two types", param.text);
                let label = format!("`{}`, and `{}` before", self.told(&other), self.told(&one));
                let refused = Rejected::new(value.span, message, label)
                    .with(param.span, "the parameter of the template")
                    .help(format!("say it: `{}<int>(…)`", function.name.text));
                return self.refuse(Rule::YTemplate, "deduce", refused);
            }
        }
        let types = found.types;
        let known = |name: &str| types.iter().any(|(known, _)| *known == name);
        let missing = function.types.iter().find(|param| !known(&param.text));
        if let Some(param) = missing {
            let message = format!("`{}` is not found in the arguments", param.text);
            let refused = Rejected::new(span, message, "called here")
                .with(param.span, "the parameter of the template")
                .help(format!("say it: `{}<int>(…)`", function.name.text));
            return self.refuse(Rule::YTemplate, "deduce", refused);
        }
        self.to.leave(String::new);
        Ok(types)
    }

    /// Holds the type of a parameter, as far as these stars, against that of its argument.
    fn deduce(&self, found: &mut Found<'p>, pattern: &'p Type, behind: &[Behind], ty: &Ty) {
        match (behind.split_last(), ty) {
            (Some((Behind::Star, rest)), Ty::Pointer(pointer)) => {
                let to = match &pointer.to {
                    Ty::Scalar(scalar)
                        if self.answers.param_space && !self.answers.generic_space =>
                    {
                        Ty::Scalar(Scalar { lies: pointer.points.known(), ..*scalar })
                    }
                    to => to.clone(),
                };
                self.deduce(found, pattern, rest, &to);
            }
            (Some((Behind::Reference, rest)), _) => {
                self.deduce(found, pattern, rest, ty);
            }
            (Some((Behind::Star, _)), _) => {}
            (None, _) => self.deduce_base(found, pattern, ty),
        }
    }

    fn deduce_base(&self, found: &mut Found<'p>, pattern: &'p Type, ty: &Ty) {
        match (&pattern.base, ty) {
            (Base::Pointer(_, inner), Ty::Pointer(pointer)) => {
                self.deduce(found, inner, &inner.behind, &pointer.to);
            }
            (Base::Named(name, args), Ty::Struct { number, .. }) if !args.is_empty() => {
                let made = &self.made_structs[*number];
                if made.item.name.text == name.text {
                    for (arg, (_, ty)) in args.iter().zip(made.types.clone()) {
                        self.deduce(found, arg, &arg.behind, &ty);
                    }
                }
            }
            (Base::Named(name, _), _) if *ty != Ty::Null => {
                let param = found.function.types.iter().find(|param| param.text == name.text);
                let Some(param) = param else { return };
                let keeps = self.answers.template_deduced && !self.answers.generic_space;
                let by_reference = pattern.behind.contains(&Behind::Reference);
                let stars = pattern.behind.contains(&Behind::Star);
                let ty = if by_reference || stars { ty.clone() } else { ty.copied() };
                let ty = if pattern.is_const { ty.with_const(false) } else { ty };
                let known = found.types.iter().position(|(known, _)| *known == name.text);
                match known {
                    None => found.types.push((&*param.text, ty.of_template(keeps))),
                    Some(at) if at < found.said => {}
                    Some(at) if self.one_but_for_spaces(&found.types[at].1, &ty) => {}
                    Some(at) => found.other = Some((param, found.types[at].1.clone(), ty)),
                }
            }
            _ => {}
        }
    }
}
