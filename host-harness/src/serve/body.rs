//! Bodies, with an end.

use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body_util::{BodyExt as _, Limited};
use tokio::time::timeout;

/// Why there is no body.
pub(super) enum NoBody {
    /// Larger than it may be.
    TooLarge,
    /// Not there in time.
    TooSlow,
    /// Broken off.
    Broken,
}

/// The whole body, if it has at most `most` bytes and is there within `within`.
pub(super) async fn read(body: Body, most: usize, within: Duration) -> Result<Bytes, NoBody> {
    let whole = Limited::new(body, most).collect();
    match timeout(within, whole).await {
        Err(_) => Err(NoBody::TooSlow),
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => Err(NoBody::TooLarge),
        Ok(Err(_)) => Err(NoBody::Broken),
    }
}
