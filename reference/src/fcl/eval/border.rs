//! From inputs to values, and from the array that a program comes to to results: a pair is one value
//! a component (readings, Syntax).

use super::machine::{Control, Frame};
use super::{NOWHERE, Run, Watch};
use crate::fcl::print;
use crate::fcl::rules::Rule;
use crate::fcl::syntax::{Level, Type};
use crate::fcl::values::{Cells, Env, Pull, Val};
use crate::kit::outcome::{Cells as Results, Scalar, Value, Why};
use crate::kit::run::{Eval, Evaluator};
use crate::kit::value::{ScalarType, Tolerance};
use std::rc::Rc;

/// What a program takes and gives. There are no variables in the types.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// Base types, and pull arrays of such.
    pub params: Vec<Type>,
    /// The base type of the elements of the result.
    pub element: Type,
    /// The level of the result.
    pub level: u32,
}

impl Signature {
    /// Are these values of the types of the parameters?
    pub fn fits(&self, input: &[Value]) -> bool {
        let mut input = input.iter();
        let fits = self.params.iter().all(|param| {
            let (mut types, mut length) = (Vec::new(), None);
            let array = matches!(param, Type::Pull(_));
            match param {
                Type::Pull(element) => components(element, &mut types),
                other => components(other, &mut types),
            }
            types.into_iter().all(|ty| match input.next() {
                Some(Value::Scalar(scalar)) => !array && scalar.ty() == ty,
                Some(Value::Array { shape, cells }) => {
                    let same = *length.get_or_insert(cells.len()) == cells.len();
                    array && shape.len() == 1 && cells.ty() == ty && same
                }
                _ => false,
            })
        });
        fits && input.next().is_none()
    }
}

/// The scalar types of the components of a base type.
fn components(ty: &Type, to: &mut Vec<ScalarType>) {
    match ty {
        Type::Int => to.push(ScalarType::I32),
        Type::Bool => to.push(ScalarType::Bool),
        Type::Double => to.push(ScalarType::F64),
        Type::Pair(parts) => parts.iter().for_each(|part| components(part, to)),
        other => unreachable!("T-MAIN promises base types, not {other:?}"),
    }
}

/// The scalars of a base value.
fn scalars(val: &Val, to: &mut impl FnMut(Scalar, f64)) {
    match val {
        Val::Int(k) => to(Scalar::I32(*k), 0.0),
        Val::Bool(b) => to(Scalar::Bool(*b), 0.0),
        Val::Double(x) => to(Scalar::F64(x.value.into()), x.bound),
        Val::Pair(pair) => pair.parts.iter().for_each(|part| scalars(part, to)),
        other => unreachable!("E-FORCE-DONE gives base values, not {other:?}"),
    }
}

