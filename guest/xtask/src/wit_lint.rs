//! `cargo xtask wit-lint`: every item of the WIT package is documented, and says
//! since when it exists.
//!
//! The doc comments are the contract of the component, and `@since` is what
//! keeps an older host apart from a newer interface; both are easy to forget.

use anyhow::{Result, anyhow, bail};
use wit_parser::{
    Docs, Function, InterfaceId, PackageName, Resolve, SourceMap, Span, Stability, Type, TypeDef,
    TypeDefKind, TypeOwner, UnresolvedPackage, UnresolvedPackageGroup, World, WorldItem, WorldKey,
};

use crate::workspace::Workspace;

/// Lints `wit/`.
pub fn run(workspace: &Workspace) -> Result<()> {
    let mut sources = SourceMap::new();
    sources.push_dir(&workspace.path("wit"))?;
    let findings = lint(sources)?;
    if findings.is_empty() {
        println!("wit-lint: every item has a doc comment and @since");
        return Ok(());
    }
    bail!("{} findings\n{}", findings.len(), findings.join("\n"));
}

/// Everything wrong with a package, a line for each: place, item, what to do.
///
/// Errors: text that is no WIT package.
fn lint(sources: SourceMap) -> Result<Vec<String>> {
    let group = sources
        .parse()
        .map_err(|(sources, error)| anyhow!("{}", error.render(&sources)))?;
    let mut lint = Lint {
        package: &group.main,
        group: &group,
        findings: Vec::new(),
    };
    lint.package();
    let mut findings = lint.findings;
    // The parser stops at the first error of meaning, such as an unknown name;
    // a `@since` beyond the package's version is one, found above with the rest.
    if findings.is_empty() {
        Resolve::default().push_group(group)?;
    }
    findings.sort();
    Ok(findings)
}

struct Lint<'a> {
    package: &'a UnresolvedPackage,
    group: &'a UnresolvedPackageGroup,
    findings: Vec<String>,
}

