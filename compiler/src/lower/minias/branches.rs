//! Branches, and what variables are behind them.

use super::code::Changes;
use super::value::Val;
use super::{Lower, Lowered, MOST_DEPTH, MOST_STATEMENTS, fold, refused};
use reference::device::syntax::{Block, Exp, If, Kind, Place, Ty};
use reference::kit::names::Var;
use reference::kit::text::Span;

/// How a branch is written.
type Write<'w, 'l, 'p> = &'w mut dyn FnMut(&mut Lower<'p>) -> Lowered;

impl<'p> Lower<'p> {
    /// `if`: each branch writes its statements and sets variables.
    pub(super) fn branch(
        &mut self,
        span: Span,
        cond: &Exp,
        then: Write<'_, '_, 'p>,
        orelse: Write<'_, '_, 'p>,
    ) -> Lowered {
        match fold::truth(cond) {
            Some(true) => return then(self),
            Some(false) => return orelse(self),
            None => {}
        }
        let cond = self.named(span, "holds", reference::device::syntax::BOOL, cond.clone());
        let mut taken = self.arm(span, then)?;
        let mut other = self.arm(span, orelse)?;
        self.code.hoists(&mut taken.0);
        self.code.hoists(&mut other.0);
        self.joins(span, &cond, taken, other);
        Ok(())
    }

    /// The statements of a branch, and what it changes. Variables are behind it what they were before.
    fn arm(&mut self, span: Span, write: Write<'_, '_, 'p>) -> Lowered<(Block, Changes)> {
        self.fits(span)?;
        let mark = self.code.mark();
        self.code.open();
        write(self)?;
        let block = self.code.close();
        Ok((block, self.code.undo(mark)))
    }

    /// The program is neither too long nor too deep.
    pub(super) fn fits(&self, span: Span) -> Lowered {
        let statement = "a statement";
        if self.code.depth() > MOST_DEPTH {
            let reason = format!("it stands in more than {MOST_DEPTH} branches and loops");
            return Err(refused(span, statement, reason));
        }
        if self.code.written > MOST_STATEMENTS {
            let reason = format!("more than {MOST_STATEMENTS} statements would be made");
            return Err(refused(span, statement, reason));
        }
        Ok(())
    }

    /// The branch, and the variables that either side changed.
    fn joins(
        &mut self,
        span: Span,
        cond: &Exp,
        (mut then, taken): (Block, Changes),
        (mut orelse, mut other): (Block, Changes),
    ) {
        let mut vars = taken.order;
        vars.extend(other.order.iter().filter(|var| !taken.values.contains_key(var)));
        let mut taken = taken.values;
        let mut joined: Vec<(Var, Val, Vec<Option<Var>>)> = Vec::new();
        for var in vars {
            let before = |lower: &Self| lower.code.has(var).then(|| lower.code.get(var).clone());
            // What only one side knows ends with it.
            let Some(a) = taken.remove(&var).or_else(|| before(self)) else { continue };
            let Some(b) = other.values.remove(&var).or_else(|| before(self)) else { continue };
            let (a, b) = alike(a, b);
            let (val, places) = self.join(span, cond, (a, &mut then), (b, &mut orelse));
            joined.push((var, val, places));
        }
        if !then.is_empty() || !orelse.is_empty() {
            self.emit(span, Kind::If(If { cond: cond.clone(), then, orelse }));
        }
        for (var, mut val, places) in joined {
            let types: Vec<(&'static str, Ty)> =
                val.parts().into_iter().map(|(name, ty, _)| (name, ty)).collect();
            for ((part, place), (name, ty)) in val.parts_mut().into_iter().zip(places).zip(types) {
                if let Some(place) = place {
                    *part = self.bound(span, name, ty, Exp::load(Place::Var(place)));
                }
            }
            self.code.set(var, val);
        }
    }

    /// A value that is one or the other. Parts that neither are the same nor are known here are stored to variables.
    fn join(
        &mut self,
        span: Span,
        cond: &Exp,
        (mut a, then): (Val, &mut Block),
        (b, orelse): (Val, &mut Block),
    ) -> (Val, Vec<Option<Var>>) {
        if let (Val::Pointer(a), Val::Pointer(b)) = (&mut a, &b) {
            a.is_some &= b.is_some;
        }
        let types: Vec<(&'static str, Ty)> =
            a.parts().into_iter().map(|(name, ty, _)| (name, ty)).collect();
        let mut places = Vec::new();
        let others = b.parts();
        for ((part, (_, _, other)), (name, ty)) in a.parts_mut().into_iter().zip(others).zip(types)
        {
            if part == other {
                places.push(None);
                continue;
            }
            let here = self.code.reached(part).zip(self.code.reached(other));
            if let Some((one, other)) = here {
                let either = fold::select(cond, one, other);
                *part = self.named(span, name, ty, either);
                places.push(None);
                continue;
            }
            let var = self.names.fresh(name);
            self.emit(span, Kind::Var(var, ty, None));
            for (block, value) in [(&mut *then, part.clone()), (&mut *orelse, other.clone())] {
                let kind = Kind::Store(Place::Var(var), value);
                block.push(reference::device::syntax::Stm { span, kind });
            }
            places.push(Some(var));
        }
        (a, places)
    }

    /// A value that is made by one branch or the other.
    pub(super) fn either(
        &mut self,
        span: Span,
        cond: &Exp,
        then: &mut dyn FnMut(&mut Self) -> Lowered<Val>,
        orelse: &mut dyn FnMut(&mut Self) -> Lowered<Val>,
    ) -> Lowered<Val> {
        let made = self.names.fresh("made");
        self.branch(
            span,
            cond,
            &mut |lower| {
                let val = then(lower)?;
                lower.code.set(made, val);
                Ok(())
            },
            &mut |lower| {
                let val = orelse(lower)?;
                lower.code.set(made, val);
                Ok(())
            },
        )?;
        Ok(self.code.get(made).clone())
    }
}

/// Both as ints, if one is a truth and the other not.
fn alike(a: Val, b: Val) -> (Val, Val) {
    match (a, b) {
        (a @ Val::Int(_), b @ Val::Truth(_)) | (a @ Val::Truth(_), b @ Val::Int(_)) => {
            (Val::Int(a.int()), Val::Int(b.int()))
        }
        // A truth that is known is an int.
        (a, b) => (a, b),
    }
}
