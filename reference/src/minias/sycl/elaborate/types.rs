//! The types of C++ with the spaces that are deduced of pointers, and what they become in MiniAS.

use super::{Elaborated, Elaborator};
use crate::kit::text::{Limit, MAX_NESTING, Rejected, Span};
use crate::minias::sycl::print;
use crate::minias::sycl::rules::Rule;
use crate::minias::sycl::syntax::{self as cpp, Base, Behind, Place};
use crate::minias::syntax::{Space, SpaceAt, Type, Written};
use std::rc::Rc;

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ty {
    /// `void`
    Void,
    /// That of `nullptr`.
    Null,
    /// `int`, `bool`
    Scalar(Scalar),
    /// `τ *`
    Pointer(Rc<Pointer>),
    /// `τ &`
    Reference(Rc<Pointer>),
    /// A struct, by its number among those that are elaborated.
    Struct {
        /// Its number.
        number: usize,
        /// Are its fields const?
        is_const: bool,
    },
    /// A lambda, by its number.
    Closure {
        /// Its number.
        number: usize,
        /// Is it const?
        is_const: bool,
    },
}

/// `int`, `bool`
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(super) struct Scalar {
    pub(super) is_bool: bool,
    pub(super) is_const: bool,
    /// The space in which a variable of the type lies, where T of `T *` has it.
    pub(super) lies: Option<Space>,
}

/// A pointer or a reference.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pointer {
    pub(super) points: Points,
    pub(super) is_const: bool,
    pub(super) to: Ty,
}

/// Where a pointer points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Points {
    /// Its type says it: `a_ptr<τ>`.
    Named(Space),
    /// `a τ *`: a raw pointer whose type carries the space that was deduced.
    Deduced(Space),
    /// `multi_ptr<τ, generic_space>`
    Generic,
    /// `τ *`, which does not say it.
    Raw {
        /// The space that is deduced, as far as it is known.
        known: Option<Space>,
        /// It is private without being deduced.
        fixed: bool,
    },
}

impl Points {
    /// A raw pointer to a place of this space.
    pub(super) fn raw(known: Option<Space>) -> Self {
        Points::Raw { known, fixed: false }
    }

    /// The space, as far as it is known.
    pub(super) fn known(self) -> Option<Space> {
        match self {
            Points::Named(space) | Points::Deduced(space) => Some(space),
            Points::Generic => None,
            Points::Raw { known, .. } => known,
        }
    }

    fn written(self) -> Written {
        match self {
            Points::Named(space) | Points::Deduced(space) => Written::Name(space),
            Points::Generic => Written::Generic,
            Points::Raw { fixed: true, .. } => Written::Name(Space::Private),
            Points::Raw { fixed: false, .. } => Written::Elided,
        }
    }
}

pub(super) const INT: Ty = Ty::Scalar(Scalar { is_bool: false, is_const: false, lies: None });
pub(super) const BOOL: Ty = Ty::Scalar(Scalar { is_bool: true, is_const: false, lies: None });

impl Ty {
    pub(super) fn pointer(points: Points, to: Ty) -> Ty {
        Ty::Pointer(Rc::new(Pointer { points, is_const: false, to }))
    }

    pub(super) fn reference(points: Points, to: Ty) -> Ty {
        Ty::Reference(Rc::new(Pointer { points, is_const: false, to }))
    }

    /// How many pointers are in one another.
    fn stars(&self) -> usize {
        let (mut stars, mut inner) = (0, self);
        while let Ty::Pointer(pointer) | Ty::Reference(pointer) = inner {
            stars += usize::from(matches!(inner, Ty::Pointer(_)));
            inner = &pointer.to;
        }
        stars
    }

    pub(super) fn is_const(&self) -> bool {
        match self {
            Ty::Scalar(scalar) => scalar.is_const,
            Ty::Pointer(pointer) => pointer.is_const,
            Ty::Struct { is_const, .. } | Ty::Closure { is_const, .. } => *is_const,
            Ty::Void | Ty::Null | Ty::Reference(_) => false,
        }
    }

    pub(super) fn with_const(self, is_const: bool) -> Ty {
        match self {
            Ty::Scalar(scalar) => Ty::Scalar(Scalar { is_const, ..scalar }),
            Ty::Pointer(pointer) => {
                Ty::Pointer(Rc::new(Pointer { is_const, ..(*pointer).clone() }))
            }
            Ty::Struct { number, .. } => Ty::Struct { number, is_const },
            Ty::Closure { number, .. } => Ty::Closure { number, is_const },
            Ty::Void | Ty::Null | Ty::Reference(_) => self,
        }
    }

