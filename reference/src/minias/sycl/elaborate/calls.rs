//! Calls, and the functions that are made for them: of templates one for each list of types, of lambdas what is passed
//! their captures.

use super::exps::Value;
use super::stmts::whole;
use super::structs::private_if_raw;
use super::types::{BOOL, Pointer, Ty, Types, plain};
use super::{Closure, Context, Elaborated, Elaborator, Variable};
use crate::kit::names::Var;
use crate::kit::text::{Rejected, Span, counted};
use crate::minias::sycl::rules::Rule;
use crate::minias::sycl::syntax::{self as cpp, Base, Captures, Function, Lambda};
use crate::minias::syntax::{self as mas, Exp, Kind, Param, Space, Stmt};
use std::collections::HashMap;
use std::rc::Rc;

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Callee<'p> {
    /// A function, by its name.
    Function(&'p str),
    /// A lambda, by its number.
    Closure(usize),
}

/// What is called, and with which types.
pub(super) type Key<'p> = (Callee<'p>, String);

/// A function that was made.
#[derive(Clone, Debug)]
pub(super) struct Made {
    name: Var,
    params: Vec<Ty>,
    /// The type of its result, once it is known.
    result: Option<Ty>,
}

/// A function whose body is to be elaborated.
pub(super) struct Waiting<'p> {
    key: Key<'p>,
    types: Types<'p>,
    /// See [`Context`].
    within: usize,
}

