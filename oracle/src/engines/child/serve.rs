//! The child's side: it opens the adapter, says so, and answers requests until its input ends.

use super::protocol::{Answer, EVALUATOR, Misbehaviour, Request, receive, send};
use crate::panics::guarded;
use compiler::run::{Gpu, Options};
use reference::device::{self, host::Halt};
use reference::kit::derivation::Recorder;
use reference::kit::outcome::{Ending, Outcome, Stats, Why};
use std::io::{self, BufReader};
use std::sync::mpsc::channel;

/// Serves the adapter called `name` over standard input and output, until the input ends. Without
/// a name it says which adapters there are.
///
/// # Errors
/// The parent is gone.
pub fn serve(name: Option<&str>) -> io::Result<()> {
    let mut output = io::stdout().lock();
    let Some(name) = name else {
        return send(&mut output, &Answer::Adapters(compiler::run::adapters()));
    };
    let mut gpu = None;
    let ready = if name == EVALUATOR {
        Answer::Ready(None)
    } else {
        match Gpu::open(name, Options::default()) {
            Ok(opened) => {
                let described = opened.adapter().clone();
                gpu = Some(opened);
                Answer::Ready(Some(Box::new(described)))
            }
            Err(Halt::Unknown(Why::NoAdapter(reason))) => Answer::Unfit(reason),
            Err(halt) => Answer::Unfit(format!("{name} cannot be opened: {halt:?}")),
        }
    };
    send(&mut output, &ready)?;
    // A thread of its own for the input: when the parent is gone the process ends at once, even
    // while a driver hangs.
    let (to_do, requests) = channel::<Request>();
    std::thread::spawn(move || {
        let mut input = BufReader::new(io::stdin().lock());
        while let Ok(Some(request)) = receive(&mut input) {
            if to_do.send(request).is_err() {
                break;
            }
        }
        std::process::exit(0);
    });
    for request in requests {
        let outcome = match request {
            Request::Run { program, input, budget } => guarded(|| match &mut gpu {
                Some(gpu) => gpu.run(&program, &input, &budget),
                None => {
                    let order = device::eval::Order::InOrder;
                    let mut recorder = Recorder::counting();
                    device::eval::run(&program, &input, order, &budget, &mut recorder)
                }
            }),
            Request::Misbehave(how) => guarded(|| misbehave(how)),
        };
        send(&mut output, &Answer::Outcome(Box::new(outcome)))?;
    }
    Ok(())
}

fn misbehave(how: Misbehaviour) -> Outcome {
    match how {
        Misbehaviour::Abort => std::process::abort(),
        Misbehaviour::Hang => loop {
            std::thread::park();
        },
        Misbehaviour::Exhaust => {
            let mut taken = Vec::new();
            loop {
                // Ones, not zeros: a page of zeros is not taken before it is written.
                taken.push(vec![1_u8; 16 << 20]);
                if taken.len() > 4096 {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            let ending = Ending::Unknown(Why::Memory(taken.len() as u64 * (16 << 20)));
            Outcome { ending, races: Vec::new(), stats: Stats::default() }
        }
        Misbehaviour::Panic => panic!("a panic on purpose"),
    }
}
