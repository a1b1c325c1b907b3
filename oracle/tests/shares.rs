//! What the generators make, in shares.

use oracle::generate::{Weights, fun_case};

#[test]
fn a_case_is_the_same_again() {
    let weights = Weights::default();
    for index in 0..2000 {
        let (a, b) = (fun_case(7, index, &weights), fun_case(7, index, &weights));
        assert_eq!(a.program, b.program);
        assert_eq!(a.input, b.input);
    }
}