impl<'p> Elaborator<'p, '_> {
    /// A kernel, and what it reaches.
    pub(super) fn kernel(&mut self, kernel: &'p Function) -> Elaborated<()> {
        let mut params = Vec::new();
        for param in &kernel.params {
            params.push(self.ty(&param.ty, None)?);
        }
        let key = (Callee::Function(&kernel.name.text), String::new());
        let name = self.fresh(&kernel.name.text);
        self.made.insert(key.clone(), Made { name, params, result: Some(Ty::Void) });
        self.body(&key, Vec::new(), 0)?;
        loop {
            while let Some(Waiting { key, types, within }) = self.waiting.pop() {
                self.body(&key, types, within)?;
            }
            if self.asked == self.closures.len() {
                return Ok(());
            }
            self.asked += 1;
            self.uncalled(self.asked - 1)?;
        }
    }

    /// A lambda whose types are all said has a body as it is, also if nothing calls it.
    fn uncalled(&mut self, number: usize) -> Elaborated<()> {
        let Closure { called, params, types, within, span, .. } = &self.closures[number];
        let params: Option<Vec<Ty>> = params.iter().cloned().collect();
        let (Some(params), false) = (params, *called) else { return Ok(()) };
        let (types, span) = (types.clone(), *span);
        self.function = Context { within: *within, ..Context::default() };
        let key = (Callee::Closure(number), format!("{params:?}"));
        self.instance(key, types, params, None, span).map(drop)
    }

    /// `Y-CALL`: what is called is a function or a lambda (function) with so many parameters (arity).
    pub(super) fn call(
        &mut self,
        name: &'p cpp::Name,
        types: &'p [cpp::Type],
        args: &'p [cpp::Exp],
        span: Span,
    ) -> Elaborated<Value> {
        self.to.enter(Rule::YCall, || name.text.clone());
        let mut values = Vec::new();
        for arg in args {
            values.push(self.exp(arg)?);
        }
        let in_scope = self.function.blocks.iter().any(|block| block.contains_key(&*name.text));
        let (key, passed) = if in_scope {
            let callee = self.exp_of_name(name)?;
            match callee.ty {
                Ty::Closure { number, .. } => {
                    (self.closure_instance(number, &values, name.span)?, callee.leaves)
                }
                _ => return self.no_function(name, "a variable"),
            }
        } else {
            let Some(function) = self.functions.get(&*name.text).copied() else {
                return self.no_function(name, "not declared, or not captured, here");
            };
            if function.kernel {
                return self.no_function(name, "a kernel, which is launched");
            }
            (self.function_instance(function, types, &values, name.span)?, Vec::new())
        };
        let value = self.called(&key, passed, values, span)?;
        self.to.leave(String::new);
        Ok(value)
    }

    fn exp_of_name(&mut self, name: &'p cpp::Name) -> Elaborated<Value> {
        self.name(&name.text, name.span)
    }

    fn no_function<T>(&mut self, name: &cpp::Name, label: &str) -> Elaborated<T> {
        let message = format!("`{}` is not called", name.text);
        self.refuse(Rule::YCall, "function", Rejected::new(name.span, message, label))
    }

    fn arity(&mut self, wanted: usize, found: usize, span: Span) -> Elaborated<()> {
        if wanted == found {
            return Ok(());
        }
        let message =
            format!("{} for {}", counted(found, "argument"), counted(wanted, "parameter"));
        self.refuse(Rule::YCall, "arity", Rejected::new(span, message, "called here"))
    }

    /// The function for these arguments.
    fn function_instance(
        &mut self,
        function: &'p Function,
        explicit: &'p [cpp::Type],
        values: &[Value],
        span: Span,
    ) -> Elaborated<Key<'p>> {
        self.arity(function.params.len(), values.len(), span)?;
        let types = self.template(function, explicit, values, span)?;
        let around = std::mem::take(&mut self.function);
        self.function.types.clone_from(&types);
        self.function.within = around.within;
        // A type may be that of a call of the function.
        self.opens(self.made.len(), span)?;
        let mut params = Vec::new();
        for (param, value) in function.params.iter().zip(values) {
            let auto = self.auto(&param.ty, value);
            let ty = self.ty(&param.ty, Some(&auto))?;
            params.push(self.known_to_be(ty, value));
        }
        let deduces = function.result.base == Base::Auto && function.result.behind.is_empty();
        let result = if deduces { None } else { Some(self.ty(&function.result, None)?) };
        self.open -= 1;
        self.function = around;
        let key = (Callee::Function(&function.name.text), format!("{types:?} {params:?}"));
        self.instance(key, types, params, result, span)
    }

    /// The function of a lambda for these arguments.
    fn closure_instance(
        &mut self,
        number: usize,
        values: &[Value],
        span: Span,
    ) -> Elaborated<Key<'p>> {
        self.closures[number].called = true;
        let lambda = self.closures[number].lambda;
        self.arity(lambda.params.len(), values.len(), span)?;
        let mut params = Vec::new();
        for (at, (param, value)) in lambda.params.iter().zip(values).enumerate() {
            let ty = match self.closures[number].params[at].clone() {
                Some(ty) => ty,
                None => {
                    let auto = self.auto(&param.ty, value);
                    let auto = if self.carries_spaces() { auto } else { auto.written() };
                    let ty = self.ty(&param.ty, Some(&auto))?;
                    self.of_lambda(ty)
                }
            };
            params.push(self.known_to_be(ty, value));
        }
        let types = self.closures[number].types.clone();
        self.instance((Callee::Closure(number), format!("{params:?}")), types, params, None, span)
    }

    fn carries_spaces(&self) -> bool {
        self.answers.types_carry_spaces()
    }

    /// The type of a parameter, with the spaces of what is passed where types carry spaces.
    fn known_to_be(&self, ty: Ty, value: &Value) -> Ty {
        if !self.carries_spaces() {
            return ty;
        }
        match ty {
            Ty::Reference(reference) => {
                let known = match value.place {
                    Some(known) if !Self::takes_value(&reference, value) => known,
                    _ => Some(Space::Private),
                };
                let points = match reference.points {
                    super::types::Points::Raw { fixed: false, .. } => {
                        super::types::Points::raw(known)
                    }
                    points => points,
                };
                let to = reference.to.deduced(value.ty.known());
                Ty::Reference(Rc::new(Pointer { points, is_const: false, to }))
            }
            ty => ty.deduced(value.ty.known()),
        }
    }

    /// The instance, made if it is not there. Its body is elaborated at once where something of it decides the type of the
    /// call.
    fn instance(
        &mut self,
        key: Key<'p>,
        types: Types<'p>,
        params: Vec<Ty>,
        result: Option<Ty>,
        span: Span,
    ) -> Elaborated<Key<'p>> {
        if self.made.contains_key(&key) {
            return Ok(key);
        }
        let name = match key.0 {
            Callee::Function(name) => self.fresh(name),
            Callee::Closure(_) => self.fresh("lambda"),
        };
        // Its body says where the result points, or what it is.
        let says = |result: &Ty| matches!(result, Ty::Pointer(_) | Ty::Reference(_));
        let at_once = result.as_ref().is_none_or(|result| self.carries_spaces() && says(result));
        self.made.insert(key.clone(), Made { name, params, result });
        let within = self.function.within + usize::from(self.is_generic(key.0));
        self.few_instances(self.made.len(), within, span)?;
        if at_once {
            let around = std::mem::take(&mut self.function);
            self.body(&key, types, within)?;
            self.function = around;
        } else {
            self.waiting.push(Waiting { key: key.clone(), types, within });
        }
        Ok(key)
    }

    /// May there be an instance of it for other types with each call? Of the others there are as many as the text has.
    fn is_generic(&self, callee: Callee<'p>) -> bool {
        let params = match callee {
            Callee::Function(name) if !self.functions[name].types.is_empty() => return true,
            Callee::Function(name) => &self.functions[name].params,
            // Each evaluation of a lambda makes a type.
            Callee::Closure(_) => return true,
        };
        params.iter().any(|param| param.ty.base == Base::Auto)
    }

    /// `Y-FUNCTION`: the result is no struct and no lambda (result).
    fn body(&mut self, key: &Key<'p>, types: Types<'p>, within: usize) -> Elaborated<()> {
        let made = self.made[key].clone();
        let mut block = HashMap::new();
        let (mut params, span, kernel, declared, body);
        let mut outside = HashMap::new();
        match key.0 {
            Callee::Function(name) => {
                let function = self.functions[name];
                (declared, body) = (&function.params, &function.body);
                (span, kernel, params) = (function.span, function.kernel, Vec::new());
            }
            Callee::Closure(number) => {
                let closure = &self.closures[number];
                (declared, body) = (&closure.lambda.params, &closure.lambda.body);
                (span, kernel) = (closure.span, false);
                let captures = closure.captures.clone();
                outside.clone_from(&closure.outside);
                // What is captured points to where it does; else the calls say where.
                let says = !closure.called && !self.answers.generic_space;
                params = Vec::new();
                for (name, ty) in captures {
                    let passed = if says { ty.carrying() } else { ty.clone() };
                    let leaves = self.param(name, &passed, span, &mut params);
                    // A reference is what it refers to; a copy is const.
                    let copied = !matches!(ty, Ty::Reference(_));
                    let copied_const = copied.then(|| ty.is_const());
                    let ty = ty.with_const(true);
                    block.insert(name, Variable { ty, leaves, array: false, copied_const, span });
                }
            }
        }
        self.to.enter(Rule::YFunction, || self.names.text(made.name).to_owned());
        let result = made.result.clone();
        let deduces_result = result.is_none();
        let blocks = vec![block];
        let key_of = Some(key.clone());
        self.function = Context {
            types,
            blocks,
            result,
            deduces_result,
            within,
            key: key_of,
            outside,
            unevaluated: 0,
        };
        self.function.blocks.push(HashMap::new());
        let mut normal = Vec::new();
        for (param, ty) in declared.iter().zip(&made.params) {
            let name = param.name.as_ref().map_or("unnamed", |name| &*name.text);
            if *ty == Ty::Void {
                return self.no_value("a parameter", param.ty.span);
            }
            let leaves = self.param(name, ty, param.ty.span, &mut params);
            if kernel {
                normal.extend(self.normal_bools(ty, &leaves)?);
                let to_bools = self.each_part(ty, &|ty| match ty {
                    Ty::Pointer(pointer) => pointer.to.copied() == BOOL,
                    _ => false,
                });
                let params = params[params.len() - leaves.len()..].iter();
                let to_bools = params.zip(to_bools).filter(|(_, to_bools)| *to_bools);
                self.bools.extend(to_bools.filter_map(|(param, _)| param.var));
            }
            let (ty, span) = (ty.clone(), param.span);
            let variable = Variable { ty, leaves, array: false, copied_const: None, span };
            if let Some(name) = &param.name {
                self.bind(name, variable)?;
            }
        }
        let mut made_body = normal;
        made_body.extend(self.stmts(body)?);
        let result = self.function.result.take().unwrap_or(Ty::Void);
        let found = self.leaves(&result, span);
        let [(_, ty)] = &found[..] else { return self.no_result(span) };
        let ty = ty.clone();
        self.made.get_mut(key).expect("it is being made").result = Some(result);
        let name = made.name;
        self.items.push(mas::Function {
            span,
            name,
            kernel,
            result: ty,
            params,
            body: Some(made_body),
        });
        self.to.leave(String::new);
        Ok(())
    }

    /// Bools that come from outside become 0 or 1.
    fn normal_bools(&mut self, ty: &Ty, leaves: &[Exp]) -> Elaborated<Vec<Stmt>> {
        let mut normal = Vec::new();
        let are_bools = self.each_part(ty, &|ty| ty.copied() == BOOL);
        for (leaf, is_bool) in leaves.iter().zip(are_bools) {
            if is_bool {
                let zero = self.made(leaf.span, Kind::Int(0))?;
                let value = self.different(leaf.clone(), zero)?;
                let kind = mas::StmtKind::Assign(leaf.clone(), value);
                normal.push(Stmt { span: leaf.span, kind });
            }
        }
        Ok(normal)
    }

    /// Does this hold of the variables that a variable of the type becomes?
    fn each_part(&self, ty: &Ty, holds: &impl Fn(&Ty) -> bool) -> Vec<bool> {
        match ty {
            Ty::Struct { number, .. } => {
                let fields = &self.made_structs[*number].fields;
                fields.iter().flat_map(|(_, ty)| self.each_part(ty, holds)).collect()
            }
            Ty::Scalar(_) | Ty::Pointer(_) => vec![holds(ty)],
            other => vec![false; self.parts_of(other)],
        }
    }

    /// The type of the result is known from here on, also in calls of the function by itself.
    pub(super) fn result_is(&mut self, result: &Ty) {
        let made = self.function.key.as_ref().and_then(|key| self.made.get_mut(key));
        if let Some(made) = made.filter(|made| made.result.is_none()) {
            made.result = Some(result.clone());
        }
    }

    pub(super) fn no_result<T>(&mut self, span: Span) -> Elaborated<T> {
        let message = "the result of a function is an int, a pointer or a reference";
        let refused = Rejected::new(span, message, "a struct or a lambda")
            .help("pass a reference to a variable that takes it");
        self.refuse(Rule::YFunction, "result", refused)
    }

    /// The parameters of MiniAS that a parameter becomes.
    fn param(&mut self, name: &str, ty: &Ty, span: Span, into: &mut Vec<Param>) -> Vec<Exp> {
        let mut leaves = Vec::new();
        for (behind, ty) in self.leaves(ty, span) {
            let var = self.fresh(&format!("{name}{behind}"));
            into.push(Param { span, var: Some(var), ty });
            leaves.push(Exp { span, kind: Kind::Var(var) });
        }
        leaves
    }

    /// A call of a function that was made (cycle: the type of its result is known).
    fn called(
        &mut self,
        key: &Key<'p>,
        passed: Vec<Exp>,
        values: Vec<Value>,
        span: Span,
    ) -> Elaborated<Value> {
        let made = self.made[key].clone();
        let Some(result) = made.result.clone() else {
            let message = "the type of the result is not known where the function calls itself";
            let refused = Rejected::new(span, message, "called here").help("write the type");
            return self.refuse(Rule::YFunction, "cycle", refused);
        };
        let is_temporary = |(ty, value): (&Ty, &Value)| match ty {
            Ty::Reference(reference) => Self::takes_value(reference, value),
            _ => false,
        };
        let temporaries: Vec<bool> = made.params.iter().zip(&values).map(is_temporary).collect();
        let mut args = passed;
        for ((ty, value), temporary) in made.params.iter().zip(values).zip(&temporaries) {
            let at = value.span;
            let by_value = match ty {
                Ty::Reference(reference) if *temporary => reference.to.copied(),
                ty => ty.clone(),
            };
            args.extend(self.converted(value, &by_value, at)?);
        }
        let name = if temporaries.contains(&true) {
            self.with_temporaries(key, &made, &result, &temporaries, span)?
        } else {
            made.name
        };
        let call = self.made(span, Kind::Call(name, args))?;
        if let Ty::Reference(reference) = &result {
            let load = self.made(span, Kind::Load(Box::new(call)))?;
            let place = Some(reference.points.known());
            return Ok(Value { place, ..Value::of(reference.to.clone(), load) });
        }
        Ok(Value::of(result, call))
    }

    /// A function that takes some arguments by value and passes places of its own.
    fn with_temporaries(
        &mut self,
        key: &Key<'p>,
        made: &Made,
        result: &Ty,
        temporaries: &[bool],
        span: Span,
    ) -> Elaborated<Var> {
        let (mut params, mut args) = (Vec::new(), Vec::new());
        if let Callee::Closure(number) = key.0 {
            for (name, ty) in self.closures[number].captures.clone() {
                args.extend(self.param(name, &ty, span, &mut params));
            }
        }
        for (ty, temporary) in made.params.iter().zip(temporaries) {
            match ty {
                Ty::Reference(reference) if *temporary => {
                    let by_value = reference.to.copied();
                    for leaf in self.param("temporary", &by_value, span, &mut params) {
                        args.push(self.address_of(leaf, span)?);
                    }
                }
                ty => args.extend(self.param("passed", ty, span, &mut params)),
            }
        }
        let name = self.names.fresh(crate::kit::names::Wish::Like(made.name));
        let call = self.made(span, Kind::Call(made.name, args))?;
        let kind = match result {
            Ty::Void => mas::StmtKind::Exp(call),
            _ => mas::StmtKind::Return(Some(call)),
        };
        let result = match &self.leaves(result, span)[..] {
            [(_, ty)] => ty.clone(),
            _ => plain(result, span),
        };
        let body = Some(vec![whole(vec![Stmt { span, kind }], span)]);
        self.items.push(mas::Function { span, name, kernel: false, result, params, body });
        Ok(name)
    }

    /// `Y-LAMBDA`: what is captured is a variable (capture). By `capture=fixed` a raw pointer is captured as `int *`, which is
    /// private.
    pub(super) fn lambda(&mut self, lambda: &'p Lambda, span: Span) -> Elaborated<Value> {
        self.to.enter(Rule::YLambda, || "[…]".to_owned());
        let names = super::free::names(lambda);
        let named: Vec<(&'p str, Span)> = match &lambda.captures {
            Captures::Nothing => Vec::new(),
            Captures::Names(names) => names.iter().map(|name| (&*name.text, name.span)).collect(),
            Captures::Copies | Captures::References => names.used,
        };
        let around = |name| {
            let blocks = self.function.blocks.iter().rev();
            blocks.chain([&self.function.outside]).find_map(|block| block.get(name)).cloned()
        };
        let mentioned = names.mentioned.into_iter().map(|(name, _)| name);
        let outside = mentioned.filter_map(|name| Some((name, around(name)?))).collect();
        let by_reference = lambda.captures == Captures::References;
        let (mut captures, mut leaves): (Vec<(&'p str, Ty)>, _) = (Vec::new(), Vec::new());
        for (name, at) in named {
            let known = self.function.blocks.iter().rev().find_map(|block| block.get(name));
            let Some(variable) = known else {
                if matches!(lambda.captures, Captures::Names(_)) {
                    let message = format!("there is no variable `{name}` to capture");
                    let refused = Rejected::new(at, message, "captured here");
                    return self.refuse(Rule::YLambda, "capture", refused);
                }
                continue;
            };
            let array = variable.array;
            let value = self.name(name, at)?;
            let ty = self.captured(value.ty.clone());
            if let (true, false, Some(space)) = (by_reference, array, value.place) {
                for leaf in value.leaves {
                    leaves.push(self.address_of(leaf, at)?);
                }
                captures.push((name, Ty::reference(super::types::Points::raw(space), ty)));
            } else if array && !by_reference {
                let message = format!("the array `{name}` is captured by a copy");
                let refused = Rejected::new(at, message, "an array").help("capture it by `[&]`");
                return self.refuse(Rule::YLambda, "capture", refused);
            } else {
                leaves.extend(value.leaves);
                captures.push((name, ty));
            }
        }
        let mut params = Vec::new();
        for param in &lambda.params {
            params.push(match param.ty.base {
                Base::Auto => None,
                _ => {
                    let ty = self.ty(&param.ty, None)?;
                    Some(self.of_lambda(ty))
                }
            });
        }
        let types = self.function.types.clone();
        let number = self.closures.len();
        let parts: usize = captures.iter().map(|(_, ty)| self.parts_of(ty)).sum();
        self.few_parts(parts, "a lambda", span)?;
        let within = self.function.within;
        let called = false;
        let made =
            Closure { lambda, span, captures, params, types, parts, called, within, outside };
        self.closures.push(made);
        self.to.leave(String::new);
        let ty = Ty::Closure { number, is_const: false };
        Ok(Value { span, ty, leaves, place: None, since: None })
    }

    fn captured(&self, ty: Ty) -> Ty {
        self.fixed(ty, self.answers.capture_fixed)
    }

    fn of_lambda(&self, ty: Ty) -> Ty {
        self.fixed(ty, self.answers.call_fixed)
    }

    /// The type, of a private pointer if nothing is deduced.
    fn fixed(&self, ty: Ty, fixed: bool) -> Ty {
        match ty {
            Ty::Pointer(pointer) if fixed && !self.answers.generic_space => {
                let points = private_if_raw(pointer.points);
                Ty::Pointer(Rc::new(Pointer { points, ..(*pointer).clone() }))
            }
            ty => ty,
        }
    }
}
