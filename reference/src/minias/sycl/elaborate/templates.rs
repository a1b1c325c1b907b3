//! What the parameters of a template stand for in a call.

use super::exps::Value;
use super::types::{Scalar, Ty, Types};
use super::{Elaborated, Elaborator};
use crate::kit::text::{Rejected, Span};
use crate::minias::sycl::rules::Rule;
use crate::minias::sycl::syntax::{Base, Behind, Function, Type};

impl<'p> Elaborator<'p, '_> {
    /// `Y-TEMPLATE`: each parameter is said, or is found in the types of the arguments (deduce).
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
        for (param, value) in function.params.iter().zip(values) {
            self.deduce(function, &param.ty, &param.ty.behind, &value.ty, &mut types);
        }
        let found = |name: &str| types.iter().any(|(known, _)| *known == name);
        let missing = function.types.iter().find(|param| !found(&param.text));
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
    fn deduce(
        &self,
        function: &'p Function,
        pattern: &'p Type,
        behind: &[Behind],
        ty: &Ty,
        types: &mut Types<'p>,
    ) {
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
                self.deduce(function, pattern, rest, &to, types);
            }
            (Some((Behind::Reference, rest)), _) => {
                self.deduce(function, pattern, rest, ty, types);
            }
            (Some((Behind::Star, _)), _) => {}
            (None, _) => self.deduce_base(function, pattern, ty, types),
        }
    }

    fn deduce_base(
        &self,
        function: &'p Function,
        pattern: &'p Type,
        ty: &Ty,
        types: &mut Types<'p>,
    ) {
        match (&pattern.base, ty) {
            (Base::Pointer(_, inner), Ty::Pointer(pointer)) => {
                self.deduce(function, inner, &inner.behind, &pointer.to, types);
            }
            (Base::Named(name, args), Ty::Struct(number)) if !args.is_empty() => {
                let made = &self.made_structs[*number];
                if made.item.name.text == name.text {
                    for (arg, (_, ty)) in args.iter().zip(made.types.clone()) {
                        self.deduce(function, arg, &arg.behind, &ty, types);
                    }
                }
            }
            (Base::Named(name, _), _) if *ty != Ty::Null => {
                let param = function.types.iter().find(|param| param.text == name.text);
                let known = types.iter().any(|(known, _)| *known == name.text);
                if let (Some(param), false) = (param, known) {
                    let keeps = self.answers.template_deduced && !self.answers.generic_space;
                    let by_reference = pattern.behind.contains(&Behind::Reference);
                    let stars = pattern.behind.contains(&Behind::Star);
                    let ty = if by_reference || stars { ty.clone() } else { ty.copied() };
                    let ty = if pattern.is_const { ty.with_const(false) } else { ty };
                    types.push((&*param.text, ty.of_template(keeps)));
                }
            }
            _ => {}
        }
    }
}