    /// The same type, of a pointer to where this is known to be.
    pub(super) fn deduced(&self, known: Option<Space>) -> Ty {
        let Ty::Pointer(pointer) = self else { return self.clone() };
        match pointer.points {
            Points::Raw { known: None, fixed } => {
                let points = Points::Raw { known, fixed };
                Ty::Pointer(Rc::new(Pointer { points, ..(**pointer).clone() }))
            }
            _ => self.clone(),
        }
    }

    /// Where a pointer of the type points, as far as it is known.
    pub(super) fn known(&self) -> Option<Space> {
        match self {
            Ty::Pointer(pointer) | Ty::Reference(pointer) => pointer.points.known(),
            _ => None,
        }
    }

    /// The type, with this done to where its pointers point.
    fn pointing(&self, change: &impl Fn(Points) -> Points) -> Ty {
        let changed = |pointer: &Pointer| {
            let points = change(pointer.points);
            Rc::new(Pointer { points, is_const: pointer.is_const, to: pointer.to.pointing(change) })
        };
        match self {
            Ty::Pointer(pointer) => Ty::Pointer(changed(pointer)),
            Ty::Reference(pointer) => Ty::Reference(changed(pointer)),
            other => other.clone(),
        }
    }

    /// The type, whose raw pointers carry what is deduced of them.
    pub(super) fn carrying(&self) -> Ty {
        self.pointing(&|points| match points {
            Points::Raw { known: Some(space), fixed: false } => Points::Deduced(space),
            points => points,
        })
    }

    /// The type as it is written, without what is deduced of variables.
    pub(super) fn written(&self) -> Ty {
        self.pointing(&|points| match points {
            Points::Raw { .. } => Points::raw(None),
            points => points,
        })
    }

    /// The type as it is written, without what types carry.
    fn stripped(&self) -> Ty {
        self.pointing(&|points| match points {
            Points::Raw { .. } | Points::Deduced(_) => Points::raw(None),
            points => points,
        })
    }

    /// What a variable that copies a value of the type has: not const, and in no space of its own.
    pub(super) fn copied(&self) -> Ty {
        match self {
            Ty::Scalar(scalar) => {
                Ty::Scalar(Scalar { is_bool: scalar.is_bool, ..Scalar::default() })
            }
            other => other.clone().with_const(false),
        }
    }
}

/// The parameters of a template and what they stand for.
pub(super) type Types<'p> = Vec<(&'p str, Ty)>;

