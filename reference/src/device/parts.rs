//! What expressions, places, statements and programs are made of, said once: whatever goes through a
//! program without regard to what its statements mean goes by these parts. [`visit`](super::visit) and
//! [`visit_mut`](super::visit_mut) have the usual ways to do so.
//!
//! Parts come in the order of the text. Those of a statement up to its first block are evaluated before
//! anything in it.

use super::syntax::{
    Block, Carried, Case, Check, Exp, Function, Given, Host, If, Kernel, Kind, Launch, Loop,
    Output, Par, Param, Place, Program, Shown, Stm, Strided, Struct, Switch, Ty,
};
use crate::kit::names::Var;
use smallvec::SmallVec;

impl Place {
    /// The variable that it is or is in: none for an element of a block and for what a pointer points to.
    pub fn variable(&self) -> Option<Var> {
        match self {
            Place::Var(var) => Some(*var),
            Place::At(inner, _) | Place::Field(inner, _) => inner.variable(),
            Place::Deref(_) | Place::Element(..) => None,
        }
    }
}

/// Statements of the host, or those of kernels and functions.
pub trait Statement: Parts + PartsMut {
    /// The blocks of such statements in the statement, in the order of the text.
    #[inline]
    fn blocks(&self) -> SmallVec<[&Vec<Stm<Self>>; 2]> {
        let mut blocks = SmallVec::new();
        self.parts(&mut |part| {
            blocks.extend(part.block());
            false
        });
        blocks
    }

    /// The same, to be changed.
    #[inline]
    fn blocks_mut(&mut self) -> SmallVec<[&mut Vec<Stm<Self>>; 2]> {
        let mut blocks = SmallVec::new();
        self.parts_mut(&mut |part| {
            blocks.extend(part.block());
            false
        });
        blocks
    }

    /// The variables that the statement itself binds, for those in it or behind it.
    #[inline]
    fn binds(&self) -> SmallVec<[Var; 2]> {
        let mut binds = SmallVec::new();
        self.parts(&mut |part| {
            if let StmPart::Binds(var) = part {
                binds.push(*var);
            }
            false
        });
        binds
    }
}

impl Statement for Kind {}

impl Statement for Host {}

fn any<T>(list: impl IntoIterator<Item = T>, stop: impl FnMut(T) -> bool) -> bool {
    list.into_iter().any(stop)
}

