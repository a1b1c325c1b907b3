//! Types.

use crate::fcl::parse::prelude;
use crate::fcl::syntax::Program;
use crate::fcl::types::Typed;
use crate::fcl::{parse, print, types};
use crate::kit::derivation::Recorder;
use crate::kit::text::{Limit, Rejected};
use expect_test::expect;

fn program(source: &str) -> Program {
    parse::program(source).unwrap_or_else(|no| panic!("{source}: {no:?}"))
}

fn infer(program: &Program) -> Result<Typed, Rejected> {
    types::infer(program, &mut Recorder::counting())
}

/// The principal scheme of an expression that is not the program.
fn scheme(exp: &str) -> String {
    let program = program(&format!("val it = {exp}  val main = push <grid> [1]"));
    let typed = infer(&program).unwrap_or_else(|no| panic!("{exp}: {no:?}"));
    let mut schemes = typed.schemes(&program.names);
    schemes.pop();
    schemes.pop().expect("it is defined").1
}

fn schemes(exps: &[&str]) -> String {
    exps.iter().map(|exp| format!("{exp}\n    : {}\n", scheme(exp))).collect()
}

/// What is wrong with a program: the rule and premise, the words at both places, the help.
fn refusal(source: &str) -> String {
    let refused = match parse::program(source) {
        Ok(program) => infer(&program).err().unwrap_or_else(|| panic!("{source} has types")),
        Err(refused) => refused,
    };
    let text = |span: crate::kit::text::Span| &source[span.start as usize..span.end as usize];
    let (rule, premise) = refused.rule.unwrap_or(("no rule", ""));
    let mut lines = format!("{source}\n    {rule} {premise}: {}\n", refused.message);
    lines += &format!("    {} <- {}\n", text(refused.span), refused.label);
    if let Some(second) = refused.second {
        lines += &format!("    {} <- {}\n", text(second.span), second.label);
    }
    lines + &refused.help.map_or(String::new(), |help| format!("    help: {help}\n"))
}

fn refusals(sources: &[&str]) -> String {
    sources.iter().map(|source| refusal(source)).collect()
}

