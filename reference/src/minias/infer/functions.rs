//! Functions, kernels and programs: prototypes, generalisation, closing.

use super::calls::{callees, components};
use super::stmts::is_kernel_parameter;
use super::{Around, Declared, Entry, Infer, Inferred, Mono, Variable, places};
use crate::kit::names::Var;
use crate::kit::text::{Rejected, Span, counted};
use crate::minias::rows::{Origin, Row, RowVar, Ty};
use crate::minias::rules::Rule;
use crate::minias::syntax::{Function, Param, Space, SpaceAt, Spaces, Stmt, StmtKind, Written};
use crate::minias::types::{More, Note, RowNames, Scheme, Typed};
use std::collections::{HashMap, HashSet};

impl<'p> Infer<'p, '_> {
    /// `T-PROGRAM`: constants, then functions, callees first. That names are declared once (once) the parser says.
    pub(super) fn t_program(mut self) -> Inferred<Typed> {
        self.to.enter(Rule::TProgram, String::new);
        for constant in self.program.constants() {
            self.t_const(constant);
        }
        let mut declared: HashMap<Var, Declared<'p>> = HashMap::new();
        let mut order = Vec::new();
        for function in self.program.functions() {
            let known = declared.entry(function.name).or_insert_with(|| {
                order.push(function.name);
                Declared::default()
            });
            let slot =
                if function.body.is_some() { &mut known.definition } else { &mut known.prototype };
            *slot = Some(function);
        }
        let number: HashMap<Var, usize> =
            order.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        let edges: Vec<Vec<usize>> = order
            .iter()
            .map(|name| {
                callees(declared[name].main())
                    .iter()
                    .filter_map(|callee| number.get(callee).copied())
                    .collect()
            })
            .collect();
        let mut schemes: Vec<Option<Scheme>> = vec![None; order.len()];
        for mut component in components(&edges) {
            component.sort_unstable();
            let functions: Vec<Declared<'p>> =
                component.iter().map(|at| declared[&order[*at]]).collect();
            for (at, scheme) in component.iter().zip(self.component(&functions)?) {
                schemes[*at] = Some(scheme);
            }
        }
        self.to.leave(String::new);
        let schemes = order.into_iter().zip(schemes);
        let schemes = schemes
            .map(|(name, scheme)| (name, scheme.expect("each function is in a component")))
            .collect();
        let variables = std::mem::take(&mut self.bound).into_iter().map(|var| {
            let Entry::Variable(variable) = &self.entries[var.slot()] else {
                unreachable!("it is bound")
            };
            (var, self.rows.whole(&variable.ty))
        });
        let variables = variables.collect();
        let bodies = self.bodies();
        Ok(Typed { schemes, variables, bodies })
    }

    /// The notes of each function, under the whole substitution.
    fn bodies(&mut self) -> Vec<(Var, Vec<Note>)> {
        let mut notes = std::mem::take(&mut self.notes);
        for note in &mut notes {
            note.ty = self.rows.whole(&note.ty);
            match &mut note.more {
                More::Nothing | More::Same => {}
                More::Instance(rows) => {
                    rows.iter_mut().for_each(|(_, row)| *row = self.rows.row(*row));
                }
                More::Opened(ty) => *ty = self.rows.whole(ty),
            }
        }
        let mut bodies = Vec::new();
        for (function, start) in std::mem::take(&mut self.starts).into_iter().rev() {
            bodies.push((function, notes.split_off(start)));
        }
        bodies.reverse();
        bodies
    }

    /// `T-CONST`: literals, which is all that the parser reads (constant).
    fn t_const(&mut self, constant: &crate::minias::syntax::Decl) {
        let names = &self.program.names;
        self.to.enter(Rule::TConst, || names.written(constant.var).to_owned());
        self.to.leave(String::new);
        let (lies, array) = (Space::Constant, constant.extent.is_some());
        let ty = if array {
            Ty::pointer(Row::closed(Spaces::one(lies)), true, Ty::Int)
        } else {
            Ty::Int
        };
        self.binds(constant.var, Variable { ty, span: constant.span, lies, array });
    }

    /// Functions that call each other: one type for each inside, generalised after (reading M11).
    fn component(&mut self, functions: &[Declared<'p>]) -> Inferred<Vec<Scheme>> {
        let first = self.rows.len();
        let mut monos = Vec::new();
        for declared in functions {
            monos.push(self.declare(*declared)?);
        }
        for (declared, mono) in functions.iter().zip(&monos) {
            if let Some(function) = declared.definition {
                self.body(function, mono)?;
            }
        }
        let mut stays = HashSet::new();
        for (declared, mono) in functions.iter().zip(&monos) {
            if !declared.main().kernel {
                stays.extend(self.rows_of(mono));
            }
        }
        // First every variable that is in no type closes to {}.
        for var in (first..self.rows.len()).map(|at| RowVar(at as u32)) {
            if !stays.contains(&var) || self.rows.is_behind_a_name(var) {
                self.rows.close(var, self.to);
            }
        }
        let mut schemes = Vec::new();
        for (declared, mono) in functions.iter().zip(&monos) {
            let function = declared.main();
            let scheme = self.generalise(mono, function.kernel);
            self.entries[function.name.slot()] = match function.kernel {
                true => Entry::Kernel,
                false => Entry::Poly(scheme.clone(), mono.spans.clone()),
            };
            schemes.push(scheme);
        }
        Ok(schemes)
    }

    /// The type that a function is declared with; a prototype of it has the same (prototype).
    fn declare(&mut self, declared: Declared<'p>) -> Inferred<Mono> {
        let function = declared.main();
        let rule = if function.kernel { Rule::TKernel } else { Rule::TFunction };
        let names = &self.program.names;
        self.to.enter(rule, || names.written(function.name).to_owned());
        let mut mono = self.written_type(function)?;
        if let (Some(prototype), Some(definition)) = (declared.prototype, declared.definition) {
            self.agrees(prototype, definition, &mono)?;
            mono.spans = places_of_both(prototype, definition);
        }
        self.entries[function.name.slot()] = if function.kernel {
            // It is not in scope in its own body either.
            Entry::Kernel
        } else {
            Entry::Mono(mono.clone())
        };
        self.to.leave(String::new);
        Ok(mono)
    }

    fn written_type(&mut self, function: &Function) -> Inferred<Mono> {
        let mut params = Vec::new();
        for param in &function.params {
            if function.kernel {
                self.kernel_parameter(param)?;
            }
            if !matches!(param.ty.lies.written, Written::Elided | Written::Name(Space::Private)) {
                let message = "a parameter lies in private memory";
                let refused = Rejected::new(param.ty.lies.span, message, "not there")
                    .help("a space before a star says where that star points");
                return self.refuse(Rule::TFunction, "place", refused);
            }
            params.push(self.ty(&param.ty)?);
        }
        Ok(Mono { params, result: self.ty(&function.result)?, spans: places(function) })
    }

    /// `T-KERNEL`: a parameter is an int, or an int pointer to a named space that is not private (parameter).
    fn kernel_parameter(&mut self, param: &Param) -> Inferred<()> {
        if is_kernel_parameter(&param.ty) {
            return Ok(());
        }
        let message = "a kernel takes ints, and int pointers to global, local or constant memory";
        let refused = Rejected::new(param.span, message, "no such parameter")
            .help("name the space, as in `global int *p`: a kernel has no caller that says it");
        self.refuse(Rule::TKernel, "parameter", refused)
    }

    /// The types of a prototype and of its function are the same.
    fn agrees(&mut self, prototype: &Function, definition: &Function, mono: &Mono) -> Inferred<()> {
        let other = self.written_type(prototype)?;
        let message = format!("the prototype of `{}` has another type", self.name(definition.name));
        if definition.kernel || other.params.len() != mono.params.len() {
            let [one, two] = [&other, mono].map(|of| counted(of.params.len(), "parameter"));
            let label =
                if definition.kernel { "a kernel has no prototype".to_owned() } else { two };
            let refused = Rejected::new(definition.span, message, label)
                .with(prototype.span, format!("the prototype, {one}"));
            return self.refuse(Rule::TFunction, "prototype", refused);
        }
        let types = other.params.iter().zip(&mono.params).chain([(&other.result, &mono.result)]);
        let results = (prototype.result.span, definition.result.span);
        let spans = other.spans.into_iter().zip(mono.spans.iter().copied()).chain([results]);
        for ((theirs, ours), (there, here)) in types.zip(spans) {
            self.rows.stand_at(there);
            if self.rows.unify(theirs, ours, self.to) == Ok(()) {
                continue;
            }
            let mut names = RowNames::default();
            let [theirs, ours] =
                [theirs, ours].map(|ty| format!("`{}`", names.ty(&self.rows.whole(ty))));
            let refused = Rejected::new(here, message, ours).with(there, theirs);
            return self.refuse(Rule::TFunction, "prototype", refused);
        }
        Ok(())
    }

    /// `T-FUNCTION`, `T-KERNEL`
    ///
    /// ```text
    /// P|Γ, f : τ̄ → t, x̄ : τ̄ ⊢_t s̄
    /// every path through s̄ returns, if t is a type      (returns)
    /// ──────────────────────────
    /// P|Γ ⊢ t f(τ̄ x̄) { s̄ }
    /// ```
    fn body(&mut self, function: &'p Function, mono: &Mono) -> Inferred<()> {
        let rule = if function.kernel { Rule::TKernel } else { Rule::TFunction };
        let names = &self.program.names;
        self.to.enter(rule, || names.written(function.name).to_owned());
        for (param, ty) in function.params.iter().zip(&mono.params) {
            let var = param.var.expect("the parser wants names where there is a body");
            let (ty, span) = (ty.clone(), param.span);
            self.binds(var, Variable { ty, span, lies: Space::Private, array: false });
        }
        let result = Some((mono.result.clone(), function.result.span));
        self.starts.push((function.name, self.notes.len()));
        self.around = Around { kernel: function.kernel, outermost: true, result };
        let body = function.body.as_deref().expect("a definition has a body");
        self.stmts(body)?;
        if mono.result != Ty::Void && !body.iter().any(returns) {
            let message = format!("`{}` does not return on every path", self.name(function.name));
            let refused = Rejected::new(function.span, message, "it has a result");
            return self.refuse(rule, "returns", refused.help("end it with `return e;`"));
        }
        self.to.leave(String::new);
        Ok(())
    }

    /// The row variables of a type, in order.
    fn rows_of(&mut self, mono: &Mono) -> Vec<RowVar> {
        let mut found = Vec::new();
        for ty in mono.params.iter().chain([&mono.result]) {
            let mut ty = self.rows.whole(ty);
            // The spaces of a type are read from the inside, as they are printed.
            let mut ends = Vec::new();
            while let Ty::Pointer(pointer) = ty {
                ends.extend(pointer.row.end);
                ty = pointer.to.clone();
            }
            for end in ends.into_iter().rev() {
                if !found.contains(&end) {
                    found.push(end);
                }
            }
        }
        found
    }

    /// `=>I` for each predicate, `∀I` for each row variable of the type.
    fn generalise(&mut self, mono: &Mono, kernel: bool) -> Scheme {
        let rows = if kernel { Vec::new() } else { self.rows_of(mono) };
        let mut lacks: Vec<(RowVar, Space, Origin)> = Vec::new();
        for row in &rows {
            self.to.enter(Rule::AllIntro, String::new);
            for (space, origin) in self.rows.lacks(*row) {
                self.to.enter(Rule::QualIntro, String::new);
                self.to.leave(String::new);
                lacks.push((*row, space, origin));
            }
            self.to.leave(String::new);
        }
        let params = mono.params.iter().map(|param| self.rows.whole(param)).collect();
        Scheme { rows, lacks, params, result: self.rows.whole(&mono.result) }
    }

    /// `∀E` with new variables, `=>E` with their predicates.
    pub(super) fn instance(&mut self, scheme: &Scheme) -> (Vec<Ty>, Ty, More) {
        let mut new: Vec<(RowVar, Row)> = Vec::new();
        for row in &scheme.rows {
            self.to.enter(Rule::AllElim, String::new);
            self.to.leave(String::new);
            new.push((*row, Row::var(self.rows.fresh())));
        }
        for (row, space, origin) in &scheme.lacks {
            self.to.enter(Rule::QualElim, String::new);
            self.to.leave(String::new);
            let known = new.iter().find(|(old, _)| old == row);
            let end = known.and_then(|(_, new)| new.end);
            let end = end.expect("the predicates are of variables of the scheme");
            self.rows.lack(end, *space, *origin);
        }
        let params = scheme.params.iter().map(|param| param.under(&new)).collect();
        (params, scheme.result.under(&new), More::Instance(new))
    }
}

/// The places of the parameters that say their types: in the prototype, where that names a space which the definition leaves
/// out.
fn places_of_both(prototype: &Function, definition: &Function) -> Vec<Span> {
    let elided = |star: &SpaceAt| star.written == Written::Elided;
    let place = |(first, second): (&Param, &Param)| {
        let mut stars = first.ty.stars.iter().zip(&second.ty.stars);
        let says_more = stars.any(|(first, second)| !elided(first) && elided(second));
        if says_more { first.span } else { second.span }
    };
    prototype.params.iter().zip(&definition.params).map(place).collect()
}

/// Does every path through the statement return?
fn returns(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(_) => true,
        StmtKind::Block(body) => body.iter().any(returns),
        StmtKind::If(_, then, Some(otherwise)) => returns(then) && returns(otherwise),
        _ => false,
    }
}
