//! Which kernel is launched, by how many items, in groups of what size; and the input that it takes (reading M1).

use super::syntax::{Function, Program, Space};
use crate::kit::fit::{self, Param, Size};
use crate::kit::language::{Choice, Values};
use crate::kit::outcome::Value;
use crate::kit::text::{Rejected, Span};

/// The launch, as an option of the language.
pub const LAUNCH: Choice = Choice {
    name: "launch",
    values: Values::Form {
        form: "a kernel, its items and the size of its groups, which divides them, as in `k 8 4`",
        admits: |text| Launch::read(text).is_some(),
    },
    default: "",
};

/// `k 8 4`; without a kernel, the first one of the program by one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    kernel: Option<String>,
    /// Items.
    pub items: u32,
    /// Items of a group.
    pub size: u32,
}

impl Launch {
    /// The launch of this text.
    pub fn read(text: &str) -> Option<Launch> {
        if text.is_empty() {
            return Some(Launch { kernel: None, items: 1, size: 1 });
        }
        let words: Vec<&str> = text.split(' ').collect();
        let [kernel, items, size] = words[..] else { return None };
        let number = |text: &str| {
            text.parse::<u32>().ok().filter(|k| k.to_string() == text && (1..1 << 31).contains(k))
        };
        let (items, size) = (number(items)?, number(size)?);
        let is_name = kernel.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && kernel.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        (is_name && items.is_multiple_of(size)).then(|| Launch {
            kernel: Some(kernel.to_owned()),
            items,
            size,
        })
    }

    /// The kernel of the program.
    ///
    /// # Errors
    /// There is no such kernel.
    pub fn kernel<'p, E>(&self, program: &'p Program<E>) -> Result<&'p Function<E>, Rejected> {
        let named = |kernel: &&Function<E>| {
            self.kernel.as_ref().is_none_or(|name| program.names.written(kernel.name) == name)
        };
        program.kernels().find(named).ok_or_else(|| {
            let names: Vec<&str> =
                program.kernels().map(|kernel| program.names.written(kernel.name)).collect();
            let message = match &self.kernel {
                Some(name) => format!("there is no kernel `{name}` to launch"),
                None => "there is no kernel to launch".to_owned(),
            };
            let refused = Rejected::new(Span::default(), message, "in this program");
            if names.is_empty() {
                refused
            } else {
                refused.help(format!("there are {}", names.join(", ")))
            }
        })
    }

    /// The input as the kernel takes it: ints, arrays, and for a local pointer how many elements it points to.
    ///
    /// # Errors
    /// The kernel is not there, or the input does not fit it.
    pub fn fit(&self, program: &Program, input: Vec<Value>) -> Result<Vec<Value>, Rejected> {
        let kernel = self.kernel(program)?;
        let param = |param: &super::syntax::Param| {
            let var = param.var.expect("a kernel names its parameters");
            let array = !matches!(param.ty.points_to(), None | Some(Space::Local));
            Param::of_ints(var, array.then(|| vec![Size::Any]))
        };
        let params: Vec<Param> = kernel.params.iter().map(param).collect();
        let fitted = fit::fit(&program.names, &params, input, kernel.span)?;
        for (param, value) in kernel.params.iter().zip(&fitted) {
            let size = match value {
                Value::Scalar(crate::kit::outcome::Scalar::I32(size)) => *size,
                _ => continue,
            };
            if param.ty.points_to() == Some(Space::Local) && size < 0 {
                let message = format!("a local pointer to {size} elements");
                return Err(Rejected::new(
                    param.span,
                    message,
                    "the input is the number of its elements",
                ));
            }
        }
        Ok(fitted)
    }
}
