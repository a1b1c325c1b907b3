//! Shaders that others wrote, in WGSL: what a judge has to know of one before it runs, and the SPIR-V of an entry point.
//!
//! naga translates without checks of bounds: with them an index that leaves its array is moved into it, and nobody sees it.

use super::enabled::without_enable;
use super::refused::{Refused, chain};
use naga::back::pipeline_constants::process_overrides;
use naga::back::spv::{self, BindingInfo, DebugInfo, PipelineOptions, SourceLanguage, WriterFlags};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy, Layouter};
use naga::valid::{Capabilities, ModuleInfo, SubgroupOperationSet, ValidationFlags, Validator};
use naga::{
    AddressSpace, ArraySize, Handle, Module, ScalarKind, ShaderStage, StorageAccess, Type,
    TypeInner,
};
use std::fmt::Write;
use std::ops::Range;

/// A text of WGSL that naga takes.
pub struct Foreign {
    text: String,
    module: Module,
    info: ModuleInfo,
}

/// An entry point of the compute stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
}

/// A constant that a pipeline gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its `@id`, or else its name, by which it is given.
    pub key: String,
    /// Its name.
    pub name: String,
    /// Its declaration, as bytes of the text.
    pub place: Option<Range<usize>>,
    /// Has it no value of its own?
    pub needed: bool,
    /// Its type: `bool`, `i32`, `u32`, `f32` or `f16`.
    pub ty: &'static str,
}

impl Constant {
    /// Has its type this value?
    pub fn takes(&self, value: f64) -> bool {
        let within = |least: f64, most: f64| (least..=most).contains(&value);
        match self.ty {
            "bool" => value.is_finite(),
            "i32" => within(i32::MIN.into(), i32::MAX.into()),
            "u32" => within(0.0, u32::MAX.into()),
            "f16" => within(-65504.0, 65504.0),
            _ => within(f32::MIN.into(), f32::MAX.into()),
        }
    }
}

/// Scalars, as contents of buffers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// `u32`
    Unsigned,
    /// `i32`
    Signed,
    /// `f32`
    Float,
    /// `f16`: a word has two, the first one below.
    Half,
}

/// A buffer that an entry point uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The name of the variable.
    pub name: String,
    /// Its `@group`.
    pub group: u32,
    /// Its `@binding`.
    pub binding: u32,
    /// May the shader write it?
    pub written: bool,
    /// Is it a uniform buffer?
    pub uniform: bool,
    /// Words that it has at least. Of an array up to the end of the buffer one element counts.
    pub least: u32,
    /// Words of an element, where it ends with an array of no stated length.
    pub step: Option<u32>,
    /// What its first scalar is.
    pub element: Element,
}

/// A translated entry point: the words of its module, and what its memory is called.
pub struct Translated {
    /// The words, with names and lines.
    pub words: Vec<u32>,
    /// Its buffers.
    pub resources: Vec<Resource>,
    /// Bytes of its work-group variables.
    pub group_bytes: u32,
    module: Module,
    /// Work-group variables, in the order of the module.
    shared: Vec<Handle<naga::GlobalVariable>>,
}

impl Foreign {
    /// Reads a text.
    ///
    /// # Errors
    /// What naga says against it.
    pub fn read(text: &str) -> Result<Self, Refused> {
        let known = without_enable(text);
        let module =
            naga::front::wgsl::parse_str(&known).map_err(|error| Refused::of_text(&error))?;
        let info = validator().validate(&module).map_err(|error| Refused::of_module(&error))?;
        Ok(Self { text: known, module, info })
    }

    /// Its entry points of the compute stage.
    pub fn entries(&self) -> Vec<Entry> {
        let compute = |entry: &&naga::EntryPoint| entry.stage == ShaderStage::Compute;
        let entries = self.module.entry_points.iter().filter(compute);
        entries.map(|entry| Entry { name: entry.name.clone() }).collect()
    }

    /// Its entry points of other stages, with these.
    pub fn others(&self) -> Vec<(String, String)> {
        let others = self.module.entry_points.iter();
        let others = others.filter(|entry| entry.stage != ShaderStage::Compute);
        others
            .map(|entry| (entry.name.clone(), format!("{:?}", entry.stage).to_lowercase()))
            .collect()
    }

    /// The constants that a pipeline may give.
    pub fn constants(&self) -> Vec<Constant> {
        let constants = self.module.overrides.iter().map(|(handle, constant)| {
            let name = constant.name.clone().unwrap_or_default();
            let key = constant.id.map_or_else(|| name.clone(), |id| id.to_string());
            let place = self.module.overrides.get_span(handle).to_range();
            let ty = match self.module.types[constant.ty].inner {
                TypeInner::Scalar(scalar) => match (scalar.kind, scalar.width) {
                    (ScalarKind::Bool, _) => "bool",
                    (ScalarKind::Sint, _) => "i32",
                    (ScalarKind::Uint, _) => "u32",
                    (_, 2) => "f16",
                    _ => "f32",
                },
                _ => "f32",
            };
            Constant { key, name, place, needed: constant.init.is_none(), ty }
        });
        constants.collect()
    }

