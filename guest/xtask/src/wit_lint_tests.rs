//! A good package, and one flaw at a time put into it.

use super::*;

const GOOD: &str = r#"package test:lint@1.2.0;

/// An interface.
@since(version = 1.0.0)
interface first {
  /// A type.
  @since(version = 1.0.0)
  type name = string;

  /// A record.
  @since(version = 1.1.0)
  record both {
    /// A field.
    left: name,
    /// Another.
    right: option<list<name>>,
  }

  /// Flags.
  @since(version = 1.2.0)
  flags bits {
    /// A flag.
    one,
  }
}

/// Another interface.
@since(version = 1.0.0)
interface second {
  @since(version = 1.0.0)
  use first.{both};

  /// A variant.
  @since(version = 1.0.0)
  variant choice {
    /// A case.
    some(both),
    /// Another.
    none,
  }

  /// An enum.
  @since(version = 1.0.0)
  enum closed {
    /// Its case.
    only,
  }

  /// A function.
  @since(version = 1.0.0)
  choose: func(of: list<both>) -> result<choice, closed>;
}

/// A world.
@since(version = 1.0.0)
world inner {
  @since(version = 1.0.0)
  import first;
}

/// Another world.
@since(version = 1.0.0)
world outer {
  @since(version = 1.0.0)
  include inner;
  @since(version = 1.0.0)
  export second;
  /// A function of the world.
  @since(version = 1.0.0)
  export start: func();
  /// An interface written out in place.
  @since(version = 1.0.0)
  import inline: interface {
    /// Its function.
    @since(version = 1.0.0)
    stop: func();
  }
}
"#;

fn findings(text: &str) -> Vec<String> {
    let mut sources = SourceMap::new();
    sources.push_str("bad.wit", text);
    lint(sources).unwrap()
}

#[test]
fn a_complete_package_has_no_finding() {
    assert_eq!(findings(GOOD), Vec::<String>::new());
}

#[test]
fn every_doc_comment_is_needed() {
    let comments: Vec<usize> = lines_with("///");
    assert_eq!(comments.len(), 19, "the good package has changed");
    for number in comments {
        let found = findings(&without(number));
        assert_eq!(found.len(), 1, "without line {number}: {found:?}");
        assert!(
            found[0].ends_with("has no doc comment (`///`)"),
            "{found:?}"
        );
    }
}

#[test]
fn every_since_is_needed() {
    let gates = lines_with("@since");
    assert_eq!(gates.len(), 17, "the good package has changed");
    for number in gates {
        let found = findings(&without(number));
        assert_eq!(found.len(), 1, "without line {number}: {found:?}");
        assert!(
            found[0].ends_with("has no `@since(version = …)`"),
            "{found:?}"
        );
    }
}

#[test]
fn a_finding_tells_place_and_item() {
    let text = GOOD.replace("    /// A field.\n", "");
    assert_eq!(
        findings(&text),
        ["bad.wit:13:5: field `first.both.left` has no doc comment (`///`)"]
    );
    let text = GOOD.replacen("  @since(version = 1.0.0)\n  use", "  use", 1);
    assert_eq!(
        findings(&text),
        ["bad.wit:30:14: use of `second.both` has no `@since(version = …)`"]
    );
    let text = GOOD.replacen("  @since(version = 1.0.0)\n  include", "  include", 1);
    assert_eq!(
        findings(&text),
        ["bad.wit:64:11: include in world `outer` has no `@since(version = …)`"]
    );
}

#[test]
fn an_empty_doc_comment_is_none() {
    let found = findings(&GOOD.replace("/// A record.", "///"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("type `first.both` has no doc comment"),
        "{found:?}"
    );
}

#[test]
fn nothing_is_newer_than_the_package() {
    let found = findings(&GOOD.replace("1.1.0", "1.2.1"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].ends_with("type `first.both` is since 1.2.1, after the package's 1.2.0"),
        "{found:?}"
    );
}

#[test]
fn unstable_items_and_packages_without_a_version_are_findings() {
    let text = GOOD.replace("@since(version = 1.1.0)", "@unstable(feature = trial)");
    assert!(findings(&text)[0].contains("type `first.both` is `@unstable`"));
    let text = GOOD.replace("test:lint@1.2.0", "test:lint");
    assert_eq!(findings(&text), ["package `lint`: has no version"]);
}

#[test]
fn text_that_is_no_wit_and_unknown_names_are_errors() {
    for (text, problem) in [
        (GOOD.replace("func(of", "fun(of"), "expected"),
        (
            GOOD.replace("use first.{both}", "use first.{nobody}"),
            "nobody",
        ),
    ] {
        let mut sources = SourceMap::new();
        sources.push_str("bad.wit", text);
        let error = format!("{:#}", lint(sources).unwrap_err());
        assert!(error.contains(problem), "{error}");
    }
}

fn lines_with(text: &str) -> Vec<usize> {
    let lines = GOOD.lines().enumerate();
    lines
        .filter(|(_, line)| line.contains(text))
        .map(|(number, _)| number)
        .collect()
}

fn without(number: usize) -> String {
    let lines = GOOD
        .lines()
        .enumerate()
        .filter(|(other, _)| *other != number);
    lines.map(|(_, line)| format!("{line}\n")).collect()
}
