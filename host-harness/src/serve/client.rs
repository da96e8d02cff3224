//! HTTP toward peers and upstreams: limited in time and size, no redirects followed.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, Method, Request, Response, Uri};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as Legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::timeout;

use super::body;

pub(super) struct Client {
    legacy: Legacy<HttpsConnector<HttpConnector>, Body>,
    patience: Duration,
}

/// What a peer answered.
pub(super) struct Heard {
    pub(super) status: u16,
    pub(super) session: Option<String>,
    /// Its JSON; the last message where it was an event stream.
    pub(super) text: String,
}

/// There was no answer that can be used.
pub(super) struct Unheard;

impl Client {
    pub(super) fn new(patience: Duration) -> std::io::Result<Self> {
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_connect_timeout(Some(CONNECT));
        http.set_nodelay(true);
        let https = HttpsConnectorBuilder::new()
            .with_native_roots()?
            .https_or_http()
            .enable_http1()
            .wrap_connector(http);
        let legacy = Legacy::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .build(https);
        Ok(Self { legacy, patience })
    }

    /// Sends a request and returns as soon as the answer begins.
    pub(super) async fn send(&self, request: Request<Body>) -> Result<Response<Incoming>, Unheard> {
        let answer = timeout(self.patience, self.legacy.request(request)).await;
        answer.map_err(|_| Unheard)?.map_err(|_| Unheard)
    }

    pub(super) async fn get(
        &self,
        url: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Heard, Unheard> {
        self.ask(Method::GET, url, headers, Body::empty()).await
    }

    pub(super) async fn post(
        &self,
        url: &str,
        headers: &[(&'static str, &str)],
        body: String,
    ) -> Result<Heard, Unheard> {
        let mut all = vec![
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ];
        all.extend_from_slice(headers);
        self.ask(Method::POST, url, &all, Body::from(body)).await
    }

    async fn ask(
        &self,
        method: Method,
        url: &str,
        headers: &[(&'static str, &str)],
        body: Body,
    ) -> Result<Heard, Unheard> {
        let uri: Uri = url.parse().map_err(|_| Unheard)?;
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        for (name, value) in headers {
            let value = HeaderValue::try_from(*value).map_err(|_| Unheard)?;
            request
                .headers_mut()
                .insert(HeaderName::from_static(name), value);
        }
        let answer = self.send(request).await?;
        let status = answer.status().as_u16();
        let header = |name: &str| {
            let value = answer.headers().get(name)?;
            value.to_str().ok().map(str::to_owned)
        };
        let session = header(super::mcp::SESSION);
        let is_stream = header("content-type").is_some_and(|kind| {
            kind.trim_start()
                .to_ascii_lowercase()
                .starts_with("text/event-stream")
        });
        let body = Body::new(answer.into_body());
        let body = body::read(body, MOST, self.patience).await;
        let text = text(&body.map_err(|_| Unheard)?)?;
        let text = if is_stream { last_message(&text) } else { text };
        Ok(Heard {
            status,
            session,
            text,
        })
    }
}

fn text(body: &Bytes) -> Result<String, Unheard> {
    String::from_utf8(body.to_vec()).map_err(|_| Unheard)
}

/// The data of the last event in a stream that has ended: the answer comes last.
pub(super) fn last_message(stream: &str) -> String {
    let mut last = String::new();
    let mut data = String::new();
    for line in stream.lines().chain([""]) {
        match line.strip_prefix("data:") {
            Some(more) => {
                if !data.is_empty() {
                    data.push('\n');
                }
                data.push_str(more.strip_prefix(' ').unwrap_or(more));
            }
            None if line.is_empty() && !data.is_empty() => last = std::mem::take(&mut data),
            None => {}
        }
    }
    last
}

const CONNECT: Duration = Duration::from_secs(5);
const IDLE: Duration = Duration::from_secs(30);
/// Bytes of a peer's answer.
const MOST: usize = 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::last_message;

    #[test]
    fn the_last_event_of_a_stream_is_the_answer() {
        assert_eq!(
            last_message("event: x\ndata: 1\n\ndata: {\ndata: }\n\n: c\n\n"),
            "{\n}"
        );
        assert_eq!(last_message("data:1"), "1");
        assert_eq!(last_message(""), "");
    }
}
