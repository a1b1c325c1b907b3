//! Which kernel is launched, by how many items, in groups of what size; and the input that it takes (reading M1).

use super::syntax::{Function, Program, Space};
use crate::kit::fit::{self, Param, Size};
use crate::kit::language::{Choice, Settings, Values};
use crate::kit::outcome::Value;
use crate::kit::text::{Rejected, Span};
use serde::{Deserialize, Serialize};

/// The launch, as an option of the language.
pub const LAUNCH: Choice = Choice {
    name: "launch",
    values: Values::Form {
        form: "a kernel, its items and the size of its groups, which divides them, one blank between two, as in `k 8 4`",
        admits: |text| Launch::read(text).is_some(),
    },
    default: "",
};

/// `k 8 4`; without a kernel, the first one of the program by one item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    kernel: Option<String>,
    /// Items.
    pub items: u32,
    /// Items of a group.
    pub size: u32,
}

impl Default for Launch {
    /// The first kernel, by one item.
    fn default() -> Self {
        Launch { kernel: None, items: 1, size: 1 }
    }
}

impl Launch {
    /// `k 8 4`
    pub fn of(kernel: &str, items: u32, size: u32) -> Launch {
        Launch { kernel: Some(kernel.to_owned()), items, size }
    }

    /// The option that says it; none is set for the first kernel by one item.
    pub fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        if let Some(kernel) = &self.kernel {
            let text = format!("{kernel} {} {}", self.items, self.size);
            let set = settings.set(&[LAUNCH], LAUNCH.name, &text);
            set.unwrap_or_else(|told| unreachable!("a launch has the form of one: {told}"));
        }
        settings
    }

    /// Is it a launch of the kernel of this name, if no kernel comes before?
    pub fn is_of(&self, kernel: &str) -> bool {
        self.kernel.as_ref().is_none_or(|name| name == kernel)
    }

    /// The launch of this text.
    pub fn read(text: &str) -> Option<Launch> {
        if text.is_empty() {
            return Some(Launch::default());
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
        let named = |kernel: &&Function<E>| self.is_of(program.names.written(kernel.name));
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
        let params = params(kernel);
        for (param, value) in kernel.params.iter().zip(&input) {
            let is_size = matches!(value, Value::Scalar(crate::kit::outcome::Scalar::I32(_)));
            if param.ty.points_to() == Some(Space::Local) && !is_size {
                let var = param.var.expect("a kernel names its parameters");
                let name = program.names.written(var);
                let told = value.described();
                let message = format!("parameter `{name}` is a local pointer, and not {told}");
                let refused =
                    Rejected::new(param.span, message, "the input is the number of its elements");
                return Err(refused);
            }
        }
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

/// What the parameters of a kernel take.
pub(super) fn params(kernel: &Function) -> Vec<Param> {
    let param = |param: &super::syntax::Param| {
        let var = param.var.expect("a kernel names its parameters");
        let array = !matches!(param.ty.points_to(), None | Some(Space::Local));
        Param::of_ints(var, array.then(|| vec![Size::Any]))
    };
    kernel.params.iter().map(param).collect()
}