impl Run<'_> {
    /// `force (main v … v)`: the results, and how exact they are.
    pub(super) fn program(
        &mut self,
        main: u32,
        signature: &Signature,
        input: &[Value],
        watch: &mut Option<Watch<'_>>,
    ) -> Eval<(Vec<Value>, Vec<Tolerance>)> {
        let mut input = input.iter();
        let args: Vec<Val> = signature
            .params
            .iter()
            .map(|param| self.given(param, &mut input))
            .collect::<Eval<_>>()?;
        for arg in args.into_iter().rev() {
            self.push(Frame::To(arg, NOWHERE))?;
        }
        self.machine.control = Control::Eval(main, Env::default());
        let array = self.seen(false, watch)?;
        self.is_push_array(&array, signature);
        self.force(array, NOWHERE)?;
        let forced = self.seen(true, watch)?.pull();
        self.is_pull_array(&forced, signature);
        let Pull::Cells(cells) = &*forced else { unreachable!("E-FORCE-DONE gives base values") };
        self.results(&signature.element, cells)
    }

    /// The value that a program comes to has the program's type. `V-PUSH` (34) and `V-CONCAT` (35), which is that of
    /// `interleaveDelay` too:
    ///
    /// ```text
    /// Δ, Γ ⊢ eᵢ : τ    Δ ⊢ τ : BT        Δ, Γ ⊢ e₁ : int    Δ, Γ ⊢ e₂ : [[τ]<γ>]
    /// ───────────────────────────        ────────────────────────────────────────
    /// Δ, Γ ⊢ [e₁, …, eₙ]<γ> : [τ]<γ>     Δ, Γ ⊢ concatDelay e₁ e₂ : [τ]<1 + γ>
    /// ```
    ///
    /// The elements are typed by the rules of expressions, and checked once they are values.
    fn is_push_array(&mut self, array: &Val, signature: &Signature) {
        let Signature { element, level, .. } = signature;
        let rule = match array {
            Val::Push(push) => {
                assert_eq!(push.level, *level, "proposition 1: a term keeps its type");
                Rule::VPush
            }
            Val::Delayed(_) => Rule::VConcat,
            other => unreachable!("proposition 1: a term keeps its type, and is not {other:?}"),
        };
        self.notes(rule, |told| told.val(array));
        let names = self.state.names;
        let level = *level;
        self.state
            .recorder
            .leave(|| format!("[{}]<{}>", print::ty(names, element), Level::written(level)));
    }

    /// `V-PULL` (33), of what is forced; [`Run::results`] looks at the elements.
    ///
    /// ```text
    /// Δ, Γ ⊢ eᵢ : τ    Δ ⊢ τ : GT
    /// ────────────────────────────
    /// Δ, Γ ⊢ [e₁, …, eₙ] : [τ]
    /// ```
    fn is_pull_array(&mut self, array: &Rc<Pull>, signature: &Signature) {
        self.notes(Rule::VPull, |told| told.val(&Val::Pull(Rc::clone(array))));
        let names = self.state.names;
        self.state.recorder.leave(|| format!("[{}]", print::ty(names, &signature.element)));
    }

    /// The value of a parameter of this type.
    fn given<'v>(&mut self, ty: &Type, input: &mut impl Iterator<Item = &'v Value>) -> Eval<Val> {
        match ty {
            Type::Pair(parts) => {
                let [a, b] = [&parts[0], &parts[1]].map(|part| self.given(part, input));
                Ok(Val::pair([a?, b?])?)
            }
            Type::Pull(element) => {
                let mut types = Vec::new();
                components(element, &mut types);
                let arrays: Vec<&Results> = types
                    .iter()
                    .map(|_| match input.next() {
                        Some(Value::Array { cells, .. }) => cells,
                        other => unreachable!("the input fits, and is not {other:?}"),
                    })
                    .collect();
                self.given_array(element, &arrays)
            }
            _ => match input.next() {
                Some(Value::Scalar(scalar)) => self.given_scalar(*scalar),
                other => unreachable!("the input fits, and is not {other:?}"),
            },
        }
    }

    fn given_scalar(&mut self, scalar: Scalar) -> Eval<Val> {
        Ok(match scalar {
            Scalar::I32(k) => Val::Int(k),
            Scalar::Bool(b) => Val::Bool(b),
            Scalar::F64(x) => Val::Double(self.setting.doubles.of(x.get()).map_err(Why::from)?),
            other => unreachable!("the input fits, and is not {other:?}"),
        })
    }

    /// An array, given one array a component.
    fn given_array(&mut self, element: &Type, arrays: &[&Results]) -> Eval<Val> {
        let count = arrays[0].len();
        if count > i32::MAX as usize {
            return Err(Why::Memory(count as u64 * 4).into());
        }
        let cells = match arrays {
            [Results::I32(ints)] => Cells::ints(ints.clone(), &self.ledger)?,
            _ => {
                let mut cells = Cells::new(&self.ledger);
                for at in 0..count {
                    let mut parts = arrays.iter().map(|array| array.get(at));
                    let val = self.given_element(element, &mut parts)?;
                    cells.push(val, count)?;
                }
                cells
            }
        };
        Ok(Val::Pull(Rc::new(Pull::Cells(cells))))
    }

    fn given_element(
        &mut self,
        ty: &Type,
        parts: &mut impl Iterator<Item = Option<Scalar>>,
    ) -> Eval<Val> {
        match ty {
            Type::Pair(types) => {
                let a = self.given_element(&types[0], parts)?;
                let b = self.given_element(&types[1], parts)?;
                Ok(Val::pair([a, b])?)
            }
            _ => {
                let scalar = parts.next().flatten();
                self.given_scalar(scalar.expect("the input fits: its components are equally long"))
            }
        }
    }

    /// The results, one array a component, and how far off their doubles may be.
    fn results(&mut self, element: &Type, cells: &Cells) -> Eval<(Vec<Value>, Vec<Tolerance>)> {
        let mut types = Vec::new();
        components(element, &mut types);
        let count = cells.len();
        self.ledger.observe(count.checked_mul(2 * types.len()))?;
        self.charge(crate::kit::outcome::cells(count as u64))?;
        if let Some(ints) = cells.as_ints()
            && types.len() == 1
            && (types[0] == ScalarType::I32)
        {
            return Ok((vec![Value::ints(vec![count], ints.to_vec())], Vec::new()));
        }
        let mut results: Vec<Results> = types.into_iter().map(Results::none).collect();
        let mut bounds: Vec<Vec<_>> = vec![Vec::new(); results.len()];
        for at in 0..count {
            let mut part = 0;
            scalars(&cells.get(at), &mut |scalar, bound| {
                results[part].push(scalar).expect("typing promises the type of each component");
                bounds[part].push(bound.into());
                part += 1;
            });
        }
        let tolerances = bounds.into_iter().enumerate();
        let tolerances = tolerances
            .filter(|(_, bounds): &(_, Vec<crate::kit::value::F64>)| {
                bounds.iter().any(|bound| bound.get() > 0.0)
            })
            .map(|(result, bounds)| Tolerance { result, bounds })
            .collect();
        let results = results.into_iter().map(|cells| Value::Array { shape: vec![count], cells });
        Ok((results.collect(), tolerances))
    }
}
