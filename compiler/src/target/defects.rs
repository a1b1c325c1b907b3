//! What is known to be wrong with drivers: what no emitted code can avoid, or none that the others
//! should pay for.

use super::Shape;
use serde::{Deserialize, Serialize};

/// A known defect of a driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Defect {
    /// What is wrong, in one line.
    pub text: String,
    /// The driver with its version, as far as it tells it.
    pub driver: String,
    /// What it spoils.
    pub spoils: Spoils,
}

/// What a defect spoils.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Spoils {
    /// Runs in which the invocations that run together, at most [`TOGETHER`], have so many loop rounds, counted over all
    /// loops.
    Rounds(u64),
    /// Shaders of this shape.
    Shape(Shape),
}

/// The most invocations whose loop rounds a driver counts together: a round is one of each loop that at least one of
/// them is in.
pub const TOGETHER: u32 = 8;

impl Defect {
    /// The known defects of a driver, by the names of the device and of the driver and by what the
    /// driver says of its version.
    pub fn of(device: &str, driver: &str, version: &str) -> Vec<Defect> {
        let mut known = Vec::new();
        let mut add = |driver: &str, text: &str, spoils: Spoils| {
            known.push(Defect { text: text.to_owned(), driver: driver.to_owned(), spoils });
        };
        // Seen on 22.3.6; gone on 25.0.7. No release between was looked at, so every one before
        // that is held to have it.
        if driver.contains("llvmpipe") && mesa_version(version).is_none_or(|v| v < (25, 0)) {
            add(
                version,
                "all loops of 8 invocations stop after 65,535 rounds together, silently",
                Spoils::Rounds(65_535),
            );
            add(
                version,
                "64-bit integers that were 32-bit ones compare wrongly with literals",
                Spoils::Shape(Shape::I64Literals),
            );
        }
        // Seen on 22.3.6. No other version was looked at, so every one is held to have it.
        if driver.contains("llvmpipe") {
            add(
                version,
                "of more than 80 branches in each other, or cases of a `switch`, others are taken too, or \
                 none; what is behind a `return` stands in a branch",
                Spoils::Shape(Shape::DeepBranches),
            );
        }
        // Seen with Debian 12's chromium. It tells no version through Vulkan, so every one with this
        // back end is held to have it. `vec2(a, b) ^ vec2(c, zero)` is 0 where a private variable
        // `zero` still has the value that it starts with.
        let device = device.to_ascii_lowercase();
        if device.contains("swiftshader") && device.contains("subzero") {
            add(
                "SwiftShader with Subzero",
                "`|` and `^` of vectors lose what stands against a private variable that is still \
                 zero",
                Spoils::Shape(Shape::VectorBits),
            );
        }
        // Seen with 580.159.04, on an H100 and an H200. No other version was looked at, so every one is held to
        // have them. A sixth fault, of bools in work-group memory, no emitted shader meets.
        if driver == "NVIDIA" {
            let nvidia = format!("NVIDIA {version}");
            add(
                &nvidia,
                "a store to a component of a vector in a private array moves in front of a read of it",
                Spoils::Shape(Shape::StoredComponents),
            );
            add(
                &nvidia,
                "`max(m, max(n, -n))` and `min(m, min(n, -n))` lose the sign",
                Spoils::Shape(Shape::NegatedExtrema),
            );
            add(
                &nvidia,
                "the compiler crashes at a function that indexes a parameter, made of work-group variables, by \
                 its own elements",
                Spoils::Shape(Shape::IndexedArguments),
            );
            add(
                &nvidia,
                "the compiler crashes at two elements of values that are arrays of arrays of arrays, one of them at \
                 an index from a private variable that is still zero",
                Spoils::Shape(Shape::NestedValues),
            );
            add(
                &nvidia,
                "a branch behind a loop that tells that its rounds are used up is taken though they are not, in a \
                 kernel with work-group variables and an array or vector of an invocation",
                Spoils::Shape(Shape::StoredBehindLoops),
            );
        }
        known
    }

    /// The loop rounds of the invocations that run together from which on results are wrong.
    pub fn rounds(&self) -> Option<u64> {
        match self.spoils {
            Spoils::Rounds(rounds) => Some(rounds),
            Spoils::Shape(_) => None,
        }
    }

    /// Does it spoil a shader of these shapes?
    pub fn spoils(&self, shapes: &[Shape]) -> bool {
        matches!(self.spoils, Spoils::Shape(shape) if shapes.contains(&shape))
    }

    /// `all loops ... stop ... (known defect of Mesa 22.3.6)`
    pub fn known(&self) -> String {
        format!("{} (known defect of {})", self.text, self.driver)
    }
}

/// The version in `Mesa 22.3.6 (LLVM 15.0.6)`.
fn mesa_version(version: &str) -> Option<(u32, u32)> {
    let version = version.split("Mesa ").nth(1)?.split(' ').next()?;
    let mut parts = version.split('.').map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use super::{Defect, Spoils, mesa_version};

    #[test]
    fn the_driver_and_its_version_decide() {
        assert_eq!(mesa_version("Mesa 22.3.6 (LLVM 15.0.6)"), Some((22, 3)));
        let lavapipe = |version| Defect::of("llvmpipe (LLVM, 256 bits)", "llvmpipe", version);
        let old = lavapipe("Mesa 22.3.6 (LLVM 15.0.6)");
        assert_eq!(old[0].rounds(), Some(65_535));
        assert!(old[1].spoils(&[Shape::VectorBits, Shape::I64Literals]));
        assert!(!old[1].spoils(&[Shape::VectorBits]));
        let new = lavapipe("Mesa 25.0.7-2 (LLVM 19.1.7)");
        assert_eq!(
            new.iter().map(|of| of.spoils).collect::<Vec<_>>(),
            [Spoils::Shape(Shape::DeepBranches)]
        );
        let of = |device| Defect::of(device, "SwiftShader driver", "");
        assert_eq!(of("SwiftShader Device (Subzero)")[0].spoils, Spoils::Shape(Shape::VectorBits));
        assert!(of("SwiftShader Device (LLVM 16.0.0)").is_empty());
        let nvidia = Defect::of("NVIDIA H200", "NVIDIA", "580.159.04");
        let spoils = |shape| nvidia.iter().any(|defect| defect.spoils(&[shape]));
        assert_eq!(nvidia.len(), 5);
        assert!(spoils(Shape::StoredComponents) && spoils(Shape::NegatedExtrema));
        assert!(spoils(Shape::IndexedArguments) && !spoils(Shape::VectorBits));
        assert!(nvidia[0].known().ends_with("(known defect of NVIDIA 580.159.04)"));
        let dawn = "google swiftshader-device-subzero-";
        assert_eq!(Defect::of(dawn, "Dawn", "SwiftShader driver 5.0.0").len(), 1);
    }
}
