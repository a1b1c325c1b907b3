//! Which functions call each other: strongly connected components, callees first.

use crate::kit::names::Var;
use crate::minias::syntax::{Cond, Exp, Function, Kind, Stmt, StmtKind};

/// The functions that a function calls.
pub(super) fn callees(function: &Function) -> Vec<Var> {
    let mut found = Vec::new();
    function.body.iter().flatten().for_each(|stmt| of_stmt(stmt, &mut found));
    found
}

fn of_stmt(stmt: &Stmt, found: &mut Vec<Var>) {
    let mut exps: Vec<&Exp> = Vec::new();
    let mut stmts: Vec<&Stmt> = Vec::new();
    match &stmt.kind {
        StmtKind::Empty | StmtKind::Barrier(_) => {}
        StmtKind::Decl(decl) => exps.extend(decl.init.iter().flat_map(|init| init.exps())),
        StmtKind::Exp(exp) => exps.push(exp),
        StmtKind::Assign(place, value) => exps.extend([place, value]),
        StmtKind::Return(exp) => exps.extend(exp),
        StmtKind::Block(body) => stmts.extend(body),
        StmtKind::If(cond, then, otherwise) => {
            match cond {
                Cond::Exp(exp) => exps.push(exp),
                Cond::Decl(decl) => exps.extend(decl.init.iter().flat_map(|init| init.exps())),
            }
            stmts.push(then);
            stmts.extend(otherwise.as_deref());
        }
        StmtKind::While(exp, body) => {
            exps.push(exp);
            stmts.push(body);
        }
        StmtKind::For(parts) => {
            exps.push(&parts.while_);
            stmts.extend(parts.first.iter().chain(&parts.next));
            stmts.push(&parts.body);
        }
    }
    exps.into_iter().for_each(|exp| of_exp(exp, found));
    stmts.into_iter().for_each(|stmt| of_stmt(stmt, found));
}

fn of_exp(exp: &Exp, found: &mut Vec<Var>) {
    match &exp.kind {
        Kind::Int(_) | Kind::Null | Kind::Var(_) | Kind::Builtin(_) => {}
        Kind::Unary(_, part)
        | Kind::Load(part)
        | Kind::Address(part)
        | Kind::Cast(_, part)
        | Kind::Dynamic(_, part) => of_exp(part, found),
        Kind::Binary(_, left, right) => {
            of_exp(left, found);
            of_exp(right, found);
        }
        Kind::Cond(parts) => parts.iter().for_each(|part| of_exp(part, found)),
        Kind::Call(function, args) => {
            found.push(*function);
            args.iter().for_each(|arg| of_exp(arg, found));
        }
    }
}

/// The components of a graph, each after those that it has edges to (Tarjan, "Depth-First Search and Linear Graph
/// Algorithms", 1972). The stack is kept here, for chains of calls may be long.
pub(super) fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let n = edges.len();
    let (mut number, mut low) = (vec![NEW; n], vec![0; n]);
    let (mut on_stack, mut stack, mut components) = (vec![false; n], Vec::new(), Vec::new());
    let mut count = 0;
    for root in 0..n {
        if number[root] != NEW {
            continue;
        }
        let mut under_way = vec![(root, 0)];
        while let Some((node, edge)) = under_way.last_mut() {
            let node = *node;
            if *edge == 0 {
                (number[node], low[node]) = (count, count);
                count += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&next) = edges[node].get(*edge) {
                *edge += 1;
                if number[next] == NEW {
                    under_way.push((next, 0));
                } else if on_stack[next] {
                    low[node] = low[node].min(number[next]);
                }
                continue;
            }
            under_way.pop();
            if let Some((before, _)) = under_way.last() {
                low[*before] = low[*before].min(low[node]);
            }
            if low[node] == number[node] {
                let from = stack.iter().rposition(|other| *other == node).expect("it is there");
                let component = stack.split_off(from);
                component.iter().for_each(|node| on_stack[*node] = false);
                components.push(component);
            }
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn callees_come_first_and_cycles_together() {
        let edges = [vec![1, 2], vec![2], vec![1, 3], vec![], vec![4]];
        assert_eq!(components(&edges), [vec![3], vec![1, 2], vec![0], vec![4]]);
        let chain: Vec<Vec<usize>> = (0..100_000).map(|at| vec![(at + 1) % 100_000]).collect();
        assert_eq!(components(&chain).len(), 1);
    }
}
