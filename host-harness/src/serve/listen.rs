//! Connections: taken, limited, and ended.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::Shared;

/// Serves until the host ends, then lets requests under way finish.
pub(super) async fn serve(listener: TcpListener, router: Router, shared: Arc<Shared>) {
    let mut ending = shared.ending.subscribe();
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(shared.config.limits.connections));
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        // Half-open connections and slow heads: their place is needed.
        .header_read_timeout(Duration::from_secs(shared.config.limits.request_seconds))
        .max_buf_size(MOST_HEAD);
    loop {
        let taken = tokio::select! {
            _ = ending.wait_for(|ending| *ending) => break,
            taken = take(&listener, &places) => taken,
        };
        let Some((stream, place)) = taken else {
            // Out of file descriptors, say: taking a breath beats spinning.
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A peer that goes away or talks nonsense is its own business.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    let _ = timeout(GRACE, graceful.shutdown()).await;
}

async fn take(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(tokio::net::TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    let (stream, _) = listener.accept().await.ok()?;
    Some((stream, place))
}

/// Bytes that may be buffered of a request's head. One that is longer is answered with 431 unless it
/// is complete with the next read, so that up to twice as much can get through.
const MOST_HEAD: usize = 64 * 1024;
const GRACE: Duration = Duration::from_secs(10);