impl<'p> Elaborator<'p, '_> {
    /// `Y-TYPE`: the type that is written; `auto` stands for a type that is given (auto).
    pub(super) fn ty(&mut self, ty: &'p cpp::Type, auto: Option<&Ty>) -> Elaborated<Ty> {
        self.to.enter(Rule::YType, || print::ty(ty));
        let mut found = self.base(ty, auto)?.with_const_if(ty.is_const);
        for behind in &ty.behind {
            if matches!(found, Ty::Struct { .. } | Ty::Closure { .. } | Ty::Void)
                && *behind == Behind::Star
            {
                let message = "a pointer points to an int or to a pointer";
                let refused = Rejected::new(ty.span, message, "not to this");
                return self.refuse(Rule::YType, "value", refused.help("pass a reference to it"));
            }
            if found == Ty::Void {
                return self.no_value("a reference", ty.span);
            }
            found = match behind {
                Behind::Star => self.pointer(Points::raw(None), found, ty.span)?,
                Behind::Reference => Ty::reference(Points::raw(None), found),
            };
        }
        self.to.leave(String::new);
        Ok(found)
    }

    /// What is no value has no variable, parameter or field, and no reference.
    pub(super) fn no_value<T>(&mut self, what: &str, span: Span) -> Elaborated<T> {
        let message = format!("{what} has no type of a value");
        self.refuse(Rule::YType, "value", Rejected::new(span, message, "`void`"))
    }

    /// A pointer. Templates and `auto` put the stars of one type behind those of another, so each is counted here.
    pub(super) fn pointer(&self, points: Points, to: Ty, span: Span) -> Elaborated<Ty> {
        let stars = to.stars() + 1;
        if stars > MAX_NESTING {
            let message = format!("a type of {stars} stars");
            let refused = Rejected::new(span, message, "one too many").by_limit(Limit::Types);
            return Err(refused.help(format!("a type has at most {MAX_NESTING} stars")));
        }
        Ok(Ty::pointer(points, to))
    }

    fn base(&mut self, ty: &'p cpp::Type, auto: Option<&Ty>) -> Elaborated<Ty> {
        match &ty.base {
            Base::Int => Ok(INT),
            Base::Bool => Ok(BOOL),
            Base::Void => Ok(Ty::Void),
            Base::Auto => match auto {
                Some(ty) => Ok(ty.clone()),
                None => {
                    let message = "`auto` stands for the type of what a variable starts with";
                    let refused = Rejected::new(ty.span, message, "there is nothing that says it");
                    self.refuse(Rule::YType, "auto", refused)
                }
            },
            Base::Decltype(exp) => self.decltype(exp),
            Base::Pointer(place, to) => {
                let to = self.ty(to, None)?;
                if !matches!(to, Ty::Scalar(_) | Ty::Pointer(_)) {
                    let message = "a pointer points to an int or to a pointer";
                    let refused = Rejected::new(ty.span, message, "not to this");
                    return self.refuse(Rule::YType, "value", refused);
                }
                self.pointer(points(*place), to, ty.span)
            }
            Base::Named(name, args) => self.named_type(name, args),
        }
    }

    fn named_type(&mut self, name: &'p cpp::Name, args: &'p [cpp::Type]) -> Elaborated<Ty> {
        let param = self.function.types.iter().find(|(known, _)| *known == name.text);
        if let Some((_, ty)) = param {
            return Ok(ty.clone());
        }
        let Some(item) = self.structs.get(&*name.text).copied() else {
            let message = format!("`{}` is no type here", name.text);
            let refused = Rejected::new(name.span, message, "not declared");
            return self.refuse(Rule::YType, "arguments", refused);
        };
        if item.types.len() != args.len() {
            let message = format!("`{}` is a template of {} types", name.text, item.types.len());
            let refused = Rejected::new(name.span, message, format!("{} here", args.len()));
            return self.refuse(Rule::YType, "arguments", refused.with(item.span, "declared here"));
        }
        let carries = self.answers.template_deduced;
        let mut types = Vec::new();
        for (param, arg) in item.types.iter().zip(args) {
            types.push((&*param.text, self.ty(arg, None)?.of_template(carries)));
        }
        self.structure(item, types)
    }

    /// `Y-DECLTYPE`: the declared type of a variable; of another expression its type, a reference if it is a place.
    fn decltype(&mut self, exp: &'p cpp::Exp) -> Elaborated<Ty> {
        self.to.enter(Rule::YDecltype, || print::exp(exp));
        let deduced = self.answers.decltype_deduced && !self.answers.generic_space;
        self.function.unevaluated += 1;
        let found = match &exp.kind {
            cpp::Kind::Name(name) => {
                let variable = self.find(name, exp.span)?;
                let ty = variable.ty.clone();
                variable.copied_const.map_or(ty.clone(), |is_const| ty.with_const(is_const))
            }
            cpp::Kind::Member(of, name) => self.field_of(of, name, exp.span)?.1,
            _ => {
                let value = self.exp(exp)?;
                match value.place {
                    Some(known) => Ty::reference(Points::raw(known), value.ty),
                    None => value.ty,
                }
            }
        };
        self.function.unevaluated -= 1;
        self.to.leave(String::new);
        Ok(if deduced { found.carrying() } else { found.written() })
    }

    /// The types of the variables that a variable of the type becomes, and what is put behind its name.
    pub(super) fn leaves(&self, ty: &Ty, span: Span) -> Vec<(String, Type)> {
        match ty {
            Ty::Struct { number, .. } => self.of_parts(
                self.made_structs[*number].fields.iter().map(|(name, ty)| (*name, ty)),
                span,
            ),
            Ty::Closure { number, .. } => {
                let captures = &self.closures[*number].captures;
                self.of_parts(captures.iter().map(|(name, ty)| (*name, ty)), span)
            }
            Ty::Reference(pointer) => {
                let mut leaves = self.leaves(&pointer.to, span);
                for (_, leaf) in &mut leaves {
                    leaf.stars.push(SpaceAt { span, written: pointer.points.written() });
                    leaf.lies = SpaceAt { span, written: Written::Elided };
                }
                leaves
            }
            _ => vec![(String::new(), plain(ty, span))],
        }
    }

    fn of_parts<'t>(
        &self,
        parts: impl Iterator<Item = (&'t str, &'t Ty)>,
        span: Span,
    ) -> Vec<(String, Type)> {
        let part = |(name, ty): (&str, &Ty)| -> Vec<(String, Type)> {
            let leaves = self.leaves(ty, span).into_iter();
            leaves.map(|(behind, leaf)| (format!("_{name}{behind}"), leaf)).collect()
        };
        parts.flat_map(part).collect()
    }

    /// Are the types the same, as `std::is_same` sees them?
    pub(super) fn same(&self, one: &Ty, other: &Ty) -> bool {
        match (one, other) {
            (Ty::Pointer(one), Ty::Pointer(other)) | (Ty::Reference(one), Ty::Reference(other)) => {
                one.is_const == other.is_const
                    && self.same_space(one.points, other.points)
                    && self.same(&one.to, &other.to)
            }
            (Ty::Scalar(one), Ty::Scalar(other)) => {
                let spaces = |lies: Option<Space>| match lies {
                    Some(space) => Points::Named(space),
                    None => Points::raw(None),
                };
                one.is_bool == other.is_bool
                    && one.is_const == other.is_const
                    && self.same_space(spaces(one.lies), spaces(other.lies))
            }
            (Ty::Struct { .. }, Ty::Struct { .. }) => {
                one.is_const() == other.is_const() && self.alike(one, other)
            }
            _ => one == other,
        }
    }

    /// Are they one struct, whatever is deduced of the fields, or one lambda? Either may be const.
    pub(super) fn alike(&self, one: &Ty, other: &Ty) -> bool {
        match (one, other) {
            (Ty::Struct { number: one, .. }, Ty::Struct { number: other, .. }) => {
                self.made_structs[*one].class == self.made_structs[*other].class
            }
            (Ty::Closure { number: one, .. }, Ty::Closure { number: other, .. }) => one == other,
            _ => false,
        }
    }

    /// Are they one type, wherever their pointers point? Whether the spaces are one, MiniAS says.
    pub(super) fn one_but_for_spaces(&self, one: &Ty, other: &Ty) -> bool {
        one.is_const() == other.is_const()
            && match (one, other) {
                (Ty::Pointer(one), Ty::Pointer(other)) => {
                    self.one_but_for_spaces(&one.to, &other.to)
                }
                (Ty::Scalar(one), Ty::Scalar(other)) => one.is_bool == other.is_bool,
                _ => self.alike(one, other),
            }
    }

    fn same_space(&self, one: Points, other: Points) -> bool {
        if self.answers.all_same {
            return true;
        }
        match (one, other) {
            (Points::Raw { .. }, Points::Raw { .. }) => true,
            (Points::Raw { .. }, points) | (points, Points::Raw { .. }) => {
                points.known() == Some(Space::Private) && !self.answers.private_distinct
            }
            _ => one.known() == other.known(),
        }
    }
}

