//! What stands for a GPU in a build without wgpu: no adapter is ever found.

use super::bound::Bound;
use super::options::Options;
use super::passes::Passes;
use super::timed::Moves;
use crate::pass::poison_checks::Detail;
use crate::route::KernelOptions;
use crate::target::Adapter;
use reference::device::host::Halt;
use reference::device::syntax::Program;
use reference::kit::outcome::{Budget, Outcome, Value, Why};
use std::time::Duration;

/// An open adapter, of which there is none.
pub enum Gpu {}

/// The adapters that this build sees: none.
pub fn adapters() -> Vec<Adapter> {
    Vec::new()
}

impl Gpu {
    /// Finds no adapter.
    ///
    /// # Errors
    /// Always.
    pub fn open(id: &str, _: Options) -> Result<Self, Halt> {
        let text = format!("no adapter is called `{id}`: this build is without wgpu");
        Err(Halt::Unknown(Why::NoAdapter(text)))
    }

    /// The adapter.
    pub fn adapter(&self) -> &Adapter {
        match *self {}
    }

    /// Are launches timed by timestamps of the device?
    pub fn has_stamps(&self) -> bool {
        match *self {}
    }

    /// Launches these forms of kernels first from now on.
    pub fn set_first(&mut self, _: Detail) {
        match *self {}
    }

    /// Compiles kernels like this from now on.
    pub fn set_kernels(&mut self, _: KernelOptions) {
        match *self {}
    }

    /// Times launches.
    pub fn set_timed(&mut self, _: Duration) {
        match *self {}
    }

    /// How long each launch took.
    pub fn take_times(&mut self) -> Option<Vec<Duration>> {
        match *self {}
    }

    /// Runs shaders that were written by hand.
    ///
    /// # Errors
    /// Never: there is no adapter.
    pub fn run_passes(
        &mut self,
        _: &Passes<'_>,
        _: Option<Duration>,
    ) -> Result<(Vec<u32>, Option<Duration>), Halt> {
        match *self {}
    }

    /// Runs a shader that somebody wrote.
    ///
    /// # Errors
    /// Never: there is no adapter.
    pub fn run_bound(&mut self, _: &Bound) -> Result<Vec<Vec<u32>>, Halt> {
        match *self {}
    }

    /// Runs a program several times.
    pub fn run_times(
        &mut self,
        _: &Program,
        _: &[Value],
        _: &Budget,
        _: usize,
        _: Duration,
    ) -> (Outcome, Vec<Duration>) {
        match *self {}
    }

    /// Times transfers.
    ///
    /// # Errors
    /// Never: there is no adapter.
    pub fn time_moves(&mut self, _: u32, _: u32) -> Result<Moves, Halt> {
        match *self {}
    }

    /// Runs a program of the stage [`CHECKED`](crate::pipeline::CHECKED).
    pub fn run(&mut self, _: &Program, _: &[Value], _: &Budget) -> Outcome {
        match *self {}
    }
}
