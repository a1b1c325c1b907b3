//! Matrices: their products, and their functions in GLSL.std.450. A matrix has its columns one behind the other.

use super::Read;
use super::body::{Body, Here};
use super::functions::outside;
use super::geometry::{Operation, Reals};
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{At, Op, Partial};
use crate::spirv::types::{Scalar, Scalars, Type, Width};
use rspirv::spirv::{GlslStd450Op as G, Op as Opcode, Word};

/// The shape of a matrix: columns, and rows of each.
type Shape = (u32, u32);

/// The quotient by a determinant, which must not be zero.
fn quotient([a, determinant, ..]: [u64; 4]) -> (u64, u8) {
    let determinant = f64::from_bits(determinant);
    ((f64::from_bits(a) / determinant).to_bits(), outside(determinant == 0.0))
}

impl Body<'_> {
    /// The shape of a matrix of this type, and the width of its numbers.
    fn shape(&self, at: &Here<'_>, ty: Word) -> Read<(Shape, Width)> {
        let types = &self.reader.types;
        let shape = match types.get(ty) {
            Some(Type::Matrix { column, count }) => types.scalars(*column).map(|it| {
                let Scalars { count: rows, width, .. } = it;
                ((*count, rows), width)
            }),
            _ => None,
        };
        shape.ok_or_else(|| self.reader.ill_typed(at.number, "a matrix is asked for"))
    }

    /// The columns of a matrix as numbers of 64 bits.
    fn columns(&mut self, at: &Here<'_>, n: usize) -> Read<Vec<Reals>> {
        let value = self.operand(at, n)?;
        let ((count, rows), width) = self.shape(at, value.ty)?;
        let column = |c: u32| self.widened(at, value.at + c * rows, rows, width);
        Ok((0..count).map(column).collect())
    }

    /// The result of the instruction, whose columns these are.
    fn matrix_result(&mut self, at: &Here<'_>, columns: &[Reals]) -> Read<()> {
        let ((count, rows), width) = self.shape(at, at.ty())?;
        let fits = |column: &Reals| column.len() == rows as usize;
        if columns.len() != count as usize || !columns.iter().all(fits) {
            return Err(self.reader.ill_typed(at.number, "the result is of another type"));
        }
        let to = self.define(at)?;
        for (c, column) in (0..).zip(columns) {
            self.round_to(at, to + c * rows, column, width);
        }
        Ok(())
    }

    fn unfit(&self, at: &Here<'_>) -> super::Refusal {
        self.reader.ill_typed(at.number, "the matrices do not fit")
    }

    /// Products of matrices and vectors, and `OpTranspose`.
    pub(super) fn matrix(&mut self, at: &Here<'_>) -> Read<Rule> {
        match at.opcode() {
            Opcode::MatrixTimesVector => {
                let (columns, vector) = (self.columns(at, 0)?, self.reals(at, 1)?);
                let product = self.transformed(at, &columns, &vector)?;
                self.rounded(at, &product)?;
            }
            Opcode::VectorTimesMatrix => {
                let (vector, columns) = (self.reals(at, 0)?, self.columns(at, 1)?);
                if columns.iter().any(|column| column.len() != vector.len()) {
                    return Err(self.unfit(at));
                }
                let product: Reals =
                    columns.iter().map(|column| self.dot(at, &vector, column)).collect();
                self.rounded(at, &product)?;
            }
            Opcode::MatrixTimesMatrix => {
                let (left, right) = (self.columns(at, 0)?, self.columns(at, 1)?);
                let product: Vec<Reals> = right
                    .iter()
                    .map(|column| self.transformed(at, &left, column))
                    .collect::<Read<_>>()?;
                self.matrix_result(at, &product)?;
            }
            Opcode::OuterProduct => {
                let (left, right) = (self.reals(at, 0)?, self.reals(at, 1)?);
                let product: Vec<Reals> =
                    right.iter().map(|b| self.scaled(at, Operation::Multiply, &left, *b)).collect();
                self.matrix_result(at, &product)?;
            }
            _ => self.transpose(at)?,
        }
        Ok(Rule::Arithmetic)
    }

    /// The sum of the columns, each times a component.
    fn transformed(&mut self, at: &Here<'_>, columns: &[Reals], vector: &[At]) -> Read<Reals> {
        if columns.len() != vector.len() {
            return Err(self.unfit(at));
        }
        let rows = columns.first().map_or(0, Vec::len);
        let row = |r: usize| {
            let row: Reals = columns.iter().map(|column| column[r]).collect();
            self.dot(at, &row, vector)
        };
        Ok((0..rows).map(row).collect())
    }

    fn transpose(&mut self, at: &Here<'_>) -> Read<()> {
        let value = self.operand(at, 0)?;
        let ((columns, rows), width) = self.shape(at, value.ty)?;
        if self.shape(at, at.ty())? != ((rows, columns), width) {
            return Err(self.unfit(at));
        }
        let to = self.define(at)?;
        for c in 0..columns {
            for r in 0..rows {
                let (to, from) = (to + r * columns + c, value.at + c * rows + r);
                self.emit(at, Op::Copy { to, from, count: 1 });
            }
        }
        Ok(())
    }

    /// Are the components of a vector, or of a matrix, floating-point numbers of this width?
    pub(super) fn consists_of_floats(&self, ty: Word, width: Width) -> bool {
        let types = &self.reader.types;
        let of = match types.get(ty) {
            Some(Type::Matrix { column, .. }) => *column,
            _ => ty,
        };
        types.scalars(of).is_some_and(|it| (it.scalar, it.width) == (Scalar::Float, width))
    }

    /// An instruction of GLSL.std.450, if it is one of those of matrices.
    pub(super) fn matrix_function(&mut self, at: &Here<'_>, instruction: G) -> Read<Option<Rule>> {
        if !matches!(instruction, G::Determinant | G::MatrixInverse) {
            return Ok(None);
        }
        let columns = self.columns(at, 2)?;
        if columns.iter().any(|column| column.len() != columns.len()) {
            return Err(self.reader.ill_typed(at.number, "a square matrix is asked for"));
        }
        let of = self.operand(at, 2)?.ty;
        let (_, width) = self.shape(at, of)?;
        let determinant = self.determinant(at, &columns, width);
        if instruction == G::Determinant {
            self.rounded(at, &[determinant])?;
            return Ok(Some(Rule::Extended));
        }
        self.used(at, determinant, width, true);
        let size = columns.len();
        let mut inverse = vec![Reals::new(); size];
        for (i, column) in inverse.iter_mut().enumerate() {
            for j in 0..size {
                let (a, to) = (self.cofactor(at, &columns, (j, i), width), self.slots(1));
                let operands = [a, determinant, a, a];
                self.partial(
                    at,
                    Partial { f: quotient, to, operands, rule: Rule::Domain, half: false },
                );
                column.push(to);
            }
        }
        self.matrix_result(at, &inverse)?;
        Ok(Some(Rule::Domain))
    }

    /// Along the first row.
    fn determinant(&mut self, at: &Here<'_>, columns: &[Reals], width: Width) -> At {
        match columns {
            [] => self.real(1.0),
            [column] => column[0],
            [a, b] => self.minor(at, [a[0], a[1]], [b[0], b[1]]),
            _ => {
                let term = |c: usize| {
                    let cofactor = self.cofactor(at, columns, (c, 0), width);
                    self.binary(at, Operation::Multiply, columns[c][0], cofactor)
                };
                let terms: Reals = (0..columns.len()).map(term).collect();
                self.sum(at, &terms)
            }
        }
    }

    /// The determinant without a column and a row, with its sign.
    fn cofactor(
        &mut self,
        at: &Here<'_>,
        columns: &[Reals],
        (column, row): (usize, usize),
        width: Width,
    ) -> At {
        let without = |all: &Reals| -> Reals {
            all.iter().enumerate().filter(|(r, _)| *r != row).map(|(_, a)| *a).collect()
        };
        let others = columns.iter().enumerate().filter(|(c, _)| *c != column);
        let others: Vec<Reals> = others.map(|(_, all)| without(all)).collect();
        let minor = self.determinant(at, &others, width);
        self.used(at, minor, width, false);
        if (column + row).is_multiple_of(2) {
            return minor;
        }
        let zero = self.real(0.0);
        self.binary(at, Operation::Subtract, zero, minor)
    }
}
