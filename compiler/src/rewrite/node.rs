//! Terms in an e-graph: a node is a head and the classes of its arguments.

use egg::{DidMerge, EGraph, ENodeOrVar, Id, Language, Pattern, PatternAst, RecExpr, Var};
use reference::axes::apply::Match;
use reference::axes::syntax::{Head, Name, Term};
use reference::axes::types::Scope;

/// A node of the e-graph.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Node {
    pub(super) head: Head,
    pub(super) args: Box<[Id]>,
}

impl Language for Node {
    type Discriminant = Head;

    fn discriminant(&self) -> Head {
        self.head.clone()
    }

    fn matches(&self, other: &Self) -> bool {
        self.head == other.head && self.args.len() == other.args.len()
    }

    fn children(&self) -> &[Id] {
        &self.args
    }

    fn children_mut(&mut self) -> &mut [Id] {
        &mut self.args
    }
}

/// What is known of a class: its smallest term. Laws that substitute work on it.
#[derive(Clone, Debug)]
pub(super) struct Smallest {
    pub(super) term: Term,
    nodes: usize,
}

/// The e-graph's own knowledge: the axes and parameters of the program.
pub(super) struct Known {
    pub(super) scope: Scope,
}

pub(super) type Graph = EGraph<Node, Known>;

impl egg::Analysis<Node> for Known {
    type Data = Smallest;

    fn make(graph: &mut Graph, node: &Node, _: Id) -> Smallest {
        let of = |id: &Id| graph[*id].data.term.clone();
        let nodes = node.args.iter().map(|id| graph[*id].data.nodes);
        let nodes = nodes.fold(1_usize, usize::saturating_add);
        let args: Vec<Term> = node.args.iter().map(of).collect();
        Smallest { term: Term::new(node.head.clone(), args), nodes }
    }

    fn merge(&mut self, a: &mut Smallest, b: Smallest) -> DidMerge {
        // By size, then by the term itself: so runs repeat.
        match (b.nodes, &b.term).cmp(&(a.nodes, &a.term)) {
            std::cmp::Ordering::Less => {
                *a = b;
                DidMerge(true, false)
            }
            std::cmp::Ordering::Equal => DidMerge(false, false),
            std::cmp::Ordering::Greater => DidMerge(false, true),
        }
    }
}

/// The variable of a hole.
fn variable(hole: &Name) -> Var {
    format!("?{hole}").parse().expect("a hole is a name")
}

/// A pattern of ours as one of egg's.
pub(super) fn pattern(of: &Term) -> Pattern<Node> {
    let mut ast = PatternAst::default();
    add(of, &mut |node| match node.head {
        Head::Hole(ref name) => ast.add(ENodeOrVar::Var(variable(name))),
        _ => ast.add(ENodeOrVar::ENode(node)),
    });
    Pattern::new(ast)
}

/// A term without holes as a pattern.
pub(super) fn ground(of: &Term) -> PatternAst<Node> {
    let mut ast = PatternAst::default();
    add(of, &mut |node| ast.add(ENodeOrVar::ENode(node)));
    ast
}

/// A term as egg's expression.
pub(super) fn expression(of: &Term) -> RecExpr<Node> {
    let mut expression = RecExpr::default();
    add(of, &mut |node| expression.add(node));
    expression
}

/// Adds a term from its leaves on.
fn add(of: &Term, to: &mut impl FnMut(Node) -> Id) -> Id {
    let args: Vec<Id> = of.args.iter().map(|arg| add(arg, to)).collect();
    to(Node { head: of.head.clone(), args: args.into() })
}

/// The smallest terms that the holes of a pattern stand for.
pub(super) fn found(pattern: &Term, subst: &egg::Subst, graph: &Graph) -> Match {
    let mut found = Match::new();
    pattern.walk(&mut |term| {
        if let Head::Hole(name) = &term.head {
            let class = subst[variable(name)];
            found.entry(name.clone()).or_insert_with(|| graph[class].data.term.clone());
        }
    });
    found
}
