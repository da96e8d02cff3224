//! The digest of a peer's origin (ruling R8).

use alloc::string::String;

use sha2::{Digest, Sha256};
use url::{Origin, Url};

/// SHA-256 of the WHATWG serialised origin, as 64 lower-case hex digits; `None` for an origin that
/// is not a tuple, or for text that is no URL. Never a digest of `null`, which all opaque origins
/// of the world would share.
#[must_use]
pub fn digest(url: &str) -> Option<String> {
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
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
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
