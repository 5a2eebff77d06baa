//! The desk's connections. Every user of this machine can open some, so each has a time limit and their number is
//! bounded; none delays the end of the desk.

use std::{future::Future, sync::Arc, time::Duration};

use axum::Router;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use tokio::{net::TcpListener, sync::Semaphore};

/// The longest time for the head of a request to arrive.
const HEAD_PATIENCE: Duration = Duration::from_secs(5);
/// The longest time for requests in progress to finish when the desk ends.
const LAST_ANSWERS: Duration = Duration::from_secs(2);
/// The largest number of connections at once, well below the usual limit of open files.
const CONNECTIONS: usize = 256;

/// Serves pages until `end` resolves. Requests in progress may finish within two seconds.
pub(super) async fn listen(listener: TcpListener, router: Router, end: impl Future<Output = ()>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let graceful = GracefulShutdown::new();
    tokio::pin!(end);
    loop {
        let accepted = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut end => break,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let mut builder = hyper::server::conn::http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(HEAD_PATIENCE);
        let service = TowerToHyperService::new(router.clone());
        let connection = graceful.watch(builder.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(LAST_ANSWERS, graceful.shutdown()).await;
}
