//! Well-typed programs of the device language with their inputs, by construction: kernels of work
//! groups with barriers and atomics, functions, pointers, vectors and structures, which no program
//! that is lowered to this language has.
//!
//! A program is made to run to its end without a race, but for a share that gets stuck, one that
//! forgets barriers, one that depends on the order of invocations, and one that writes records of failures by hand. What invocations share has a [`Phase`](scope::Phase), which says which accesses are allowed to
//! it, and phases change at barriers only; blocks are held in a [`Mode`](scope::Mode) for a whole launch. A
//! pointer into either may be used as that says. Blocks that all read are also values: selected, carried,
//! kept in variables, cut; and on the host any block may have other names, none of which is written where
//! another is read.
//! Indices are reduced to what they index, divisors are no zeros, and a float is a whole number of at most
//! 1,024, so that every order of rounding, fused or not, gives the same but for the sign of a zero, which
//! nobody looks at. Other floats, with NaN and infinities, are moved by the host and shown, and no kernel sees
//! them.

mod blocks;
mod border;
mod failures;
mod functions;
mod host;
mod kernels;
mod launches;
mod loops;
mod nested;
mod orders;
mod places;
mod pointers;
mod records;
mod scope;
mod statements;
mod types;
mod values;

use super::draw::Draw;
use super::weights::Weights;
use super::{Generate, Generator, Intent, Made};
use arbitrary::Unstructured;
use reference::device::Device;
use reference::device::syntax::Program;
use scope::Making;

impl Generate for Device {
    const GENERATOR: Generator<Device> = program;
    const SHARE: u32 = 12;
}

/// Makes a program from bytes. Few bytes make a small program.
pub fn program(bytes: &mut Unstructured<'_>, weights: &Weights) -> Made<Program> {
    let mut making = Making::new(Draw::new(bytes));
    let stuck = making.draw.chance(weights.stuck);
    making.trouble = stuck;
    making.forgetful = !stuck && making.draw.chance(weights.racing);
    making.orders = !stuck && !making.forgetful && making.draw.chance(weights.orders);
    let plain = !stuck && !making.forgetful && !making.orders;
    making.records = plain && making.draw.chance(weights.records);
    let (orders, records) = (making.orders, making.records);
    making.structures();
    making.globals();
    making.functions();
    let input = making.host();
    // Trouble may have found no place, and a barrier that is forgotten may not matter.
    let intent = if stuck {
        Intent::Stuck
    } else if orders {
        Intent::OrderDependent
    } else if records {
        Intent::Anything
    } else if making.forgetful {
        Intent::Races
    } else {
        Intent::Runs
    };
    Made { program: making.finished(), input, intent }
}