impl Ty {
    fn with_const_if(self, is_const: bool) -> Ty {
        if is_const { self.with_const(true) } else { self }
    }

    /// As an argument of a template has it, which may keep the spaces that are deduced.
    pub(super) fn of_template(&self, keeps_spaces: bool) -> Ty {
        if keeps_spaces { self.carrying() } else { self.stripped() }
    }
}

fn points(place: Place) -> Points {
    match place {
        Place::Named(space) => Points::Named(space),
        Place::Generic => Points::Generic,
    }
}

/// An int or a pointer, in MiniAS.
pub(super) fn plain(ty: &Ty, span: Span) -> Type {
    let at = |written| SpaceAt { span, written };
    let (mut stars, mut inner) = (Vec::new(), ty);
    // A variable of the type of NULL is a pointer, to whatever space.
    if *ty == Ty::Null {
        stars.push(at(Written::Elided));
    }
    while let Ty::Pointer(pointer) = inner {
        stars.push(at(pointer.points.written()));
        inner = &pointer.to;
    }
    stars.reverse();
    let lies = match inner {
        Ty::Scalar(Scalar { lies: Some(space), .. }) if stars.is_empty() => Written::Name(*space),
        _ => Written::Elided,
    };
    Type { span, void: *ty == Ty::Void, stars, lies: at(lies) }
}
