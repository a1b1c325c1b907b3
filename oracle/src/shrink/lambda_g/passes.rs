//! What is tried to make a program smaller.

use super::super::{Shrinking, numbers};
use super::walk;
use reference::kit::outcome::{Cells, Value};
use reference::kit::text::Span;
use reference::lambda_g::syntax::{Binder, Exp, Kind, Over, Program, R0, Region};
use reference::lambda_g::visit;

impl Shrinking<'_, Program> {
    fn attempt_with(&mut self, change: impl FnOnce(&mut Program) -> Option<()>) -> bool {
        let mut program = self.program.clone();
        change(&mut program).is_some() && self.attempt(program, self.input.clone())
    }

    /// Tries each of the ways at every expression, outer ones first; where one is taken the same place is tried again.
    fn everywhere(&mut self, ways: impl Fn(&Exp, &[Region]) -> Vec<Exp>) {
        let mut number = 0;
        while number < walk::count(&self.program.body) && !self.is_spent() {
            let regions = self.regions();
            let mut program = self.program.clone();
            let Some(exp) = walk::nth_mut(&mut program.body, number) else { return };
            let taken = ways(exp, &regions).into_iter().any(|by| {
                self.attempt_with(|program| {
                    *walk::nth_mut(&mut program.body, number)? = by;
                    Some(())
                })
            });
            number += usize::from(!taken);
        }
    }

    /// `r0`, and each region that is bound.
    fn regions(&self) -> Vec<Region> {
        let mut all = vec![region(R0)];
        walk::all(&self.program.body, &mut |exp| match &exp.kind {
            Kind::LetRegion(binder, ..) => all.push(region(binder.var)),
            Kind::RegionFn(lambda) => all.push(region(lambda.region.var)),
            _ => {}
        });
        all
    }

    /// An expression gives way to a part of it, or to a part of such a part.
    pub(super) fn replace_by_parts(&mut self) {
        self.everywhere(|exp, _| {
            let parts = visit::parts(exp);
            let inner: Vec<&Exp> = parts.iter().flat_map(|part| visit::parts(part)).collect();
            parts.into_iter().chain(inner).cloned().collect()
        });
    }

    /// An expression gives way to a constant.
    pub(super) fn replace_by_constants(&mut self) {
        self.everywhere(|exp, regions| {
            if matches!(exp.kind, Kind::Int(..) | Kind::Bool(_) | Kind::Var(_)) {
                return Vec::new();
            }
            let ints = regions.iter().map(|at| Kind::Int(1, *at));
            let all = ints.chain([Kind::Bool(false), Kind::Bool(true)]);
            all.map(|kind| Exp { span: exp.span, kind }).collect()
        });
    }

    /// A variable that is used once gives way to what it is bound to, an applied function to its body.
    pub(super) fn unfold(&mut self) {
        self.everywhere(|exp, regions| match &exp.kind {
            Kind::ParMap(f, ..) if let Kind::Fn(lambda) = &f.kind => {
                let ints = regions.iter().flat_map(|at| [0, 1].map(|k| Kind::Int(k, *at)));
                let bound = ints.map(|kind| {
                    let parts = [Exp { span: exp.span, kind }, lambda.body.clone()];
                    Kind::Let(lambda.param, Box::new(parts))
                });
                bound.map(|kind| Exp { span: exp.span, kind }).collect()
            }
            Kind::Let(var, parts) if walk::uses(&parts[1], *var) == 1 => {
                let mut body = parts[1].clone();
                walk::all_mut(&mut body, &mut |exp| {
                    if exp.kind == Kind::Var(*var) {
                        *exp = parts[0].clone();
                    }
                });
                vec![body]
            }
            Kind::App(parts) if let Kind::Fn(lambda) = &parts[0].kind => {
                let parts = Box::new([parts[1].clone(), lambda.body.clone()]);
                vec![Exp { span: exp.span, kind: Kind::Let(lambda.param, parts) }]
            }
            _ => Vec::new(),
        });
    }

    /// Vectors lose elements.
    pub(super) fn shorten_vectors(&mut self) {
        fn fewer(elements: &[Exp]) -> impl Iterator<Item = Vec<Exp>> + '_ {
            let less = if elements.len() > 1 { elements.len() } else { 0 };
            (0..less).map(|at| {
                let mut elements = elements.to_vec();
                elements.remove(at);
                elements
            })
        }
        self.everywhere(|exp, _| {
            let kinds: Vec<Kind> = match &exp.kind {
                Kind::Vector(elements, at) => {
                    fewer(elements).map(|elements| Kind::Vector(elements, *at)).collect()
                }
                Kind::ParMap(f, over, at) if let Over::Elements(elements) = &**over => {
                    let over = fewer(elements).map(|elements| Box::new(Over::Elements(elements)));
                    over.map(|over| Kind::ParMap(f.clone(), over, *at)).collect()
                }
                _ => Vec::new(),
            };
            kinds.into_iter().map(|kind| Exp { span: exp.span, kind }).collect()
        });
    }

    /// A region gives way to another one, and loses its words.
    pub(super) fn remove_regions(&mut self) {
        self.everywhere(|exp, regions| {
            let Kind::LetRegion(Binder { var, .. }, _, body) = &exp.kind else {
                return Vec::new();
            };
            let others = regions.iter().filter(|other| other.var != *var);
            let merged = others.map(|other| {
                let mut body = (**body).clone();
                walk::regions(&mut body, &mut |at| {
                    if at.var == *var {
                        at.var = other.var;
                    }
                });
                body
            });
            merged.collect()
        });
        self.everywhere(|exp, _| {
            let Kind::LetRegion(binder, Some(words), body) = &exp.kind else { return Vec::new() };
            let fewer = [0, words / 2, words.saturating_sub(1)];
            let fewer = fewer.into_iter().filter(|fewer| fewer < words).map(Some);
            let all = std::iter::once(None).chain(fewer);
            let all = all.map(|words| Kind::LetRegion(*binder, words, body.clone()));
            all.map(|kind| Exp { span: exp.span, kind }).collect()
        });
        // Everything in `r0`, as far as that goes, one region a time.
        for number in 0.. {
            let mut seen = 0;
            let taken = self.attempt_with(|program| {
                walk::regions(&mut program.body, &mut |at| {
                    if seen == number {
                        (at.var, at.world) = (R0, None);
                    }
                    seen += 1;
                });
                Some(())
            });
            if !taken && number >= seen || self.is_spent() {
                break;
            }
        }
    }

    /// Effects lose regions that are not needed.
    pub(super) fn shrink_effects(&mut self) {
        let mut items = Vec::new();
        walk::effects_mut(&mut self.program.clone(), &mut |effect| items.push(effect.items.len()));
        for (number, count) in items.into_iter().enumerate() {
            for at in (0..count).rev() {
                let mut seen = 0;
                self.attempt_with(|program| {
                    walk::effects_mut(program, &mut |effect| {
                        if seen == number && at < effect.items.len() {
                            effect.items.remove(at);
                        }
                        seen += 1;
                    });
                    Some(())
                });
            }
        }
    }

    /// Smaller numbers.
    pub(super) fn reduce_numbers(&mut self) {
        self.everywhere(|exp, _| match &exp.kind {
            Kind::Int(k, at) => {
                let smaller = numbers::smaller_i32(*k).into_iter();
                smaller.map(|k| Exp { span: exp.span, kind: Kind::Int(k, *at) }).collect()
            }
            Kind::Bool(true) => vec![Exp { span: exp.span, kind: Kind::Bool(false) }],
            _ => Vec::new(),
        });
    }

    /// Arrays of the input become shorter.
    pub(super) fn shorten_inputs(&mut self) {
        for at in 0..self.input.len() {
            while let Some(Value::Array { cells, .. }) = self.input.get(at) {
                let len = cells.len();
                let shorter = [0, 1, len / 2, len.saturating_sub(1)];
                let taken = shorter.into_iter().filter(|short| *short < len).any(|short| {
                    let mut input = self.input.clone();
                    let Some(Value::Array { shape, cells }) = input.get_mut(at) else {
                        return false;
                    };
                    let mut fewer = Cells::none(cells.ty());
                    for cell in cells.iter().take(short) {
                        let _ = fewer.push(cell);
                    }
                    (*shape, *cells) = (vec![short], fewer);
                    self.attempt(self.program.clone(), input)
                });
                if !taken {
                    break;
                }
            }
        }
    }
}

fn region(var: reference::kit::names::Var) -> Region {
    Region { span: Span::default(), var, world: None }
}