    /// The module of an entry point, under these constants.
    ///
    /// # Errors
    /// What naga says against it.
    pub fn translate(
        &self,
        entry: &str,
        constants: &[(String, f64)],
    ) -> Result<Translated, Refused> {
        let constants = constants.iter().cloned().collect();
        let at = Some((ShaderStage::Compute, entry));
        let (module, info) = process_overrides(&self.module, &self.info, at, &constants)
            .map_err(|error| Refused::of_constants(&error))?;
        let number = module.entry_points.iter().position(|known| known.name == entry);
        let number = number.ok_or_else(|| Refused::new(format!("no entry point `{entry}`")))?;
        let uses = info.get_entry_point(number);
        let used: Vec<_> = module
            .global_variables
            .iter()
            .filter(|(handle, _)| !uses[*handle].is_empty())
            .map(|(handle, _)| handle)
            .collect();
        let words = self.words(&module, &info, entry)?;
        let mut layouter = Layouter::default();
        layouter.update(module.to_ctx()).map_err(|error| Refused::new(chain(&error)))?;
        let shared = |handle: &&Handle<naga::GlobalVariable>| {
            module.global_variables[**handle].space == AddressSpace::WorkGroup
        };
        let shared: Vec<_> = used.iter().filter(shared).copied().collect();
        // Each is rounded up, as WebGPU counts them.
        let bytes = |handle: &Handle<naga::GlobalVariable>| {
            let size = layouter[module.global_variables[*handle].ty].size;
            size.checked_next_multiple_of(16).unwrap_or(u32::MAX)
        };
        let group_bytes = shared.iter().map(bytes).fold(0, u32::saturating_add);
        let resources = used.iter().filter_map(|handle| resource(&module, &layouter, *handle));
        let resources = resources.collect();
        Ok(Translated { words, resources, group_bytes, shared, module: module.into_owned() })
    }

    fn words(&self, module: &Module, info: &ModuleInfo, entry: &str) -> Result<Vec<u32>, Refused> {
        let mut options = spv::Options {
            lang_version: (1, 6),
            flags: WriterFlags::DEBUG,
            fake_missing_bindings: false,
            bounds_check_policies: BoundsCheckPolicies {
                index: BoundsCheckPolicy::Unchecked,
                buffer: BoundsCheckPolicy::Unchecked,
                image_load: BoundsCheckPolicy::Unchecked,
                binding_array: BoundsCheckPolicy::Unchecked,
            },
            zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::Native,
            // A loop that does not end is told by the executor.
            force_loop_bounding: false,
            ..spv::Options::default()
        };
        for (_, global) in module.global_variables.iter() {
            let Some(binding) = global.binding else { continue };
            let place = BindingInfo {
                descriptor_set: binding.group,
                binding: binding.binding,
                binding_array_size: None,
            };
            options.binding_map.insert(binding, place);
        }
        options.debug_info = Some(DebugInfo {
            source_code: &self.text,
            file_name: "shader.wgsl",
            language: SourceLanguage::WGSL,
        });
        let pipeline =
            PipelineOptions { shader_stage: ShaderStage::Compute, entry_point: entry.to_owned() };
        spv::write_vec(module, info, &options, Some(&pipeline))
            .map_err(|error| Refused::new(chain(&error)))
    }
}

impl Translated {
    /// Has the shader a buffer of this name, or at this `GROUP.BINDING`, used or not?
    pub fn declares(&self, place: &str) -> bool {
        self.module.global_variables.iter().any(|(_, global)| {
            let at = global.binding.map(|binding| format!("{}.{}", binding.group, binding.binding));
            at.is_some_and(|at| at == place || global.name.as_deref() == Some(place))
        })
    }

    /// What a component of the work group's memory is called, such as `tile[3].x`: the executor counts components.
    pub fn shared_component(&self, mut slot: u32) -> Option<String> {
        for handle in &self.shared {
            let global = &self.module.global_variables[*handle];
            let slots = self.slots(global.ty);
            if slot < slots {
                let mut path = global.name.clone().unwrap_or_default();
                self.slot_path(global.ty, slot, &mut path);
                return Some(path);
            }
            slot -= slots;
        }
        None
    }

    /// What a word of a buffer is called, such as `cells[4].count`.
    pub fn word_of(&self, resource: &Resource, word: u32) -> String {
        self.byte_of(resource, word.saturating_mul(4))
    }

    /// What begins at a byte of a buffer.
    pub fn byte_of(&self, resource: &Resource, byte: u32) -> String {
        let place = Some((resource.group, resource.binding));
        let global = self.module.global_variables.iter().find(|(_, global)| {
            global.binding.map(|binding| (binding.group, binding.binding)) == place
        });
        let mut path = resource.name.clone();
        if let Some((_, global)) = global {
            self.byte_path(global.ty, byte, &mut path);
        }
        path
    }

