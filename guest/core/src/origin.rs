//! The digest of a peer's origin (ruling R8).

use alloc::string::String;

use sha2::{Digest, Sha256};
use url::{Origin, Url};

/// SHA-256 of the WHATWG serialised origin, as 64 lower-case hex digits; `None` for an origin that
/// is not a tuple, or for text that is no URL. Never a digest of `null`, which all opaque origins
/// of the world would share.
#[must_use]
pub fn digest(url: &str) -> Option<String> {
    if let Some(origin) = plain_origin(url) {
        return Some(hex(&Sha256::digest(origin.as_bytes())));
    }
    digest_of_parsed(url)
}

/// The serialised origin of a URL whose origin stands in it word for word, as that of nearly every
/// peer does; `None` for a URL that the URL standard has more to say about. Parsing takes ten times
/// as long as all the rest of a digest.
fn plain_origin(url: &str) -> Option<&str> {
    let (scheme_len, default_port) = if url.starts_with("https://") {
        (8, ":443")
    } else if url.starts_with("http://") {
        (7, ":80")
    } else {
        return None;
    };
    let rest = url.get(scheme_len..)?;
    let host_len = rest
        .bytes()
        .position(|byte| !matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-'))
        .unwrap_or(rest.len());
    let (host, after) = rest.split_at_checked(host_len)?;
    // A last label that begins with a letter is no part of an IPv4 address. Two hyphens may
    // announce Punycode, two dots an empty label.
    let last_label = host.rsplit('.').next()?;
    if !last_label.starts_with(|first: char| first.is_ascii_lowercase())
        || host_len > 63
        || host.starts_with('.')
        || twice(host, b'-')
        || twice(host, b'.')
    {
        return None;
    }
    let port_len = match after.strip_prefix(':') {
        None => 0,
        Some(digits) => digits
            .bytes()
            .position(|byte| !byte.is_ascii_digit())
            .unwrap_or(digits.len())
            .checked_add(1)?,
    };
    let (port, end) = after.split_at_checked(port_len)?;
    // Anything else may be part of a password, or vanish.
    if !(end.is_empty() || end.starts_with(['/', '?', '#'])) {
        return None;
    }
    if port.is_empty() || port == default_port {
        return url.get(..scheme_len.checked_add(host_len)?);
    }
    // One leading zero is one too many, and so is a number of five digits, of which some are no port.
    if !(2..=5).contains(&port_len) || port.starts_with(":0") {
        return None;
    }
    url.get(..scheme_len.checked_add(host_len)?.checked_add(port_len)?)
}

/// Whether a byte stands next to its like. Quicker on a few bytes than a search for text.
fn twice(text: &str, byte: u8) -> bool {
    let next = text.bytes().skip(1);
    text.bytes().zip(next).any(|pair| pair == (byte, byte))
}

fn digest_of_parsed(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    // The URL standard lends a blob the origin of an inner http or https URL, and of no other.
    if url.scheme() == "blob" && !matches!(Url::parse(url.path()).ok()?.scheme(), "http" | "https")
    {
        return None;
    }
    let origin = url.origin();
    match origin {
        Origin::Tuple(..) => Some(hex(&Sha256::digest(
            origin.ascii_serialization().as_bytes(),
        ))),
        Origin::Opaque(_) => None,
    }
}

/// Lower-case hex digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| {
        let from = if value < 10 {
            b'0'
        } else {
            b'a'.wrapping_sub(10)
        };
        char::from(from.wrapping_add(value))
    };
    let mut digits = String::with_capacity(bytes.len().saturating_mul(2));
    for byte in bytes {
        digits.push(digit(byte >> 4));
        digits.push(digit(byte & 15));
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_origin_has_one_digest() {
        let peer = "3a61b99132bfdfa2ce5f773d8dc89d8246bfe6b266791549de14a6692d1bb1e1";
        for url in [
            "https://peer.example/x?y",
            "https://peer.example:443/mcp",
            "https://PEER.Example/mcp",
            "https://user:pw@peer.example/mcp",
            " https://peer.example\t",
        ] {
            assert_eq!(digest(url).as_deref(), Some(peer), "{url}");
        }
        assert_eq!(
            digest("https://bücher.example/").as_deref(),
            Some("edcf346bca2dce514f29462537e7cfb50b206c547164e91957db04ff75d03607")
        );
        assert_eq!(
            digest("http://[::1]:9/x").as_deref(),
            Some("d16060a8c51798a8de9e6a63a00c1109b3d3eae7f5cc0ab40e7e622f0c9a34ad")
        );
        assert_eq!(digest("HTTP://0x7f.1/"), digest("http://127.0.0.1"));
        assert_ne!(
            digest("https://peer.example."),
            digest("https://peer.example")
        );
        assert_ne!(digest("wss://peer.example"), digest("https://peer.example"));
    }

    #[test]
    fn the_short_way_ends_where_the_long_one_does() {
        let hosts = [
            "peer.example",
            "a",
            "a-b.c0",
            "xn--bcher-kva.example",
            "a--b.c",
            "a..b",
            ".a",
            "a.",
            "1.2.3.4",
            "a.1",
            "a.0x1",
            "1.a",
            "0x7f.1",
            "-a.b",
            "a-.b",
            "A.b",
            "b\u{fc}cher.de",
            "",
            "u@h",
            "u:p@h",
            "[::1]",
            "a%41.b",
            "a\tb.c",
            "a_b.c",
            "\\a",
            "a.b1",
        ];
        let ports = [
            "", ":", ":80", ":443", ":8443", ":0", ":00", ":080", ":65535", ":65536", ":99999",
            ":999999", ":4x", ":4@h", ":443@h", ":4\n43", ": 4",
        ];
        let tails = [
            "",
            "/",
            "/x@y:1/z",
            "?q",
            "#f",
            "\\x",
            " ",
            "\t",
            "@h",
            "/\t\u{fc}%zz",
        ];
        let (mut short, mut all) = (0_u32, 0_u32);
        for scheme in [
            "http://", "https://", "HTTPS://", "https:/", "https:", "ws://", "ftp://",
        ] {
            for host in hosts {
                for port in ports {
                    for tail in tails {
                        let url = alloc::format!("{scheme}{host}{port}{tail}");
                        all = all.saturating_add(1);
                        if let Some(origin) = plain_origin(&url) {
                            short = short.saturating_add(1);
                            let parsed = Url::parse(&url).unwrap().origin();
                            assert_eq!(origin, parsed.ascii_serialization(), "{url:?}");
                        }
                        assert_eq!(digest(&url), digest_of_parsed(&url), "{url:?}");
                    }
                }
            }
        }
        assert!(short > 100 && short < all / 4, "{short} of {all}");
    }

    #[test]
    fn an_opaque_origin_has_none() {
        for url in [
            "stdio:",
            "peer.example:50051",
            "file:///x",
            "data:,x",
            "",
            "peer",
            "https://",
        ] {
            assert_eq!(digest(url), None, "{url}");
        }
    }
}
