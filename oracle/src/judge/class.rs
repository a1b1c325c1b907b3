//! What can be wrong with a shader, how much it weighs, and which sentence of a specification says so.

use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// How much a class weighs, as of the lints of rustc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// It is not told.
    Allow,
    /// It is told, and nothing comes of it.
    Warn,
    /// The shader is wrong.
    Deny,
}

macro_rules! classes {
    ($($class:ident = $name:literal, $level:ident, $why:literal $(, spirv $spirv:literal)?;)*) => {
        /// A class of what can be wrong with a shader.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Class {
            $(#[doc = $why] $class,)*
        }

        impl Class {
            /// All of them, those that are denied first.
            pub const ALL: &[Class] = &[$(Class::$class,)*];

            /// Its name on the command line.
            pub fn name(self) -> &'static str {
                match self { $(Class::$class => $name,)* }
            }

            /// How much it weighs unless somebody says otherwise.
            pub fn usual(self) -> Level {
                match self { $(Class::$class => Level::$level,)* }
            }

            /// Which part of which specification says so, in our words: of a shader in WGSL, or of a module of SPIR-V.
            pub fn why(self, spirv: bool) -> &'static str {
                match self { $(
                    $(Class::$class if spirv => $spirv,)?
                    Class::$class => $why,
                )* }
            }
        }
    };
}

classes! {
    Race = "race", Deny,
        "WGSL, Memory Model, which is that of Vulkan: accesses of one location that conflict and are not ordered are a data race, a dynamic error",
        spirv "Vulkan, Memory Model: accesses of one location that conflict and of which none happens before the other are a data race, and what the shader does then is not defined";
    SameValue = "same-value", Deny,
        "WGSL, Memory Model, which is that of Vulkan: writes that conflict are a data race whatever they write; equal values are no exception",
        spirv "Vulkan, Memory Model: writes that conflict are a data race whatever they write; equal values are no exception";
    Barrier = "barrier", Deny,
        "WGSL, Barriers: a control barrier is executed by all invocations of a work group, as if at once",
        spirv "SPIR-V, OpControlBarrier: all invocations of its execution scope have to reach it, or none";
    OutOfBounds = "out-of-bounds", Deny,
        "WGSL, Out-of-Bounds Access: an access outside of the memory of a variable is a dynamic error",
        spirv "SPIR-V, OpAccessChain: an index has to be inside of its array; Vulkan bounds the access only where robust access is asked for";
    Uninitialised = "uninitialised", Deny,
        "SPIR-V, OpVariable: memory without an initializer holds no defined value before it is written";
    Undefined = "undefined", Deny,
        "SPIR-V, Instructions: the result of the instruction is undefined for these operands, and the shader depends on it";
    Indeterminate = "indeterminate", Deny,
        "WGSL, Indeterminate values: an evaluation of operands that are not supported gives any value of the type, and the shader depends on it";
    Invalid = "invalid", Deny,
        "SPIR-V, Universal Validation Rules: the module is not valid";
    NeverEnds = "never-ends", Deny,
        "WGSL, Loop Statement: a loop of an unbounded number of iterations is a dynamic error",
        spirv "Vulkan, Shaders: a device may be lost while an invocation does not end";
    WrongResult = "wrong-result", Deny,
        "--expect: the shader leaves other contents in the buffer";
    Engine = "engine", Deny,
        "--engines: the adapter leaves what WGSL does not permit, or breaks, so its driver or its translator is wrong";
    DiscardedRead = "discarded-read", Warn,
        "WGSL, Out-of-Bounds Access: a read outside of memory is a dynamic error, also where its value is thrown away",
        spirv "SPIR-V, OpAccessChain: an index has to be inside of its array, also where what is read is thrown away";
    OrderDependent = "order-dependent", Warn,
        "WGSL, Memory Model: nothing orders these atomic operations, so more than one result is right",
        spirv "Vulkan, Memory Model: nothing orders these atomic operations, so more than one result is right";
    SubgroupDependent = "subgroup-dependent", Warn,
        "WGSL, Subgroups: the size of subgroups depends on the shader, the device and its compiler",
        spirv "Vulkan, SubgroupSize: the device chooses the size of subgroups";
    NeedsProgress = "needs-progress", Warn,
        "WGSL, Compute Shaders and Workgroups: no invocation is promised to go on while another one waits for it",
        spirv "Vulkan, Shaders: no progress of one invocation is promised while another waits for it";
    RoundingDependent = "rounding-dependent", Warn,
        "WGSL, Floating Point Accuracy, Reassociation and Fusion: a device may round up or down, fuse and reassociate",
        spirv "Vulkan, Precision and Operation of SPIR-V Instructions: a device may round up or down, fuse and reassociate";
    NotFinite = "not-finite", Warn,
        "WGSL, Differences from IEEE-754: a device may take for granted that there are no infinities and NaNs",
        spirv "SPIR-V, Float Controls: unless the module asks for infinities and NaNs, a device need not keep them";
    Translator = "translator", Warn,
        "WGSL gives the shader a meaning, and naga 30 makes a module of SPIR-V of it that leaves a value undefined or is invalid";
    Uniformity = "uniformity", Warn,
        "WGSL, Uniformity: barriers and subgroup operations have to be where control flow is known to be uniform";
    Limits = "limits", Warn,
        "WebGPU, Limits: an adapter need not give more than the default limits";
}

impl Class {
    /// The class of this name.
    pub fn named(name: &str) -> Option<Class> {
        Class::ALL.iter().copied().find(|class| class.name() == name)
    }
}

impl Serialize for Class {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

/// How much classes weigh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    said: BTreeMap<Class, Level>,
    /// Are warnings denied?
    pub strict: bool,
}

impl Levels {
    /// From now on the class weighs so much.
    pub fn set(&mut self, class: Class, level: Level) {
        self.said.insert(class, level);
    }

    /// Is it denied by name, or since warnings are?
    pub fn insists(&self, class: Class) -> bool {
        self.said.get(&class).map_or(self.strict, |said| *said == Level::Deny)
    }

    /// How much it weighs.
    pub fn of(&self, class: Class) -> Level {
        match self.said.get(&class).copied() {
            Some(said) => said,
            None if self.strict => Level::Deny,
            None => class.usual(),
        }
    }
}