impl Lint<'_> {
    fn package(&mut self) {
        let PackageName { name, version, .. } = &self.package.name;
        if version.is_none() {
            self.findings
                .push(format!("package `{name}`: has no version"));
        }
        if !self.group.nested.is_empty() {
            self.findings
                .push(format!("package `{name}`: holds another package"));
        }
        for (id, interface) in self.package.interfaces.iter() {
            // Interfaces without a name stand inside worlds and are met there;
            // those of other packages are their business.
            if let Some(name) = &interface.name
                && !self.is_foreign(id)
            {
                let item = format!("interface `{name}`");
                self.docs(&item, &interface.docs, interface.span);
                self.since(&item, &interface.stability, interface.span);
                self.members(name, id);
            }
        }
        for (_, world) in self.package.worlds.iter() {
            let item = format!("world `{}`", world.name);
            self.docs(&item, &world.docs, world.span);
            self.since(&item, &world.stability, world.span);
            self.world_items(world);
        }
    }

    fn members(&mut self, name: &str, id: InterfaceId) {
        let Some(interface) = self.package.interfaces.get(id) else {
            return;
        };
        for function in interface.functions.values() {
            self.function(name, function);
        }
        for &id in interface.types.values() {
            if let Some(definition) = self.package.types.get(id) {
                self.type_definition(name, definition);
            }
        }
    }

    fn world_items(&mut self, world: &World) {
        for include in &world.includes {
            let item = format!("include in world `{}`", world.name);
            self.since(&item, &include.stability, include.span);
        }
        for (verb, items) in [("import", &world.imports), ("export", &world.exports)] {
            for (key, item) in items {
                self.world_item(world, verb, key, item);
            }
        }
    }

    fn world_item(&mut self, world: &World, verb: &str, key: &WorldKey, item: &WorldItem) {
        match (item, key) {
            (
                WorldItem::Interface {
                    id,
                    stability,
                    docs,
                    span,
                    ..
                },
                WorldKey::Name(name),
            ) => {
                let item = format!("{verb} `{name}` in world `{}`", world.name);
                // Written out in place, or under another name: documented here.
                let own = self
                    .package
                    .interfaces
                    .get(*id)
                    .map(|interface| &interface.docs);
                let docs = if docs.is_empty() {
                    own.unwrap_or(docs)
                } else {
                    docs
                };
                self.docs(&item, docs, *span);
                self.since(&item, stability, *span);
                self.members(name, *id);
            }
            (
                WorldItem::Interface {
                    id,
                    stability,
                    span,
                    ..
                },
                WorldKey::Interface(_),
            ) => {
                // The interface itself is documented where it is defined.
                let name = self
                    .package
                    .interfaces
                    .get(*id)
                    .and_then(|found| found.name.clone());
                let name = name.unwrap_or_default();
                let item = format!("{verb} `{name}` in world `{}`", world.name);
                self.since(&item, stability, *span);
            }
            (WorldItem::Function(function), _) => self.function(&world.name, function),
            (WorldItem::Type { id, .. }, _) => {
                if let Some(definition) = self.package.types.get(*id) {
                    self.type_definition(&world.name, definition);
                }
            }
        }
    }

    fn function(&mut self, owner: &str, function: &Function) {
        let item = format!("function `{owner}.{}`", function.name);
        self.docs(&item, &function.docs, function.span);
        self.since(&item, &function.stability, function.span);
    }

    fn type_definition(&mut self, owner: &str, definition: &TypeDef) {
        let name = definition.name.as_deref().unwrap_or_default();
        if self.is_used(definition) {
            let item = format!("use of `{owner}.{name}`");
            self.since(&item, &definition.stability, definition.span);
            return;
        }
        let item = format!("type `{owner}.{name}`");
        self.docs(&item, &definition.docs, definition.span);
        self.since(&item, &definition.stability, definition.span);

        let parts: Vec<(&str, &str, &Docs, Span)> = match &definition.kind {
            TypeDefKind::Record(record) => {
                let fields = record.fields.iter();
                fields
                    .map(|field| ("field", field.name.as_str(), &field.docs, field.span))
                    .collect()
            }
            TypeDefKind::Variant(variant) => {
                let cases = variant.cases.iter();
                cases
                    .map(|case| ("case", case.name.as_str(), &case.docs, case.span))
                    .collect()
            }
            TypeDefKind::Enum(closed) => {
                let cases = closed.cases.iter();
                cases
                    .map(|case| ("case", case.name.as_str(), &case.docs, case.span))
                    .collect()
            }
            TypeDefKind::Flags(flags) => {
                let flags = flags.flags.iter();
                flags
                    .map(|flag| ("flag", flag.name.as_str(), &flag.docs, flag.span))
                    .collect()
            }
            _ => Vec::new(),
        };
        for (kind, part, docs, span) in parts {
            self.docs(&format!("{kind} `{owner}.{name}.{part}`"), docs, span);
        }
    }

    /// Whether a type stands here by `use`: an alias of another interface's type.
    fn is_used(&self, definition: &TypeDef) -> bool {
        let TypeDefKind::Type(Type::Id(target)) = definition.kind else {
            return false;
        };
        let target = self.package.types.get(target);
        target.is_some_and(|target| {
            target.owner != TypeOwner::None && target.owner != definition.owner
        })
    }

    fn is_foreign(&self, id: InterfaceId) -> bool {
        let items = self
            .package
            .foreign_deps
            .values()
            .flat_map(|items| items.values());
        let mut items = items.map(|(item, _)| item);
        items.any(|item| matches!(item, wit_parser::AstItem::Interface(foreign) if *foreign == id))
    }

    fn docs(&mut self, item: &str, docs: &Docs, span: Span) {
        let text = docs.contents.as_deref().unwrap_or_default();
        if text.trim().is_empty() {
            self.finding(span, item, "has no doc comment (`///`)");
        }
    }

    fn since(&mut self, item: &str, stability: &Stability, span: Span) {
        match stability {
            Stability::Unknown => self.finding(span, item, "has no `@since(version = …)`"),
            Stability::Unstable { .. } => {
                self.finding(span, item, "is `@unstable`; a published package has none");
            }
            Stability::Stable { since, .. } => {
                if let Some(version) = &self.package.name.version
                    && since > version
                {
                    let problem = format!("is since {since}, after the package's {version}");
                    self.finding(span, item, &problem);
                }
            }
        }
    }

    fn finding(&mut self, span: Span, item: &str, problem: &str) {
        let place = self.group.source_map.render_location(span);
        self.findings.push(format!("{place}: {item} {problem}"));
    }
}

#[cfg(test)]
#[path = "wit_lint_tests.rs"]
mod tests;
