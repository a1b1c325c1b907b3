//! Structs, functions, kernels and templates of them.

use super::{Parsed, Parser};
use crate::kit::text::{Rejected, Span};
use crate::minias::sycl::syntax::{Base, Function, Item, Name, Param, Struct};

impl<'s> Parser<'s> {
    /// `[tmpl] struct | [tmpl] function | "kernel" function`
    pub(super) fn item(&mut self) -> Parsed<Item> {
        let start = self.span();
        self.scope.types.clear();
        let types = if self.takes_keyword("template") { self.template()? } else { Vec::new() };
        if self.takes_keyword("struct") {
            return Ok(Item::Struct(self.structure(start, types)?));
        }
        let kernel_at = self.span();
        let kernel = self.takes_keyword("kernel");
        if kernel && !types.is_empty() {
            let message = "a kernel is no template";
            return Err(Rejected::new(kernel_at, message, "of a template")
                .help("call a template from a kernel"));
        }
        if !self.type_starts(0) {
            return Err(self.wanted("a struct, a function or a kernel"));
        }
        Ok(Item::Function(self.function(start, types, kernel)?))
    }

    /// `"<" "typename" ID {"," "typename" ID} ">"`
    fn template(&mut self) -> Parsed<Vec<Name>> {
        self.expect("<")?;
        if self.is(">") {
            return Err(self.wanted("`typename` and a name"));
        }
        self.list(">", |parser| {
            if !parser.takes_keyword("typename") {
                return Err(parser.wanted("`typename` and a name"));
            }
            let (text, span) = parser.name("the name of a type")?;
            parser.scope.types.push(text);
            Ok(Name { span, text: text.to_owned() })
        })
    }

    /// `ID "{" {type ID ";"} "}" ";"`
    fn structure(&mut self, start: Span, types: Vec<Name>) -> Parsed<Struct> {
        let name = self.named("the name of a struct")?;
        let span = self.from(start);
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.takes("}") {
            let ty = self.ty()?;
            fields.push((ty, self.named("the name of a field")?));
            self.expect(";")?;
        }
        self.expect(";")?;
        Ok(Struct { span, types, name, fields })
    }

    fn function(&mut self, start: Span, types: Vec<Name>, kernel: bool) -> Parsed<Function> {
        let result = self.ty()?;
        if kernel && (result.base != Base::Void || !result.behind.is_empty()) {
            let message = "a kernel has no result";
            return Err(Rejected::new(result.span, message, "expected `void`"));
        }
        let name = self.named("the name of a function")?;
        self.expect("(")?;
        let params = self.list(")", Self::param)?;
        let span = self.from(start);
        if self.is(";") {
            let refused = self.wanted("`{` and the body of the function");
            return Err(refused.help("MiniSYCL has no prototypes: any order will do"));
        }
        self.expect("{")?;
        let body = self.stmts()?;
        Ok(Function { span, types, kernel, result, name, params, body })
    }

    /// `type [ID]`
    pub(super) fn param(&mut self) -> Parsed<Param> {
        let start = self.span();
        if self.has_no_space() {
            return Err(self.no_space("_ptr", "global_ptr<int>"));
        }
        if !self.type_starts(0) {
            return Err(self.wanted("the type of a parameter"));
        }
        let ty = self.ty()?;
        let unnamed = self.is(",") || self.is(")");
        let name = if unnamed { None } else { Some(self.named("a name")?) };
        Ok(Param { span: self.from(start), ty, name })
    }
}
