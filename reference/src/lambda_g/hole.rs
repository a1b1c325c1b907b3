//! Placeholders for what a program leaves out. They are variables that no table of names has, so the rest of the syntax
//! is that of whole programs.

use crate::kit::names::Var;
use crate::kit::text::Span;
use crate::lambda_g::syntax::{Boxed, Effect, Item, Region, Type};

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// `ρ`
    Region,
    /// `φ`
    Effect,
    /// `τ`
    Type,
}

/// The first variable that is a placeholder. A source is too short to have so many names.
const FIRST: u32 = 1 << 31;

/// What a variable stands for, if it is a placeholder.
pub fn missing(var: Var) -> Option<Missing> {
    let number = var.0.checked_sub(FIRST)?;
    Some([Missing::Region, Missing::Effect, Missing::Type][number as usize % 3])
}

/// Is the region left out?
pub fn no_region(region: Region) -> bool {
    missing(region.var) == Some(Missing::Region)
}

/// The placeholder of an effect that is left out.
pub fn no_effect(effect: &Effect) -> Option<Var> {
    match effect.items[..] {
        [Item::Region(Region { var, .. })] if missing(var) == Some(Missing::Effect) => Some(var),
        _ => None,
    }
}

/// The placeholder of a type that is left out.
pub fn no_type(ty: &Type) -> Option<Var> {
    match ty {
        Type::Boxed { region, .. } if missing(region.var) == Some(Missing::Type) => {
            Some(region.var)
        }
        _ => None,
    }
}

/// The placeholders of one program.
#[derive(Clone, Debug, Default)]
pub struct Holes {
    made: u32,
    filled: u32,
}

impl Holes {
    /// Is nothing left out?
    pub fn is_empty(&self) -> bool {
        self.made == self.filled
    }

    /// One of them is written after all.
    pub fn is_filled(&mut self) {
        self.filled += 1;
    }

    fn fresh(&mut self, missing: Missing, span: Span) -> Region {
        let var = Var(FIRST + 3 * self.made + missing as u32);
        self.made += 1;
        Region { span, var, world: None }
    }

    /// Stands for a region.
    pub fn region(&mut self, span: Span) -> Region {
        self.fresh(Missing::Region, span)
    }

    /// Stands for an effect.
    pub fn effect(&mut self, span: Span) -> Effect {
        Effect { span, items: vec![Item::Region(self.fresh(Missing::Effect, span))] }
    }

    /// Stands for a type.
    pub fn ty(&mut self, span: Span) -> Type {
        let region = self.fresh(Missing::Type, span);
        Type::Boxed { span, of: Box::new(Boxed::Int), region }
    }
}
