//! Who is calling, by the credential and nothing else.

use std::collections::HashMap;

use axum::http::{HeaderMap, header};
use sha2::{Digest as _, Sha256};

use super::config::{Config, ConfigError};
use crate::types::Subject;

/// Bearer tokens by their digest: looking one up compares no secret byte by byte.
pub(super) struct Credentials(HashMap<[u8; 32], Subject>);

impl Credentials {
    pub(super) fn read(config: &Config) -> Result<Self, ConfigError> {
        let credentials = config.credentials.iter().enumerate();
        let subjects = credentials
            .map(|(index, credential)| Ok((credential.digest(index)?, credential.subject())));
        subjects.collect::<Result<_, _>>().map(Self)
    }

    /// The caller; none without exactly one credential that is known.
    pub(super) fn subject(&self, headers: &HeaderMap) -> Option<&Subject> {
        let mut values = headers.get_all(header::AUTHORIZATION).iter();
        let value = values.next()?.to_str().ok()?;
        if values.next().is_some() {
            return None;
        }
        let (scheme, token) = value.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let digest: [u8; 32] = Sha256::digest(token.trim()).into();
        self.0.get(&digest)
    }
}