/// Those of the old implementation's tests (frontend 00 to 09).
#[test]
fn ten_small_functions_have_their_principal_types() {
    expect![[r#"
        fn x => x
            : forall 'a. 'a -> 'a
        fn x => fn y => x
            : forall 'a 'b. 'a -> 'b -> 'a
        fn x => fn f => f x
            : forall 'a 'b. 'a -> ('a -> 'b) -> 'b
        fn f => fn g => fn x => f (g x)
            : forall 'a 'b 'c. ('a -> 'b) -> ('c -> 'a) -> 'c -> 'b
        fn x => x + 1
            : int -> int
        let id = fn x => x in (id 1, id true)
            : (int, bool)
        fn n => generate n (fn i => (i, i2d i))
            : int -> [(int, double)]
    "#]]
    .assert_eq(&schemes(&[
        "fn x => x",
        "fn x => fn y => x",
        "fn x => fn f => f x",
        "fn f => fn g => fn x => f (g x)",
        "fn x => x + 1",
        "let id = fn x => x in (id 1, id true)",
        "fn n => generate n (fn i => (i, i2d i))",
    ]));
    expect![[r#"
        val it = fn x => y
            T-VAR scope: `y` is not in scope
            y <- not bound
        val it = fn x => x x
            T-APP argument: this is `'t -> 'u`, and `'t` is wanted
            x <- `'t -> 'u`
            x <- takes `'t`
            help: the type would be infinite: `'t` in `'t -> 'u`
        val it = 1 + true
            T-APP argument: this is `bool`, and `int` is wanted
            true <- `bool`
            1 + <- takes `int`
    "#]]
    .assert_eq(&refusals(&["val it = fn x => y", "val it = fn x => x x", "val it = 1 + true"]));
}

#[test]
fn levels_and_kinds_are_inferred() {
    expect![[r#"
        push
            : forall ('a : BT). <l> -> ['a] -> ['a]<l>
        force
            : forall <l> ('a : BT). ['a]<l> -> ['a]
        concat
            : forall <l> ('a : BT). int -> [['a]<l>] -> ['a]<1+l>
        interleave
            : forall <l> ('a : BT). int -> ((int, int) -> int) -> [['a]<l>] -> ['a]<1+l>
        fn xs => push <block> (reverse xs)
            : forall ('a : BT). ['a] -> ['a]<block>
        fn xs => concat 4 (mapPull (push <warp>) xs)
            : forall ('a : BT). [['a]] -> ['a]<block>
        fn xs => force (concat 4 xs)
            : forall <l> ('a : BT). [['a]<l>] -> ['a]
        fn <l> => fn xs => push <1+l> xs
            : forall ('a : BT). <l> -> ['a] -> ['a]<1+l>
        fn f => [f 1]
            : forall ('a : GT). (int -> 'a) -> ['a]
        fn x => [(x, [x])]
            : forall ('a : GT). 'a -> [('a, ['a])]
        fn f xs => while (fn a => true) f xs
            : forall <l> ('a : BT). (['a] -> ['a]<l>) -> ['a]<l> -> ['a]
        fn p => (snd p, fst p)
            : forall 'a 'b. ('a, 'b) -> ('b, 'a)
        (red, reduce)
            : forall ('a : BT) ('b : BT). (<l> -> ('a -> 'a -> 'a) -> ['a] -> ['a]<l>, <m> -> ('b -> 'b -> 'b) -> 'b -> ['b] -> 'b)
        fn n xs => xs |> splitUp n |> map (force . push <block>) |> reverse
            : forall ('a : BT). int -> ['a] -> [['a]]
        fn x => let f = fn y => (x, y) in (f 1, f true)
            : forall 'a. 'a -> (('a, int), ('a, bool))
        fn x => let a = [x] in let g = fn i => index a i in g
            : forall ('a : GT). 'a -> int -> 'a
        let f : forall a. a -> [a] = fn x => [x] in (f 1, f true)
            : ([int], [bool])
        let f <l> : [int]<l> = push <l> [1] in (f <block>, f <grid>)
            : ([int]<block>, [int]<grid>)
        let f : (<l> -> [int] -> [int]<l>) -> [int]<1+grid> = fn g => g <1+grid> [1] in f push
            : [int]<1+grid>
        fn <l> => let f = fn xs => push <l> xs in (f [1], f [true])
            : <l> -> ([int]<l>, [bool]<l>)
    "#]].assert_eq(&schemes(&[
        "push",
        "force",
        "concat",
        "interleave",
        "fn xs => push <block> (reverse xs)",
        "fn xs => concat 4 (mapPull (push <warp>) xs)",
        "fn xs => force (concat 4 xs)",
        "fn <l> => fn xs => push <1+l> xs",
        "fn f => [f 1]",
        "fn x => [(x, [x])]",
        "fn f xs => while (fn a => true) f xs",
        "fn p => (snd p, fst p)",
        "(red, reduce)",
        "fn n xs => xs |> splitUp n |> map (force . push <block>) |> reverse",
        "fn x => let f = fn y => (x, y) in (f 1, f true)",
        "fn x => let a = [x] in let g = fn i => index a i in g",
        "let f : forall a. a -> [a] = fn x => [x] in (f 1, f true)",
        "let f <l> : [int]<l> = push <l> [1] in (f <block>, f <grid>)",
        "let f : (<l> -> [int] -> [int]<l>) -> [int]<1+grid> = fn g => g <1+grid> [1] in f push",
        "fn <l> => let f = fn xs => push <l> xs in (f [1], f [true])",
    ]));
}

#[test]
fn each_premise_that_fails_is_told_with_its_places() {
    expect![[r#"
        val it = [1, true]
            T-ARRAY element: this is `bool`, and `int` is wanted
            true <- `bool`
            1 <- the first element is `int`
        val it = [negi]
            T-ARRAY ground: `int -> int` is a function, and an element of an array here
            negi <- `int -> int`
            help: arrays hold no functions
        fun it x = let a = [x] in x 3
            T-ARRAY ground: `'t -> 'u` is a function, and an element of an array here
            x <- `'t -> 'u`
            x <- elements of an array are wanted here
            help: arrays hold no functions
        val it = fst 3
            T-FST pair: this is `int`, and `('t, 'u)` is wanted
            3 <- `int`
            fst <- takes `('t, 'u)`
        val it = snd [1]
            T-SND pair: this is `[int]`, and `('t, 'u)` is wanted
            [1] <- `[int]`
            snd <- takes `('t, 'u)`
        val it = let x : bool = 1 in x
            T-LET signature: this is `int`, and `bool` is wanted
            1 <- `int`
            bool <- the signature says `bool`
        val it = let f : a -> a = fn x => x + 1 in f
            T-APP argument: this is `'a`, and `int` is wanted
            x <- `'a`
            + <- takes `int`
            help: by its signature `'a` is any type
        val it = 3 4
            T-APP function: `int` is applied to an argument
            3 <- no function
            4 <- the argument
            help: it may have an argument too many, or lack an operator
        val it = push [1]
            T-APP function: `<u> -> ['t] -> ['t]<u>` is applied to an argument
            push <- no function
            [1] <- the argument
            help: give it its level first: `push <block> xs`
        val it = negi true
            T-APP argument: this is `bool`, and `int` is wanted
            true <- `bool`
            negi <- takes `int`
        val it = (fn f => f <grid>)
            T-LAPP function: `'t` is applied to a level
            f <- no function of a level
            f <grid> <- the level
            help: its type is not known here: a `sig` tells, as in `sig f : (<l> -> …) -> …`
        val it = negi <grid>
            T-LAPP function: `int -> int` is applied to a level
            negi <- no function of a level
            negi <grid> <- the level
            help: `push` takes a level, and what is written `fn <l> =>`, `fun f <l>` or `sig f : <l> -> …`
        fun it xs = (fn <l> => force (push <l> xs)) <grid>
            T-MAIN result: the program comes to `['t]`
            (fn <l> => force (push <l> xs)) <grid> <- no push array
            help: say where it runs: `push <grid> xs`
        fun it x = fn <l> => [x, push <l> [1]]
            T-LFN escape: the level `l` would be known outside of where it is bound
            push <l> [1] <- `[int]<l>`
            x <- the first element is `'t`
            help: `l` is any level, so nothing outside can be at it
        val it = push <l> [1]
            K-VAR scope: the level variable `l` is not in scope
            l <- not bound
            help: levels are `thread`, `warp`, `block`, `grid`, `1 + l`, or a variable that `fn <l> =>`, `fun f <l>` or the `sig` binds
        sig it : [int -> int]  val it = []
            K-PULL ground: `int -> int` is no type of elements of an array
            [int -> int] <- this type
            help: an array holds no functions
        sig it : [[int]]<grid>  val it = push <grid> []
            K-PUSH base: `[int]` is no type of elements of a push array
            [[int]]<grid> <- this type
            help: those are int, double, bool and pairs of them
        val it = push <grid> [[1]]
            I-VAR kind: `[int]` is no base type, and an element of an array here
            [[1]] <- `[int]`
            push <- elements of an array are wanted here
            help: push arrays hold int, double, bool and pairs of them, and nothing else
        val it = generate 3 (fn i => fn j => i)
            I-VAR kind: `'t -> int` is a function, and an element of an array here
            fn i => fn j => i <- `'t -> int`
            generate <- elements of an array are wanted here
            help: arrays hold no functions
        val it = concat true []
            T-CONCAT size: this is `bool`, and `int` is wanted
            true <- `bool`
        val it = concat 1 [1]
            T-CONCAT array: this is `[int]`, and `[['t]<u>]` is wanted
            [1] <- `[int]`
            help: `int` is not `['t]<u>`
        val it = concat 1 [[1]]
            T-CONCAT array: this is `[[int]]`, and `[['t]<u>]` is wanted
            [[1]] <- `[[int]]`
            help: `push <level>` makes a push array of a pull array
        val it = concat 1 [concat 1 [push <warp> [1]]] |> force |> concat 1
            T-CONCAT array: this is `[int]`, and `[['t]<grid>]` is wanted
            concat 1 [concat 1 [push <warp> [1]]] |> force <- `[int]`
            help: `int` is not `['t]<grid>`
        val it = concat 1 [push <grid> (force (concat 1 [push <warp> [1]]))]
            T-CONCAT array: this is `[[int]<grid>]`, and `[['t]<block>]` is wanted
            [push <grid> (force (concat 1 [push <warp> [1]]))] <- `[[int]<grid>]`
            help: level grid is not level block
        fun it xs = [force (concat 1 [push <warp> xs]), force (concat 1 [push <block> xs])]
            T-CONCAT array: this is `[['t]<block>]`, and `[['u]<warp>]` is wanted
            [push <block> xs] <- `[['t]<block>]`
            help: level block is not level warp
        fun it xs = [force (concat 1 xs), force (interleave 1 fst [concat 1 xs])]
            T-CONCAT array: this is `[['t]<1+u>]`, and `[['u]<u>]` is wanted
            xs <- `[['t]<1+u>]`
            help: the level would be infinite: 1+u is u
        val it = interleave true (fn (i, j) => i) []
            T-INTERLEAVE size: this is `bool`, and `int` is wanted
            true <- `bool`
        val it = interleave 1 (fn i => i) []
            T-INTERLEAVE order: this is `(int, int) -> (int, int)`, and `(int, int) -> int` is wanted
            fn i => i <- `(int, int) -> (int, int)`
            help: `(int, int)` is not `int`
        val it = interleave 1 (fn (i, j) => i) [1]
            T-INTERLEAVE array: this is `[int]`, and `[['t]<u>]` is wanted
            [1] <- `[int]`
            help: `int` is not `['t]<u>`
        val it = if 1 then 2 else 3
            T-IF condition: this is `int`, and `bool` is wanted
            1 <- `int`
        val it = if true then 2 else [3]
            T-IF branches: this is `[int]`, and `int` is wanted
            [3] <- `[int]`
            2 <- the other branch is `int`
        sig it : int  val it = true
            T-DEF signature: this is `bool`, and `int` is wanted
            true <- `bool`
            int <- the signature says `int`
        sig it : [a] -> [a]  fun it xs = mapPull (fn x => x + 1) xs
            T-APP argument: this is `['a]`, and `[int]` is wanted
            xs <- `['a]`
            mapPull (fn x => x + 1) <- takes `[int]`
            help: by its signature `'a` is any type
        sig it : [a] -> [b]  fun it xs = xs
            T-DEF signature: this is `['a]`, and `['b]` is wanted
            xs <- `['a]`
            [a] -> [b] <- the signature says `['b]`
            help: by its signature `'a` is any type
        fun it f = push <grid> [f 1]
            T-MAIN parameter: the parameter `f` of the program is `int -> 't`
            it <- the program
            help: input is int, double, bool, pairs of them, and pull arrays of these; a program is `main`, or else its last definition
        fun it xs = (push <grid> xs, xs)
            T-MAIN result: the program comes to `(['t]<grid>, ['t])`
            (push <grid> xs, xs) <- no push array
            help: of a single value `push <thread> [x]` is an array
        fun it xs = force (push <grid> xs)
            T-MAIN result: the program comes to `['t]`
            force (push <grid> xs) <- no push array
            help: say where it runs: `push <grid> xs`
        val it = fn <l> => push <l> [1]
            T-MAIN result: the program comes to `<u> -> [int]<u>`
            fn <l> => push <l> [1] <- no push array
            help: a program is at one level: give it, as in `f <grid>`
        fun it xs = push <thread> (force (concat 1 [push <block> xs]))
            T-MAIN result: the program's result is at level thread, and a `concat` in it at level grid
            push <thread> (force (concat 1 [push <block> xs])) <- level thread
            help: what is at another level is a function of its own: `let f = fn xs => … in f xs`
        val it = fn x => [x] == x
            T-APP argument: this is `['t]`, and `int` is wanted
            [x] <- `['t]`
            == <- takes `int`
    "#]].assert_eq(&refusals(&[
        "val it = [1, true]",
        "val it = [negi]",
        "fun it x = let a = [x] in x 3",
        "val it = fst 3",
        "val it = snd [1]",
        "val it = let x : bool = 1 in x",
        "val it = let f : a -> a = fn x => x + 1 in f",
        "val it = 3 4",
        "val it = push [1]",
        "val it = negi true",
        "val it = (fn f => f <grid>)",
        "val it = negi <grid>",
        "fun it xs = (fn <l> => force (push <l> xs)) <grid>",
        "fun it x = fn <l> => [x, push <l> [1]]",
        "val it = push <l> [1]",
        "sig it : [int -> int]  val it = []",
        "sig it : [[int]]<grid>  val it = push <grid> []",
        "val it = push <grid> [[1]]",
        "val it = generate 3 (fn i => fn j => i)",
        "val it = concat true []",
        "val it = concat 1 [1]",
        "val it = concat 1 [[1]]",
        "val it = concat 1 [concat 1 [push <warp> [1]]] |> force |> concat 1",
        "val it = concat 1 [push <grid> (force (concat 1 [push <warp> [1]]))]",
        "fun it xs = [force (concat 1 [push <warp> xs]), force (concat 1 [push <block> xs])]",
        "fun it xs = [force (concat 1 xs), force (interleave 1 fst [concat 1 xs])]",
        "val it = interleave true (fn (i, j) => i) []",
        "val it = interleave 1 (fn i => i) []",
        "val it = interleave 1 (fn (i, j) => i) [1]",
        "val it = if 1 then 2 else 3",
        "val it = if true then 2 else [3]",
        "sig it : int  val it = true",
        "sig it : [a] -> [a]  fun it xs = mapPull (fn x => x + 1) xs",
        "sig it : [a] -> [b]  fun it xs = xs",
        "fun it f = push <grid> [f 1]",
        "fun it xs = (push <grid> xs, xs)",
        "fun it xs = force (push <grid> xs)",
        "val it = fn <l> => push <l> [1]",
        "fun it xs = push <thread> (force (concat 1 [push <block> xs]))",
        "val it = fn x => [x] == x",
    ]));
}

#[test]
fn the_prelude_has_its_types() {
    let program = program(&format!("{}\nval main = push <grid> [1]", prelude::TEXT));
    let typed = infer(&program).expect("it has types");
    let schemes = typed.schemes(&program.names);
    let line =
        |(var, scheme): &(_, String)| format!("{} : {scheme}\n", program.names.written(*var));
    let text: String = schemes.iter().map(line).collect();
    expect![[r#"
        id : forall 'a. 'a -> 'a
        const : forall 'a 'b. 'a -> 'b -> 'a
        iota : int -> [int]
        range : int -> int -> [int]
        reverse : forall ('a : GT). ['a] -> ['a]
        backpermute : forall ('a : GT). int -> (int -> int) -> ['a] -> ['a]
        take : forall ('a : GT). int -> ['a] -> ['a]
        drop : forall ('a : GT). int -> ['a] -> ['a]
        splitAt : forall ('a : GT). int -> ['a] -> (['a], ['a])
        last : forall ('a : GT). ['a] -> 'a
        halve : forall ('a : GT). ['a] -> (['a], ['a])
        evenOdds : forall ('a : GT). ['a] -> (['a], ['a])
        zipWith : forall ('a : GT) ('b : GT) ('c : GT). ('a -> 'b -> 'c) -> ['a] -> ['b] -> ['c]
        pad : forall ('a : GT). int -> 'a -> ['a] -> ['a]
        splitUp : forall ('a : GT). int -> ['a] -> [['a]]
        coalesce : forall ('a : GT). int -> ['a] -> [['a]]
        transpose : forall ('a : GT). int -> int -> ['a] -> ['a]
        split2DGrid : forall ('a : GT). int -> int -> int -> int -> ['a] -> [['a]]
        bit : int -> int
        testBit : int -> int -> bool
        revBlock : forall ('a : BT). ['a] -> ['a]<block>
        reverseBlock : forall ('a : BT). ['a] -> ['a]<block>
        revDistribute : forall ('a : BT). int -> ['a] -> ['a]<grid>
        concatMap : forall <l> ('a : GT) ('b : BT). int -> ('a -> ['b]<l>) -> ['a] -> ['b]<1+l>
        concat2DGrid : forall <l> ('a : BT). int -> int -> int -> [['a]<l>] -> ['a]<1+l>
        transposeTiled : forall ('a : BT). int -> int -> int -> ['a] -> ['a]<grid>
        concatSeq : forall ('a : BT). <l> -> int -> [['a]<l>] -> ['a]<l>
        step : forall ('a : BT). <l> -> ('a -> 'a -> 'a) -> ['a] -> ['a]<l>
        red : forall ('a : BT). <l> -> ('a -> 'a -> 'a) -> ['a] -> ['a]<l>
        reduceGrid : forall ('a : BT). ('a -> 'a -> 'a) -> ['a] -> ['a]<grid>
        reduce : forall ('a : BT). <l> -> ('a -> 'a -> 'a) -> 'a -> ['a] -> 'a
        reduceAll : forall ('a : BT). ('a -> 'a -> 'a) -> 'a -> ['a] -> ['a]<grid>
        scan : forall ('a : BT). <l> -> ('a -> 'a -> 'a) -> ['a] -> ['a]
        scanAll : forall ('a : BT). ('a -> 'a -> 'a) -> ['a] -> ['a]<grid>
        foldl : forall ('a : BT) ('b : GT). ('a -> 'b -> 'a) -> 'a -> ['b] -> 'a
        seqfor : forall ('a : BT). ['a] -> int -> ((int -> 'a) -> int -> (int, 'a)) -> ['a]<thread>
        interleaveSeq : forall ('a : BT). <l> -> int -> ((int, int) -> int) -> [['a]<l>] -> ['a]<l>
        main : [int]<grid>
    "#]]
    .assert_eq(&text);
}

/// Each expression of `main` with its type, as the compiler asks for them.
#[test]
fn each_expression_has_its_type_in_preorder() {
    let program = program(
        "fun main xs = let n = length xs in
         xs |> splitUp 4 |> map (push <warp>) |> interleave 4 (fn (i, j) => i + j * n)",
    );
    let typed = infer(&program).expect("it has types");
    let main = program.main().expect("there is one");
    let (mut lines, mut number) = (String::new(), 0);
    main.body.walk(&mut |exp| {
        let ty = typed.exp(number).map(|ty| print::ty(&program.names, &ty));
        lines += &format!("{} : {}\n", print::exp(&program.names, exp), ty.unwrap_or_default());
        number += 1;
    });
    assert_eq!(number, typed.count());
    expect![[r#"
        fn xs => let n = lengthPull xs in interleave 4 (fn (i, j) => i + j * n) (mapPull (push <warp>) (splitUp 4 xs)) : [int] -> [int]<block>
        let n = lengthPull xs in interleave 4 (fn (i, j) => i + j * n) (mapPull (push <warp>) (splitUp 4 xs)) : [int]<block>
        lengthPull xs : int
        lengthPull : [int] -> int
        xs : [int]
        interleave 4 (fn (i, j) => i + j * n) (mapPull (push <warp>) (splitUp 4 xs)) : [int]<block>
        interleave 4 (fn (i, j) => i + j * n) : [[int]<warp>] -> [int]<block>
        interleave 4 : ((int, int) -> int) -> [[int]<warp>] -> [int]<block>
        interleave : int -> ((int, int) -> int) -> [[int]<warp>] -> [int]<block>
        4 : int
        fn (i, j) => i + j * n : (int, int) -> int
        let i = fst pair j = snd pair in i + j * n : int
        fst pair : int
        fst : (int, int) -> int
        pair : (int, int)
        let j = snd pair in i + j * n : int
        snd pair : int
        snd : (int, int) -> int
        pair : (int, int)
        i + j * n : int
        addi i : int -> int
        addi : int -> int -> int
        i : int
        j * n : int
        muli j : int -> int
        muli : int -> int -> int
        j : int
        n : int
        mapPull (push <warp>) (splitUp 4 xs) : [[int]<warp>]
        mapPull (push <warp>) : [[int]] -> [[int]<warp>]
        mapPull : ([int] -> [int]<warp>) -> [[int]] -> [[int]<warp>]
        push <warp> : [int] -> [int]<warp>
        push : 
        splitUp 4 xs : [[int]]
        splitUp 4 : [int] -> [[int]]
        splitUp : int -> [int] -> [[int]]
        4 : int
        xs : [int]
    "#]].assert_eq(&lines);
}

#[test]
fn what_is_not_known_is_int_and_grid() {
    let program = program("fun main a xs ys = concat 0 []");
    let typed = infer(&program).expect("it has types");
    assert_eq!((typed.params.len(), typed.level), (3, 3));
    let texts = typed.params.iter().map(|param| print::ty(&program.names, &param.ty));
    assert!(texts.chain([print::ty(&program.names, &typed.element)]).all(|ty| ty == "int"));
}

#[test]
fn derivations_show_the_types_that_are_known_at_the_end() {
    let program = program("fun main x = push <thread> [x + 1]");
    let mut recorder = Recorder::tree(200);
    types::infer(&program, &mut recorder).expect("it has types");
    let (_, roots) = recorder.finish();
    let mut text = String::new();
    fn show(node: &crate::kit::derivation::Derivation, depth: usize, to: &mut String) {
        let indent = "  ".repeat(depth);
        *to += &format!("{indent}{} {} : {}\n", node.rule, node.subject, node.conclusion);
        node.premises.iter().for_each(|node| show(node, depth + 1, to));
    }
    roots.iter().for_each(|root| show(root, 0, &mut text));
    expect![[r#"
        T-DEF main : int -> [int]<thread>
          T-FN fn x => push <thread> [x + 1] : int -> [int]<thread> at thread
            T-APP push <thread> [x + 1] : [int]<thread> at thread
              T-LAPP push <thread> : [int] -> [int]<thread> at thread
                T-VAR push : <u> -> [int] -> [int]<u> at thread
                  I-VAR BT : int
                K-Z thread : LVL
              T-ARRAY [x + 1] : [int] at thread
                T-APP x + 1 : int at thread
                  T-APP addi x : int -> int at thread
                    T-VAR addi : int -> int -> int at thread
                      I-REFL int -> int -> int : 
                    T-VAR x : int at thread
                  T-INT 1 : int at thread
          T-MAIN main : a program
    "#]]
    .assert_eq(&text);
}

/// Types grow exponentially with these programs, so inference must stop.
#[test]
fn no_program_takes_long() {
    let doubled = |first: &str, next: &str| {
        let lets: String = (1..60)
            .map(|k| next.replace("NEXT", &k.to_string()).replace("LAST", &(k - 1).to_string()))
            .collect();
        format!("val main = {first} {lets} push <grid> [1]")
    };
    let large = [
        doubled("let x0 = 1 in", "let xNEXT = (xLAST, xLAST) in "),
        doubled("let f0 = fn x => (x, x) in", "let fNEXT = fn x => fLAST (fLAST x) in "),
        doubled("let f0 = fn x y => x in", "let fNEXT = fn x => fLAST (fLAST x) in "),
        format!(
            "fun f x = {} x {} val main = push <grid> [1]",
            "(fn x => (x, x)) (".repeat(60),
            ")".repeat(60)
        ),
    ];
    for source in &large {
        let refused = infer(&program(source)).expect_err("it is too large");
        assert_eq!(refused.limit, Some(Limit::Types), "{refused:?}");
    }
    let wide = |part: &str, parts: usize| {
        (0..parts).map(|k| part.replace('K', &k.to_string())).collect::<String>()
    };
    let pairs = "(fn x => (x, x)) (".repeat(60) + "1" + &")".repeat(60);
    let wide = [
        // What is shared is looked at once.
        format!("val main = push <grid> [fst (1, {pairs})]"),
        wide("fun fK x y = x + y\n", 20_000) + "val main = push <grid> [f7 1 2]",
        format!("val main = push <grid> [{} 1]", wide("K, ", 100_000)),
        format!("val main = let id = fn x => x in push <grid> [{} 1]", wide("id id K, ", 50_000)),
        format!("fun f g = [{} g 1]  val main = push <grid> [1]", wide("g K, ", 50_000)),
        format!("val main = {} push <grid> [x7]", wide("let xK = K in ", 900)),
        format!("fun f {} = 1 val main = push <grid> [1]", wide("xK ", 200)),
        "fun f0 x = (x, x)\n".to_owned()
            + &(1..2000).map(|k| format!("fun f{k} x = f{} x\n", k - 1)).collect::<String>()
            + "val main = push <grid> [fst (f1999 1)]",
    ];
    for source in &wide {
        assert!(infer(&program(source)).is_ok(), "{} bytes", source.len());
    }
}