/// The same parts by shared references and by mutable ones.
macro_rules! parts {
    ($ExpPart:ident, $StmPart:ident, $Parts:ident, $parts:ident $(, $mutable:tt)?) => {
        /// What stands directly in an expression or a place.
        #[derive(Debug)]
        pub enum $ExpPart<'p> {
            /// An expression.
            Exp(&'p $($mutable)? Exp),
            /// A place.
            Place(&'p $($mutable)? Place),
            /// A variable that is used.
            Uses(&'p $($mutable)? Var),
            /// A type that is written down.
            Ty(&'p $($mutable)? Ty),
        }

        /// What stands directly in a statement, or in a program, whose statements are those of the host.
        #[derive(Debug)]
        pub enum $StmPart<'p, K> {
            /// An expression.
            Exp(&'p $($mutable)? Exp),
            /// A place.
            Place(&'p $($mutable)? Place),
            /// A variable that is used, but for those in expressions and places.
            Uses(&'p $($mutable)? Var),
            /// A variable that is bound.
            Binds(&'p $($mutable)? Var),
            /// A type that is written down.
            Ty(&'p $($mutable)? Ty),
            /// A sequence of statements of the same kind.
            Block(&'p $($mutable)? Vec<Stm<K>>),
            /// A sequence of statements of kernels in the host.
            Body(&'p $($mutable)? Block),
        }

        impl<'p, K> $StmPart<'p, K> {
            /// The sequence of statements of the same kind, if it is one.
            #[inline]
            pub fn block(self) -> Option<&'p $($mutable)? Vec<Stm<K>>> {
                match self {
                    Self::Block(block) => Some(block),
                    Self::Exp(_) | Self::Place(_) | Self::Uses(_) | Self::Binds(_) => None,
                    Self::Ty(_) | Self::Body(_) => None,
                }
            }
        }

        impl Exp {
            /// Looks at its parts until `stop` says so. Did it?
            #[inline]
            pub fn $parts<'p>(
                &'p $($mutable)? self,
                stop: &mut impl FnMut($ExpPart<'p>) -> bool,
            ) -> bool {
                use $ExpPart as Part;
                match self {
                    Exp::Lit(_) | Exp::Builtin(_) => false,
                    Exp::Var(var) => stop(Part::Uses(var)),
                    Exp::Load(place) | Exp::Ref(place) => stop(Part::Place(place)),
                    Exp::Un(_, a)
                    | Exp::Cast(_, a)
                    | Exp::Bitcast(_, a)
                    | Exp::Field(a, _)
                    | Exp::Length(a)
                    | Exp::Base(a) => stop(Part::Exp(a)),
                    Exp::Bin(_, ab) | Exp::At(ab) | Exp::Block(_, ab) => {
                        let [a, b] = &$($mutable)? **ab;
                        stop(Part::Exp(a)) || stop(Part::Exp(b))
                    }
                    Exp::Select(parts) => any(&$($mutable)? **parts, |e| stop(Part::Exp(e))),
                    Exp::Make(made) => {
                        let (ty, parts) = &$($mutable)? **made;
                        stop(Part::Ty(ty)) || any(parts, |e| stop(Part::Exp(e)))
                    }
                }
            }
        }

        impl Place {
            /// Looks at its parts until `stop` says so. Did it?
            #[inline]
            pub fn $parts<'p>(
                &'p $($mutable)? self,
                stop: &mut impl FnMut($ExpPart<'p>) -> bool,
            ) -> bool {
                use $ExpPart as Part;
                match self {
                    Place::Var(var) => stop(Part::Uses(var)),
                    Place::Deref(pointer) => stop(Part::Exp(pointer)),
                    Place::Element(block, index) => {
                        stop(Part::Exp(block)) || stop(Part::Exp(index))
                    }
                    Place::At(inner, index) => stop(Part::Place(inner)) || stop(Part::Exp(index)),
                    Place::Field(inner, _) => stop(Part::Place(inner)),
                }
            }
        }

        impl<K> If<K> {
            #[inline]
            fn $parts<'p>(
                &'p $($mutable)? self,
                stop: &mut impl FnMut($StmPart<'p, K>) -> bool,
            ) -> bool {
                use $StmPart as Part;
                let Self { cond, then, orelse } = self;
                stop(Part::Exp(cond)) || stop(Part::Block(then)) || stop(Part::Block(orelse))
            }
        }

        impl<K> Loop<K> {
            #[inline]
            fn $parts<'p>(
                &'p $($mutable)? self,
                stop: &mut impl FnMut($StmPart<'p, K>) -> bool,
            ) -> bool {
                use $StmPart as Part;
                let Self { carried, cond, fuel, body, next } = self;
                any(carried, |Carried { var, ty, init }| {
                    stop(Part::Ty(ty)) || stop(Part::Exp(init)) || stop(Part::Binds(var))
                }) || stop(Part::Exp(cond))
                    || any(fuel, |e| stop(Part::Exp(e)))
                    || stop(Part::Block(body))
                    || any(next, |e| stop(Part::Exp(e)))
            }
        }

        impl Check {
            #[inline]
            fn $parts<'p, K: 'p>(
                &'p $($mutable)? self,
                stop: &mut impl FnMut($StmPart<'p, K>) -> bool,
            ) -> bool {
                let Self { operands, path, order, .. } = self;
                any(operands, |e| stop($StmPart::Exp(e)))
                    || any(path, |e| stop($StmPart::Exp(e)))
                    || any(order, |order| any(&$($mutable)? order.0, |e| stop($StmPart::Exp(e))))
            }
        }

        /// What has parts.
        pub trait $Parts: Sized {
            /// Looks at the parts of a statement until `stop` says so. Did it?
            fn $parts<'p>(
                &'p $($mutable)? self,
                stop: &mut impl FnMut($StmPart<'p, Self>) -> bool,
            ) -> bool;
        }

        impl $Parts for Kind {
            #[inline]
            fn $parts<'p>(
                &'p $($mutable)? self,
                stop: &mut impl FnMut($StmPart<'p, Self>) -> bool,
            ) -> bool {
                use $StmPart as Part;
                match self {
                    Kind::Let(var, ty, e) => {
                        stop(Part::Ty(ty)) || stop(Part::Exp(e)) || stop(Part::Binds(var))
                    }
                    Kind::Var(var, ty, init) => {
                        stop(Part::Ty(ty))
                            || any(init, |e| stop(Part::Exp(e)))
                            || stop(Part::Binds(var))
                    }
                    Kind::Store(place, e) => stop(Part::Place(place)) || stop(Part::Exp(e)),
                    Kind::Atomic { into, place, operands, .. } => {
                        stop(Part::Place(place))
                            || any(operands, |e| stop(Part::Exp(e)))
                            || any(into, |var| stop(Part::Binds(var)))
                    }
                    Kind::If(branch) => branch.$parts(stop),
                    Kind::Switch(Switch { value, cases, orelse }) => {
                        stop(Part::Exp(value))
                            || any(cases, |Case { body, .. }| stop(Part::Block(body)))
                            || stop(Part::Block(orelse))
                    }
                    Kind::Loop(rounds) => rounds.$parts(stop),
                    Kind::Call { into, args, .. } => {
                        any(args, |e| stop(Part::Exp(e)))
                            || any(into, |var| stop(Part::Binds(var)))
                    }
                    Kind::Check(check) => check.$parts(stop),
                    Kind::Barrier(_) => false,
                    Kind::UniformLoad { into, place } => {
                        stop(Part::Place(place)) || stop(Part::Binds(into))
                    }
                    Kind::Par(Par { var, count, body }) => {
                        stop(Part::Exp(count)) || stop(Part::Binds(var)) || stop(Part::Block(body))
                    }
                }
            }
        }

        impl $Parts for Host {
            fn $parts<'p>(
                &'p $($mutable)? self,
                stop: &mut impl FnMut($StmPart<'p, Self>) -> bool,
            ) -> bool {
                use $StmPart as Part;
                match self {
                    Host::Let(var, ty, e) => {
                        stop(Part::Ty(ty)) || stop(Part::Exp(e)) || stop(Part::Binds(var))
                    }
                    Host::Assign(pairs) => {
                        any(pairs, |(var, e)| stop(Part::Uses(var)) || stop(Part::Exp(e)))
                    }
                    Host::Alloc { block, size, .. } => {
                        stop(Part::Exp(size)) || stop(Part::Binds(block))
                    }
                    Host::Free(block) => stop(Part::Exp(block)),
                    Host::Launch(Launch { count, args, record, .. }) => {
                        any(args, |e| stop(Part::Exp(e)))
                            || stop(Part::Exp(count))
                            || any(record, |e| stop(Part::Exp(e)))
                    }
                    Host::Copy(copy) => {
                        let super::syntax::Copy { sizes, from, to, .. } = &$($mutable)? **copy;
                        any(sizes, |size| stop(Part::Exp(&$($mutable)? size.exp)))
                            || any([from, to], |Strided { block, offset, strides, .. }| {
                                stop(Part::Exp(block))
                                    || stop(Part::Exp(offset))
                                    || any(strides, |e| stop(Part::Exp(e)))
                            })
                    }
                    Host::Read { into, block, offset } => {
                        stop(Part::Exp(block))
                            || stop(Part::Exp(offset))
                            || stop(Part::Binds(into))
                    }
                    Host::Write { block, offset, value } => {
                        any([block, offset, value], |e| stop(Part::Exp(e)))
                    }
                    Host::If(branch) => branch.$parts(stop),
                    Host::Loop(rounds) => rounds.$parts(stop),
                    Host::Check(check) => check.$parts(stop),
                    Host::Par(Par { var, count, body }) => {
                        stop(Part::Exp(count)) || stop(Part::Binds(var)) || stop(Part::Body(body))
                    }
                }
            }
        }

        impl Program {
            /// Looks at its parts until `stop` says so. Did it?
            pub fn $parts<'p>(
                &'p $($mutable)? self,
                stop: &mut impl FnMut($StmPart<'p, Host>) -> bool,
            ) -> bool {
                use $StmPart as Part;
                let Self {
                    structs, workgroup, private, functions, kernels, params, host, results, ..
                } = self;
                for Struct { fields, .. } in structs {
                    if any(fields, |(_, ty)| stop(Part::Ty(ty))) {
                        return true;
                    }
                }
                if any([workgroup, private], |variables| {
                    any(variables, |(var, ty)| stop(Part::Ty(ty)) || stop(Part::Binds(var)))
                }) {
                    return true;
                }
                for Function { params, body, result, .. } in functions {
                    if any(params, |(var, ty)| stop(Part::Ty(ty)) || stop(Part::Binds(var)))
                        || stop(Part::Body(body))
                        || any(result, |(ty, e)| stop(Part::Ty(ty)) || stop(Part::Exp(e)))
                    {
                        return true;
                    }
                }
                for Kernel { params, workgroup, private, body, .. } in kernels {
                    if any([params, workgroup, private], |variables| {
                        any(variables, |(var, ty)| stop(Part::Ty(ty)) || stop(Part::Binds(var)))
                    }) || stop(Part::Body(body))
                    {
                        return true;
                    }
                }
                for Param { var, given } in params {
                    let sizes = match given {
                        Given::Array(_, sizes) => any(sizes, |e| stop(Part::Exp(e))),
                        Given::Scalar(_) | Given::Words(_) => false,
                    };
                    if sizes || stop(Part::Binds(var)) {
                        return true;
                    }
                }
                stop(Part::Block(host))
                    || any(results, |Output { shown, .. }| match shown {
                        Shown::Scalar(_, e) | Shown::Words(_, e) => stop(Part::Exp(e)),
                        Shown::Array { block, shape, offset, strides, .. } => {
                            stop(Part::Exp(block))
                                || any(shape, |e| stop(Part::Exp(e)))
                                || stop(Part::Exp(offset))
                                || any(strides, |e| stop(Part::Exp(e)))
                        }
                    })
            }
        }
    };
}

parts!(ExpPart, StmPart, Parts, parts);
parts!(ExpPartMut, StmPartMut, PartsMut, parts_mut, mut);
