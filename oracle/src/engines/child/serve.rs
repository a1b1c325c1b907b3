//! The child's side: it opens the adapter, says so, and answers requests until its input ends.

use super::mock_adapter::MockAdapter;
use super::protocol::{Answer, Request, receive, send};
use crate::panics::{catch, guarded};
use compiler::run::{Gpu, Options};
use reference::device::host::Halt;
use reference::kit::outcome::{Broken, Ending, Why};
use std::io::{self, BufReader};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// How long a process may take to end when its parent is gone.
const ENDING: Duration = Duration::from_secs(2);

/// What a child serves.
enum Served {
    Adapter(Box<Gpu>),
    MockAdapter(MockAdapter),
}

/// Serves the adapter called `name` over standard input and output, until the input ends. Without
/// a name it says which adapters there are. A program may take `limit`.
///
/// # Errors
/// The parent is gone, or the system gives no thread.
pub fn serve(name: Option<&str>, limit: Duration) -> io::Result<()> {
    let mut output = io::stdout().lock();
    let Some(name) = name else {
        return send(&mut output, &Answer::Adapters(compiler::run::adapters()));
    };
    let mut served = match open(name, limit) {
        Ok((served, described)) => {
            send(&mut output, &Answer::Ready(described))?;
            served
        }
        Err(reason) => return send(&mut output, &Answer::Unfit(reason)),
    };
    for request in requests()? {
        let answer = match request {
            Ok(request) => answer(&mut served, &request),
            // The parent speaks as we do, so this is a bug of ours, and no reason to end.
            Err(error) => {
                let text = format!("a request cannot be read: {error}");
                Answer::Outcome(Box::new(Ending::Broken(Broken::Panic(text)).into()))
            }
        };
        send(&mut output, &answer)?;
    }
    Ok(())
}

fn answer(served: &mut Served, request: &Request) -> Answer {
    match request {
        Request::Program { program, input, budget, options } => {
            Answer::Outcome(Box::new(guarded(|| match served {
                Served::Adapter(gpu) => {
                    gpu.set_kernels(*options);
                    gpu.run(program, input, budget)
                }
                Served::MockAdapter(mock_adapter) => {
                    mock_adapter.run(program, input, budget, options.writing.style)
                }
            })))
        }
        Request::Shader(bound) => {
            let ran = catch(|| match served {
                Served::Adapter(gpu) => gpu.run_bound(bound).map_err(|halt| match halt {
                    Halt::Broken(broken) => Ending::Broken(broken),
                    Halt::Unknown(why) => Ending::Unknown(why),
                }),
                Served::MockAdapter(mock_adapter) => mock_adapter.run_bound(bound),
            });
            match ran.unwrap_or_else(|text| Err(Ending::Broken(Broken::Panic(text)))) {
                Ok(words) => Answer::Words(words),
                Err(ending) => Answer::Outcome(Box::new(ending.into())),
            }
        }
    }
}

fn open(
    name: &str,
    limit: Duration,
) -> Result<(Served, Option<Box<compiler::target::Adapter>>), String> {
    if let Some(mock_adapter) = MockAdapter::named(name) {
        return Ok((Served::MockAdapter(mock_adapter), None));
    }
    // The parent looks at the clock, and at what else the machine does.
    match Gpu::open(name, Options { timeout: limit, waits: true, ..Options::default() }) {
        Ok(gpu) => {
            let described = Box::new(gpu.adapter().clone());
            Ok((Served::Adapter(Box::new(gpu)), Some(described)))
        }
        Err(Halt::Unknown(Why::NoAdapter(reason))) => Err(reason),
        Err(halt) => Err(format!("{name} cannot be opened: {halt:?}")),
    }
}

/// The requests as they come. A thread of its own reads them: when the parent is gone the process
/// ends at once, even while a driver hangs.
fn requests() -> io::Result<Receiver<Result<Request, postcard::Error>>> {
    let (to_do, requests) = channel();
    // A deep program is a deep recursion, also for its reader.
    std::thread::Builder::new().stack_size(crate::STACK).spawn(move || {
        let mut input = BufReader::new(io::stdin().lock());
        while let Ok(Some(request)) = receive(&mut input) {
            if to_do.send(request).is_err() {
                break;
            }
        }
        // A driver that hangs may hold what the end of a process waits for.
        let watch = std::thread::Builder::new().spawn(|| {
            std::thread::sleep(ENDING);
            std::process::abort();
        });
        drop(watch);
        std::process::exit(0);
    })?;
    Ok(requests)
}
