//! What the parts do together, in one program, since each test program is linked with all of wgpu:
//! a module for each subject. Tests run beside each other, so none sets a variable, a folder or a
//! hook of the process. What takes planted faults stands in `tests/faults`.

mod adapters;
mod axes;
mod campaign;
mod certificates;
mod child;
mod cli;
mod corpus;
mod cost;
mod dawn;
mod decisions;
mod device_shares;
mod drawn_shares;
mod failing_pairs;
mod fcl_messages;
mod fcl_shares;
mod forms;
mod fuel;
mod gone;
mod groups;
mod imp_shares;
mod imported;
mod json;
mod languages;
mod laws;
mod memory;
mod messages;
mod mutants;
mod optimize;
mod optimize_fcl;
mod planted;
mod programs;
mod reach;
mod readme;
mod refused;
mod resume;
mod rewritten;
mod shares;
mod shrink;
mod shrink_device;
mod status;
mod styles;
mod text;
mod tidy;
mod toolchain;
