//! A drawn program, its translations by both kinds of evidence, and the specialised device program make the same accesses.

use arbitrary::Unstructured;
use compiler::lower::minias::{Form, lower};
use oracle::generate::{Made, Weights, case_bytes, minias};
use reference::device::Device;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::language::{How, Language};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Ending, Value};
use reference::kit::schedule::Order;
use reference::kit::tap::{self, Access, Tap};
use reference::kit::text::Span;
use reference::minias::evidence::Reading;
use reference::minias::syntax::{Program, Space};
use reference::minias::translate::translate;
use reference::minias::{Minias, eval, infer};
use std::any::Any;
use std::collections::BTreeMap;

/// What each item did to global memory: the array, the offset, and whether it wrote, in order.
type Accesses = BTreeMap<u64, Vec<(usize, u64, bool)>>;

/// Keeps the accesses of a launch to arrays of the input, and how many each item made to memory of its group.
#[derive(Default)]
struct Listener {
    arrays: Vec<u32>,
    item: u64,
    global: Accesses,
    local: BTreeMap<u64, usize>,
    launched: bool,
}

impl Tap for Listener {
    fn alloc(&mut self, block: u32, _words: u64, clock: u64) {
        if clock == 0 {
            self.arrays.push(block);
        }
    }
    fn free(&mut self, _block: u32) {}
    fn passes(&mut self, _block: u32, _writes: bool) {}
    fn launch(&mut self, _launch: tap::Launch, _clock: u64) {
        self.launched = true;
    }
    fn thread(&mut self, number: u64, _clock: u64) {
        self.item = number;
    }
    fn barrier(&mut self, _clock: u64) {}
    fn ends(&mut self, _clock: u64) {
        self.launched = false;
    }
    fn access(&mut self, access: Access, _clock: u64) {
        match access.space {
            tap::Space::Group => *self.local.entry(self.item).or_default() += 1,
            tap::Space::Global => {
                let array = self.arrays.iter().position(|block| *block == access.block);
                if let (true, Some(array)) = (self.launched, array) {
                    let kept = self.global.entry(self.item).or_default();
                    kept.push((array, access.offset, access.writes));
                }
            }
        }
    }
    fn parts(&mut self, _site: Span, _clock: u64) {}
    fn joins(&mut self, _site: Span, _side: u32, _clock: u64) {}
    fn enter(&mut self, _site: Span, _inside: tap::Inside, _clock: u64) {}
    fn round(&mut self, _clock: u64) {}
    fn leave(&mut self, _clock: u64) {}
}

/// The accesses of the device program; none if it is refused or has no value.
fn on_the_device(program: &Program, form: Form, input: &[Value]) -> Option<Listener> {
    let typed = infer::types_of(program, program.options.mode, &mut Recorder::counting());
    let typed = typed.expect("it is well typed");
    let made = lower(program, &typed, &program.options.launch, form, Planted::NONE).ok()?;
    let settings = Device::options_of(&made);
    let how = How {
        variant: "",
        schedule: 7,
        budget: &Budget::default(),
        settings: &settings,
        planted: Planted::NONE,
        memory: &mut Memory::default(),
    };
    let mut recorder = Recorder::tapped(Box::new(Listener::default()));
    let outcome = Device::run(&made, input, how, &mut recorder);
    let tap: Box<dyn Any + Send> = recorder.take_tap()?;
    let listener = tap.downcast::<Listener>().ok()?;
    matches!(outcome.ending, Ending::Value(_)).then_some(*listener)
}

#[test]
fn all_translations_make_the_same_accesses() {
    let (mut specialised, mut local, mut accesses) = (0, 0, 0);
    for index in 0..300 {
        let bytes = case_bytes(49, index);
        let Made { program, input, .. } =
            minias::program(&mut Unstructured::new(&bytes), &Weights::default());
        let (launch, budget) = (&program.options.launch, Budget::default());
        let typed = infer::infer(&program, program.options.mode, &mut Recorder::counting());
        let typed = typed.unwrap_or_else(|no| panic!("{no:?}\n{}", Minias::print(&program)));
        let order = Order::InOrder;
        let to = &mut Recorder::counting();
        let (outcome, wanted) = eval::run_touching(&program, launch, &input, order, &budget, to);
        for reading in [Reading::Fixed, Reading::Places] {
            let target = translate(&program, &typed, reading, to);
            let (found, touched) =
                eval::run_target(&target, launch, &input, order, &budget, true, to);
            assert!(touched == wanted, "{index} {reading:?}\n{}", target.text());
            assert_eq!(outcome.races, found.races, "{index} {reading:?}");
        }
        accesses += wanted.len();
        if !matches!(outcome.ending, Ending::Value(_)) {
            continue;
        }
        let (mut global, mut of_group) = (Accesses::new(), BTreeMap::<u64, usize>::new());
        for (item, space, block, offset, writes) in wanted {
            match space {
                Space::Global => {
                    let kept = global.entry(item.into()).or_default();
                    kept.push((block as usize, offset as u64, writes));
                }
                Space::Local => *of_group.entry(item.into()).or_default() += 1,
                Space::Private | Space::Constant => {}
            }
        }
        for form in [Form::Specialised, Form::Evidence] {
            let Some(found) = on_the_device(&program, form, &input) else { continue };
            specialised += 1;
            assert_eq!(global, found.global, "{index} {form:?}\n{}", Minias::print(&program));
            assert_eq!(of_group, found.local, "{index} {form:?}\n{}", Minias::print(&program));
            local += usize::from(!of_group.is_empty());
        }
    }
    assert!(
        specialised > 400 && local > 100 && accesses > 5_000,
        "{specialised} {local} {accesses}"
    );
}