    /// Scalars of a value.
    fn slots(&self, ty: Handle<Type>) -> u32 {
        match &self.module.types[ty].inner {
            TypeInner::Vector { size, .. } => *size as u32,
            TypeInner::Matrix { columns, rows, .. } => *columns as u32 * *rows as u32,
            TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
                self.slots(*base).saturating_mul(count.get())
            }
            TypeInner::Struct { members, .. } => {
                members.iter().map(|member| self.slots(member.ty)).fold(0, u32::saturating_add)
            }
            _ => 1,
        }
    }

    fn slot_path(&self, ty: Handle<Type>, slot: u32, path: &mut String) {
        match &self.module.types[ty].inner {
            TypeInner::Vector { .. } => component(slot, path),
            TypeInner::Matrix { rows, .. } => {
                let _ = write!(path, "[{}]", slot / *rows as u32);
                component(slot % *rows as u32, path);
            }
            TypeInner::Array { base, .. } => {
                let each = self.slots(*base).max(1);
                let _ = write!(path, "[{}]", slot / each);
                self.slot_path(*base, slot % each, path);
            }
            TypeInner::Struct { members, .. } => {
                let mut before = 0;
                for (number, member) in members.iter().enumerate() {
                    let slots = self.slots(member.ty);
                    if slot < before + slots {
                        member_name(number, member, path);
                        return self.slot_path(member.ty, slot - before, path);
                    }
                    before += slots;
                }
            }
            _ => {}
        }
    }

    fn byte_path(&self, ty: Handle<Type>, byte: u32, path: &mut String) {
        match &self.module.types[ty].inner {
            TypeInner::Vector { scalar, .. } => component(byte / u32::from(scalar.width), path),
            TypeInner::Matrix { rows, scalar, .. } => {
                let lanes = if *rows as u32 == 3 { 4 } else { *rows as u32 };
                let column = lanes * u32::from(scalar.width);
                let _ = write!(path, "[{}]", byte / column);
                component(byte % column / u32::from(scalar.width), path);
            }
            TypeInner::Array { base, stride, .. } => {
                let stride = (*stride).max(1);
                let _ = write!(path, "[{}]", byte / stride);
                self.byte_path(*base, byte % stride, path);
            }
            TypeInner::Struct { members, .. } => {
                let found = members.iter().enumerate().rev().find(|(_, m)| m.offset <= byte);
                if let Some((number, member)) = found {
                    member_name(number, member, path);
                    self.byte_path(member.ty, byte - member.offset, path);
                }
            }
            _ => {}
        }
    }
}

fn member_name(number: usize, member: &naga::StructMember, path: &mut String) {
    let _ = match &member.name {
        Some(name) => write!(path, ".{name}"),
        None => write!(path, ".{number}"),
    };
}

fn component(number: u32, path: &mut String) {
    if let Some(letter) = ["x", "y", "z", "w"].get(number as usize) {
        let _ = write!(path, ".{letter}");
    }
}

fn resource(
    module: &Module,
    layouter: &Layouter,
    handle: Handle<naga::GlobalVariable>,
) -> Option<Resource> {
    let global = &module.global_variables[handle];
    let written = match global.space {
        AddressSpace::Storage { access } => access.contains(StorageAccess::STORE),
        AddressSpace::Uniform => false,
        _ => return None,
    };
    let binding = global.binding?;
    let bytes = layouter[global.ty].size;
    let (size, step) = sized(module, global.ty);
    Some(Resource {
        name: global.name.clone().unwrap_or_default(),
        group: binding.group,
        binding: binding.binding,
        written,
        uniform: global.space == AddressSpace::Uniform,
        least: size.max(bytes).div_ceil(4),
        step: step.map(|step| step.div_ceil(4)),
        element: element(module, global.ty),
    })
}

/// Bytes that a value of the type takes, with one element of an array of no stated length, and the bytes of that.
fn sized(module: &Module, ty: Handle<Type>) -> (u32, Option<u32>) {
    match &module.types[ty].inner {
        TypeInner::Array { size: ArraySize::Dynamic, stride, .. } => (*stride, Some(*stride)),
        TypeInner::Struct { members, span } => match members.last() {
            Some(last) => match sized(module, last.ty) {
                (bytes, Some(step)) => (last.offset + bytes, Some(step)),
                _ => (*span, None),
            },
            None => (*span, None),
        },
        inner => (inner.size(module.to_ctx()), None),
    }
}

/// What the first scalar is.
fn element(module: &Module, ty: Handle<Type>) -> Element {
    let scalar = match &module.types[ty].inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => *scalar,
        TypeInner::Vector { scalar, .. } | TypeInner::Matrix { scalar, .. } => *scalar,
        TypeInner::Array { base, .. } => return element(module, *base),
        TypeInner::Struct { members, .. } => match members.last() {
            Some(last) => return element(module, last.ty),
            None => return Element::Unsigned,
        },
        _ => return Element::Unsigned,
    };
    match scalar.kind {
        ScalarKind::Sint => Element::Signed,
        ScalarKind::Float if scalar.width == 2 => Element::Half,
        ScalarKind::Float => Element::Float,
        _ => Element::Unsigned,
    }
}

fn validator() -> Validator {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.subgroup_stages(naga::valid::ShaderStages::COMPUTE);
    validator.subgroup_operations(SubgroupOperationSet::all());
    validator
}
