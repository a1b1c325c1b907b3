//! Functions and calls of them. A function is passed evidence, the number of its item and the blocks of its constants as far
//! as it asks for them, and of each pointer the parts by which pointers of its row differ.

use super::value::{INTS, Part, Pointer, Val};
use super::{Form, Lower, Lowered, pointer_type};
use reference::device::syntax::{self as device, Exp, I32, Kind, Ty as DeviceTy};
use reference::kit::names::{Var, Wish};
use reference::kit::text::Span;
use reference::minias::rows::{Row, RowVar, Ty};
use reference::minias::syntax::{self, Space, Spaces};
use reference::minias::types::{More, Note};

impl<'p> Lower<'p> {
    /// The predicates of which a function is passed evidence.
    fn predicates(&self, function: Var) -> Vec<(RowVar, Space)> {
        if self.form == Form::Specialised {
            return Vec::new();
        }
        let lacks = self.schemes[&function].lacks.iter();
        let lacks = lacks.filter(|(_, space, _)| *space != Space::Constant);
        lacks.map(|(row, space, _)| (*row, *space)).collect()
    }

    /// A call: the arguments, from left to right, then the function.
    pub(super) fn call(
        &mut self,
        span: Span,
        name: Var,
        args: &'p [syntax::Exp],
        ty: &Ty,
        note: &Note,
    ) -> Lowered<Val> {
        let number = self.graph.called(name, note, &self.around.rows);
        let scheme = self.schemes[&name];
        let rows = match &note.more {
            More::Instance(rows) => &rows[..],
            _ => &[],
        };
        let mut passed = Vec::new();
        for (arg, param) in args.iter().zip(&scheme.params) {
            let wanted = self.here(&param.under(rows));
            let val = self.flows(arg, &wanted)?;
            let parts = self.layout(number, param);
            match val {
                Val::Pointer(pointer) => {
                    passed.extend(parts.into_iter().map(|part| pointer.part(part).clone()));
                }
                val => passed.push(val.int()),
            }
        }
        let body = self.graph.instances[number].body;
        let mut all = Vec::new();
        for (row, space) in self.predicates(name) {
            let known = rows.iter().find(|(var, _)| *var == row);
            let here = known.map_or(Row::var(row), |(_, row)| row.under(&self.around.rows));
            all.push(self.evidence(here, space));
        }
        if self.graph.asks[body] {
            all.push(self.item());
        }
        let constants = self.graph.constants[body].iter();
        all.extend(constants.map(|var| self.around.constants[var].clone()));
        all.extend(passed);
        let function = number as u32;
        let result = self.functions[number].result.as_ref().map(|(ty, _)| ty.clone());
        let Some(result) = result else {
            self.emit(span, Kind::Call { into: None, function, args: all });
            return Ok(Val::Nothing);
        };
        let into = self.names.fresh(Wish::Like(name));
        self.code.binds(into);
        self.emit(span, Kind::Call { into: Some(into), function, args: all });
        if result == I32 {
            return Ok(Val::Int(Exp::Var(into)));
        }
        // What the caller knows of the row it need not look up.
        Ok(self.value_of(Exp::Var(into), ty))
    }

    /// The parts of a parameter of an instance; none of an int.
    fn layout(&self, instance: usize, param: &Ty) -> Vec<Part> {
        Part::of(self.spaces_in(instance, param)).collect()
    }

    /// The spaces of a type of an instance's scheme.
    fn spaces_in(&self, instance: usize, ty: &Ty) -> Spaces {
        let rows = &self.graph.instances[instance].rows;
        let row = ty.under(rows).row().unwrap_or(Row::closed(Spaces::NONE));
        self.graph.spaces(row)
    }

    /// A function for the rows of an instance.
    pub(super) fn function(&mut self, instance: usize) -> Lowered {
        let (body, rows) = {
            let instance = &self.graph.instances[instance];
            (instance.body, instance.rows.clone())
        };
        let function = self.graph.bodies[body].function;
        self.code.forget();
        self.around = super::Around { instance, rows, ..super::Around::default() };
        self.code.open();
        let mut params = Vec::new();
        for (row, space) in self.predicates(function.name) {
            let var = self.param("evidence", I32, &mut params);
            self.around.evidence.push(((row, space), var));
        }
        if self.graph.asks[body] {
            self.around.item = Some(self.param("item", I32, &mut params));
        }
        for constant in self.graph.constants[body].clone() {
            let block = self.param(Wish::Like(constant), INTS, &mut params);
            self.around.constants.insert(constant, block);
        }
        let scheme = self.schemes[&function.name];
        let mut given = Vec::new();
        for (param, ty) in function.params.iter().zip(&scheme.params) {
            let var = param.var.expect("a function with a body names its parameters");
            let val = match ty {
                Ty::Pointer(_) => {
                    let spaces = self.spaces_in(instance, ty);
                    Val::Pointer(Pointer::of(spaces, |part| {
                        self.param(Wish::Of(var, part.name()), part.ty(), &mut params)
                    }))
                }
                _ => Val::Int(self.param(Wish::Like(var), I32, &mut params)),
            };
            given.push((param.span, var, val));
        }
        self.homes();
        for (span, var, val) in given {
            self.sets(span, var, val);
        }
        let result = self.body(function)?;
        let result = match result {
            Val::Nothing => None,
            Val::Pointer(pointer) => Some((pointer_type(), pointer.stored())),
            val => Some((I32, val.int())),
        };
        let body = self.code.close();
        let name = self.function_name(instance);
        self.functions.push(device::Function { name, params, body, result, span: function.span });
        Ok(())
    }

    /// A function's own name if it has one instance, else with the rows of this one.
    fn function_name(&self, instance: usize) -> String {
        let made = &self.graph.instances[instance];
        let name = self.program.names.written(self.graph.bodies[made.body].function.name);
        let letters = |row: &Row| -> String {
            let first = |space: Space| space.name().chars().next().unwrap_or('_');
            row.names.iter().map(first).collect()
        };
        let rows: Vec<String> = made.rows.iter().map(|(_, row)| letters(row)).collect();
        let mut name = format!("as_{name}");
        if !rows.is_empty() {
            name = format!("{name}_{}", rows.join("_"));
        }
        // `f` for the row g, and `f_g`.
        while self.functions.iter().any(|function| function.name == name) {
            name.push('_');
        }
        name
    }

    fn param(
        &mut self,
        wish: impl Into<Wish>,
        ty: DeviceTy,
        params: &mut Vec<(Var, DeviceTy)>,
    ) -> Exp {
        let var = self.names.fresh(wish);
        self.code.binds(var);
        params.push((var, ty));
        Exp::Var(var)
    }
}
