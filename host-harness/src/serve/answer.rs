//! Answers, in the shapes of each boundary.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::exchange::Unrecorded;
use crate::types::{Reply, Settlement};

/// An answer of this host.
pub(super) type Answer = Response<Body>;

/// JSON with a status.
pub(super) fn json(status: u16, value: &Value) -> Answer {
    text(status, value.to_string())
}

pub(super) fn text(status: u16, text: String) -> Answer {
    let mut answer = Response::new(Body::from(text));
    *answer.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let json = HeaderValue::from_static("application/json");
    answer.headers_mut().insert(header::CONTENT_TYPE, json);
    answer
}

pub(super) fn empty(status: StatusCode) -> Answer {
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = status;
    answer
}

/// Adds headers that this host makes itself; one that is not valid is left out.
pub(super) fn with_headers(mut answer: Answer, headers: &[(String, String)]) -> Answer {
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (
            HeaderName::try_from(name.as_str()),
            HeaderValue::try_from(value.as_str()),
        ) {
            answer.headers_mut().insert(name, value);
        }
    }
    answer
}

/// The answer of an operation of OpenWOP itself.
pub(super) fn openwop(answer: Answer) -> Answer {
    with_headers(answer, &[("OpenWOP-Version".to_owned(), "2.0".to_owned())])
}

/// An OpenWOP error.
pub(super) fn envelope(status: u16, code: &str, message: &str, details: Value) -> Answer {
    let mut envelope = json!({ "error": code, "message": message });
    if let (Some(members), false) = (envelope.as_object_mut(), details.is_null()) {
        members.insert("details".to_owned(), details);
    }
    openwop(json(status, &envelope))
}

pub(super) fn unauthenticated() -> Answer {
    let answer = envelope(
        401,
        "unauthenticated",
        "A credential is needed",
        Value::Null,
    );
    with_headers(
        answer,
        &[("WWW-Authenticate".to_owned(), "Bearer".to_owned())],
    )
}

pub(super) async fn not_found() -> Answer {
    envelope(404, "not_found", "There is nothing here", Value::Null)
}

/// A JSON-RPC result.
pub(super) fn result(id: &RawValue, result: &Value) -> Answer {
    let id = id.get();
    text(
        200,
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
    )
}

/// A JSON-RPC error; `error` is the error object's JSON text.
pub(super) fn error(status: u16, id: Option<&RawValue>, error: &str) -> Answer {
    let id = id.map_or("null", RawValue::get);
    text(
        status,
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#),
    )
}

/// A JSON-RPC error with a fixed message.
pub(super) fn error_code(status: u16, id: Option<&RawValue>, code: i32, message: &str) -> Answer {
    let object = json!({ "code": code, "message": message });
    error(status, id, &object.to_string())
}

/// A refusal on a JSON-RPC surface.
pub(super) fn refusal(id: Option<&RawValue>, reply: &Reply) -> Answer {
    let answer = match &reply.error {
        Some(object) => error(reply.status, id, object),
        None => {
            empty(StatusCode::from_u16(reply.status).unwrap_or(StatusCode::SERVICE_UNAVAILABLE))
        }
    };
    with_headers(answer, &reply.headers)
}

/// A refusal where OpenWOP's envelope is the answer.
pub(super) fn refusal_envelope(reply: &Reply) -> Answer {
    let answer = match &reply.envelope {
        Some(envelope) => openwop(text(reply.status, envelope.clone())),
        None => openwop(empty(
            StatusCode::from_u16(reply.status).unwrap_or(StatusCode::SERVICE_UNAVAILABLE),
        )),
    };
    with_headers(answer, &reply.headers)
}

/// What an exchange came to.
pub(super) enum Came {
    /// A version was agreed.
    Accepted(Box<Settlement>, String),
    /// None was, or there is no record; this is what to answer.
    Refused(Reply),
}

/// Parts acceptances from everything else.
pub(super) fn came(settled: Result<Settlement, Unrecorded>) -> Came {
    match settled {
        Err(Unrecorded(reply)) => Came::Refused(reply),
        Ok(settlement) => match &settlement.decision {
            crate::types::Decision::Accepted(acceptance) => {
                let version = acceptance.version.clone();
                Came::Accepted(Box::new(settlement), version)
            }
            crate::types::Decision::Refused(_) => Came::Refused(settlement.reply),
        },
    }
}
