//! What passes take and make.

use super::Lang;
use crate::emit::wgsl::Form as Shader;
use reference::device::syntax::Program as Device;
use reference::kit::language::Language;
use reference::languages;

macro_rules! artifact {
    ($($(#[$meta:meta])* $name:ident = $room:ident;)*) => {
        /// What a stage is: a program of a language of the table, or the shaders.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Artifact {
            $($(#[$meta])* #[doc = concat!("Of `reference::", stringify!($room), "`.")]
            $name(<reference::$room::$name as Language>::Program),)*
            /// A shader for each kernel of the device program before it.
            Shaders(Vec<Shader>),
        }

        impl Artifact {
            /// The language of the program.
            pub fn lang(&self) -> Lang {
                match self {
                    $($(#[$meta])* Artifact::$name(_) => Lang::$name,)*
                    Artifact::Shaders(_) => Lang::Shaders,
                }
            }

            /// The program.
            ///
            /// # Errors
            /// It is no program but the shaders.
            pub fn program(self) -> Result<languages::Artifact, Vec<Shader>> {
                match self {
                    $($(#[$meta])* Artifact::$name(program) => {
                        Ok(languages::Artifact::$name(program))
                    })*
                    Artifact::Shaders(shaders) => Err(shaders),
                }
            }
        }

        impl From<languages::Artifact> for Artifact {
            fn from(artifact: languages::Artifact) -> Self {
                match artifact {
                    $($(#[$meta])* languages::Artifact::$name(program) => Artifact::$name(program),)*
                }
            }
        }
    };
}

languages!(artifact);

impl Artifact {
    /// The program, if it is one of the device language.
    pub fn into_device(self) -> Option<Device> {
        match self {
            Artifact::Device(program) => Some(program),
            _ => None,
        }
    }
}

impl From<Device> for Artifact {
    fn from(program: Device) -> Self {
        Artifact::Device(program)
    }
}
