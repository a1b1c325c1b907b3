//! Elements: scalars of FCL, which tells bools from ints.

use super::{Said, Writer, no};
use reference::axes::index::{Atom, Index};
use reference::axes::print;
use reference::axes::syntax::{Head, Kind, Term, identity};
use reference::kit::scalar::BinOp;

impl Writer<'_> {
    /// A scalar as an int.
    pub(super) fn value(&self, of: &Term) -> Said {
        Ok(match &of.head {
            Head::Const(k) => format!("({k})"),
            Head::Index(index) => self.sum(index),
            Head::Scalar(name) => name.to_string(),
            Head::Apply => {
                let op = of.args[0].as_op().expect("the term was checked");
                let (a, b) = (self.value(&of.args[1])?, self.value(&of.args[2])?);
                match is_test(op) {
                    true => format!("(b2i ({} {a} {b}))", function(op)),
                    false => format!("({} {a} {b})", function(op)),
                }
            }
            Head::If => {
                let cond = self.condition(&of.args[0])?;
                let (a, b) = (self.value(&of.args[1])?, self.value(&of.args[2])?);
                format!("(if {cond} then {a} else {b})")
            }
            Head::Get => self.read(of)?,
            Head::Red => {
                let op = of.args[0].as_op().expect("the term was checked");
                let (axis, size) = of.binds().expect("the term was checked");
                let (f, z) = (function(op), identity(op).unwrap_or(0));
                let element = self.value(&of.args[3])?;
                format!("(foldl {f} ({z}) (generate {size} (fn {axis} => {element})))")
            }
            Head::Seq => {
                let Head::State(state) = &of.args[0].head else { unreachable!("it was checked") };
                let (axis, size) = of.binds().expect("the term was checked");
                let (start, next) = (self.value(&of.args[3])?, self.value(&of.args[4])?);
                format!("(foldl (fn {state} {axis} => {next}) {start} (iota {size}))")
            }
            _ => return no("several elements are computed at once"),
        })
    }

    /// A scalar as a bool.
    fn condition(&self, of: &Term) -> Said {
        match of.args.first().and_then(Term::as_op).filter(|_| of.head == Head::Apply) {
            Some(op) if is_test(op) => {
                let (a, b) = (self.value(&of.args[1])?, self.value(&of.args[2])?);
                Ok(format!("({} {a} {b})", function(op)))
            }
            _ => Ok(format!("({} != 0)", self.value(of)?)),
        }
    }

    fn read(&self, get: &Term) -> Said {
        let array = &get.args[0];
        let (name, sizes) = match &array.head {
            Head::Array(name) => match self.scope.params.get(name) {
                Some(Kind::Array(sizes)) => (name.to_string(), sizes.clone()),
                _ => return no("what is read is no array"),
            },
            _ => {
                let axes = array.args[2..].iter().filter_map(Term::as_axis);
                let sizes = axes.map(|axis| self.size(axis)).collect();
                match self.stored.get(&print::term(array)) {
                    Some(name) => (name.clone(), sizes),
                    None => return no("an array in memory stands inside of a loop"),
                }
            }
        };
        let mut place = None;
        for (at, size) in get.args[1..].iter().zip(sizes) {
            let at = self.value(at)?;
            place = Some(match place {
                None => at,
                Some(outer) => format!("({outer} * {size} + {at})"),
            });
        }
        Ok(format!("(index {name} {})", place.unwrap_or_else(|| "0".to_owned())))
    }

    /// An index.
    pub(super) fn sum(&self, index: &Index) -> String {
        let mut parts = Vec::new();
        for (atom, factor) in index.parts() {
            let atom = match atom {
                Atom::Axis(name) => name.to_string(),
                Atom::Div(of, by) => format!("({} / {by})", self.sum(of)),
                Atom::Rem(of, by) => format!("({} % {by})", self.sum(of)),
            };
            parts.push(match factor {
                1 => atom,
                factor => format!("{atom} * ({factor})"),
            });
        }
        if index.offset() != 0 || parts.is_empty() {
            parts.push(format!("({})", index.offset()));
        }
        format!("({})", parts.join(" + "))
    }
}

/// Does FCL's function give a bool?
fn is_test(op: BinOp) -> bool {
    use BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}

/// The function of two ints.
fn function(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "addi",
        BinOp::Sub => "subi",
        BinOp::Mul => "muli",
        BinOp::Div => "divi",
        BinOp::Rem => "modi",
        BinOp::Min => "mini",
        BinOp::Max => "maxi",
        BinOp::And => "andi",
        BinOp::Or => "ori",
        BinOp::Xor => "xor",
        BinOp::Shl => "sll",
        BinOp::Shr => "srl",
        BinOp::Eq => "eqi",
        BinOp::Ne => "neqi",
        BinOp::Lt => "lti",
        BinOp::Le => "lei",
        BinOp::Gt => "gti",
        BinOp::Ge => "gei",
    }
}
