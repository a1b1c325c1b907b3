//! Generates the parsers from the grammar files beside the rooms.

fn main() {}
