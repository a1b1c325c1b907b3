//! MiniSYCL has one semantics, the MiniAS program that it is, which is judged as one.

use super::judge::Judge;
use reference::sycl::Sycl;

impl Judge for Sycl {}
