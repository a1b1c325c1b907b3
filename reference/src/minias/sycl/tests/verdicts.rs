//! The examples of the paper: under which answers each is rejected (reading Y4).

use super::super::options::{ALL, Answers};
use super::super::table::{EXAMPLES, as_in_cpp, said};
use super::super::{Sycl, accepts, parse};
use crate::kit::language::{Language, Settings};
use expect_test::expect;

#[test]
fn each_example_is_rejected_under_the_answers_of_the_reading() {
    let mut text = String::new();
    for example in EXAMPLES {
        let said = said(&example.source()).expect("it is read");
        let rejected = match said.rejected_if.is_empty() {
            true => "never".to_owned(),
            false => said.rejected_if.join("; or "),
        };
        text += &format!("{} {}: {rejected}\n", example.name, example.about);
    }
    expect![[r#"
        S1 promotion: never
        S2 conflict: space=inferred
        S3 lambda capture: space=inferred, capture=fixed
        S4 decltype: space=inferred, decltype=deduced
        S5 decltype of a lambda's parameter: space=inferred, call=fixed; or space=inferred, decltype=deduced
        S6 decltype as an argument of a template: space=inferred, field=fixed, template=written; or space=inferred, decltype=written, field=fixed
        S7 template instantiation: space=inferred, template=deduced, is_same=distinct
        S8 a struct that carries a space: space=inferred, field=fixed, template=written; or space=inferred, decltype=written, field=fixed
        S9 template parameter deduction: space=inferred, param=space
        S10 template instantiation, private: space=inferred, template=deduced, is_same=distinct, private=distinct
    "#]].assert_eq(&text);
}

#[test]
fn the_generic_space_accepts_all_that_cpp_does() {
    expect!["space=generic"].assert_eq(&as_in_cpp(&[]).join("\n"));
    expect![[r#"
        capture=rebuilt, decltype=written, call=duplicated, field=initialiser, is_same=same, param=int
        capture=rebuilt, decltype=written, call=duplicated, field=initialiser, template=written, param=int
        space=generic"#]].assert_eq(&as_in_cpp(&["S2"]).join("\n"));
}

#[test]
fn presets_and_options_are_answers() {
    let answers = |set: &[(&str, &str)]| {
        let mut settings = Settings::default();
        for (name, value) in set {
            settings.set(ALL, name, value).expect("it is an option");
        }
        Answers::of(&settings)
    };
    assert_eq!(answers(&[]), Answers::default());
    let deduced = answers(&[("preset", "deduced"), ("private", "same")]);
    assert!(deduced.decltype_deduced && deduced.template_deduced && deduced.param_space);
    assert!(!deduced.private_distinct && !deduced.capture_fixed);
    assert_eq!(Answers::of(&deduced.settings()), deduced);
    let program = parse::program("kernel void k(global_ptr<int> g) { }").expect("it is read");
    let program = Sycl::under(program, &deduced.settings());
    assert_eq!(Answers::of(&Sycl::options_of(&program)), deduced);
    assert!(accepts(&program, deduced).is_ok());
}
