//! Runs the service: listens for players, reports to the operator, and shuts down.

use std::{
    io::ErrorKind,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use axum::{Router, extract::State, extract::connect_info::ConnectInfo, http::StatusCode, routing::get};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::{GracefulShutdown, Watcher},
    service::TowerToHyperService,
};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Semaphore, watch},
};
use tokio_io_timeout::TimeoutStream;

use super::{
    config::{Config, Log, TRANSIT_SHARES},
    http::{self, Office},
    mailbox_service::MailboxService,
    posted::RESTORED,
    quota::Quota,
    store::{AnyStore, NOBODYS, Owner, StoreError, Stored, postgres, sqlite::Sqlite, witness::Witnessed},
};
use crate::{
    blob::{Hex32, Keys},
    keep::{StorageError, root::Keys as OwnKeys},
    primitive::wrap,
};

/// The longest wait for the head of a request to arrive.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);
/// The longest head of a request, in bytes.
const HEAD_BYTES: usize = 16 << 10;
/// The number of open files that the process needs besides those for clients.
const OTHER_FILES: u64 = 64;
/// The maximum number of pages of letters that are prepared at once.
const MAKING: usize = 8;
/// The interval between rounds of upkeep, and between checks that the store works.
const UPKEEP: Duration = Duration::from_secs(5);
/// The bounds of the buckets for request durations in the operator's metrics, in seconds.
const SECONDS: [f64; 9] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0];
/// The longest wait for the store to confirm that it works.
const READY_PATIENCE: Duration = Duration::from_secs(5);

impl From<StoreError> for StorageError {
    fn from(fault: StoreError) -> Self {
        match fault {
            StoreError::Wrong(text) => Self::Refused(text),
            StoreError::Busy(text) | StoreError::Unsure(text) | StoreError::Broken(text) => Self::Unable(text),
        }
    }
}

/// Starts the threads of the service.
///
/// # Errors
/// If the system cannot start the threads.
pub fn runtime() -> Result<tokio::runtime::Runtime, StorageError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_name("office").build();
    runtime.map_err(|error| {
        StorageError::Unable(format!("cannot start the office's threads: {error}; allow it more threads"))
    })
}

/// Opens the configured store, which must exist.
///
/// # Errors
/// If the store is missing or damaged, or cannot be reached or locked.
pub async fn store(config: &Config, folder: &Path) -> Result<AnyStore, StorageError> {
    Ok(match config.postgres() {
        Some(url) => postgres::open(url, config.connections).await?,
        None => Arc::new(Sqlite::open(&folder.join(&config.database))?),
    })
}

/// Checks that the office can listen on its addresses. An address in use is valid, because an office is serving there.
///
/// # Errors
/// If the office cannot listen on an address. The error names the address.
pub fn check_addresses(config: &Config) -> Result<(), StorageError> {
    let operations = config.operations().ok().flatten();
    for address in std::iter::once(config.listen).chain(operations) {
        match std::net::TcpListener::bind(address) {
            Err(error) if error.kind() != ErrorKind::AddrInUse => return Err(unlistened(address, &error)),
            _ => {}
        }
    }
    Ok(())
}

fn unlistened(address: SocketAddr, error: &std::io::Error) -> StorageError {
    StorageError::Unable(format!(
        "the office cannot listen on {address}: {error}; set listen and operations to free addresses of this machine"
    ))
}

/// Returns the path of the file in which this machine records the letters that the office signed last.
#[must_use]
pub fn witness(config: &Config, folder: &Path) -> PathBuf {
    folder.join(&config.witness)
}

/// Opens the configured store for the office with this key, and checks it before the office signs anything.
///
/// # Errors
/// If the store is missing or belongs to another office, or has forgotten letters and cannot be marked as restored.
pub async fn own_store(config: &Config, folder: &Path, key: Hex32) -> Result<AnyStore, StorageError> {
    let store = store(config, folder).await?;
    check_owner(&store, key).await?;
    Ok(Arc::new(Witnessed::open(store, &witness(config, folder)).await?))
}

/// Checks that a store belongs to this key, so that nothing is served with a mistyped path or another office's key.
///
/// # Errors
/// If the store belongs to another key, or to none.
pub async fn check_owner(store: &AnyStore, key: Hex32) -> Result<(), StorageError> {
    check_is_owner(store.owner().await?.map(|owner| owner.key), key)
}

/// Checks that the owner that was read from a store is this key.
///
/// # Errors
/// If the owner is another key, or missing.
pub fn check_is_owner(owner: Option<Hex32>, key: Hex32) -> Result<(), StorageError> {
    match owner {
        Some(owner) if owner == key => Ok(()),
        Some(_) => Err(StorageError::Refused(
            "the database is another office's, and that office's key is not in this folder: set `database` to this \
             office's own database"
                .into(),
        )),
        None => Err(StorageError::Refused(NOBODYS.into())),
    }
}

/// A service that is listening but not yet serving.
pub struct Service {
    office: Office,
    listener: TcpListener,
    operations: Option<TcpListener>,
    handle: Option<PrometheusHandle>,
    drain: Duration,
    ending: watch::Sender<bool>,
}

impl Service {
    /// Binds the addresses of the service.
    ///
    /// # Errors
    /// If an address is taken, or the key cannot take deposits.
    pub async fn bind(config: &Config, store: AnyStore, keys: OwnKeys) -> Result<Self, StorageError> {
        let deposit = wrap::public(keys.deposit());
        let deposit = deposit.ok_or_else(|| {
            StorageError::Refused("this key cannot take deposits: restore the office's own key".into())
        })?;
        let bind = async |address: SocketAddr| {
            let listener = TcpListener::bind(address).await;
            listener.map_err(|error| unlistened(address, &error))
        };
        let listener = bind(config.listen).await?;
        let operations = match config.operations() {
            Ok(Some(address)) => Some(bind(address).await?),
            _ => None,
        };
        let (limits, key) = (config.limits(), Hex32(*keys.signing().public().as_bytes()));
        let (ending, ends) = watch::channel(false);
        let known = Keys::default();
        let office = Office {
            mailboxes: Arc::new(MailboxService::new(store, Arc::new(keys), config.bounds(), known.clone())),
            name: config.name.as_str().into(),
            key,
            deposit: Hex32(deposit),
            invitations: config.invitations.clone().into(),
            limits,
            known,
            streams: Quota::of(limits.streams, http::STREAMS_OF_A_KEY),
            streams_here: Quota::of(limits.streams, limits.streams_an_address),
            making: Arc::new(Semaphore::new(MAKING)),
            coming: Quota::of(limits.transit_bytes, limits.transit_bytes / TRANSIT_SHARES),
            going: Quota::of(limits.transit_bytes, limits.transit_bytes / TRANSIT_SHARES),
            ending: ends,
        };
        raise_files(limits.clients);
        let handle =
            PrometheusBuilder::new().set_buckets(&SECONDS).ok().and_then(|builder| builder.install_recorder().ok());
        Ok(Self { office, listener, operations, handle, drain: Duration::from_secs(config.drain_seconds), ending })
    }

    /// Returns the address for players.
    ///
    /// # Errors
    /// If the system does not report it.
    pub fn address(&self) -> Result<SocketAddr, StorageError> {
        self.listener.local_addr().map_err(|error| {
            StorageError::Unable(format!("cannot find out the office's address: {error}; restart the office"))
        })
    }

    /// Returns the address for the operator.
    #[must_use]
    pub fn operations(&self) -> Option<SocketAddr> {
        self.operations.as_ref().and_then(|listener| listener.local_addr().ok())
    }

    /// Serves until `end` resolves, then lets requests in progress finish but ends streams at once.
    ///
    /// # Errors
    /// If the store broke, so that the state of the disk is unknown.
    pub async fn serve(self, end: impl Future<Output = ()> + Send) -> Result<(), StorageError> {
        let store = Arc::clone(self.office.mailboxes.store());
        let (router, forget) = http::router(self.office.clone());
        let mailboxes = Arc::clone(&self.office.mailboxes);
        let mut helpers = vec![
            tokio::spawn(upkeep(self.handle.clone(), Arc::clone(&mailboxes), forget)),
            tokio::spawn(Arc::clone(&mailboxes).work_off()),
        ];
        if let Some(listener) = self.operations {
            let router = operations(self.handle, Arc::clone(&store));
            helpers.push(tokio::spawn(async move {
                let _ = axum::serve(listener, router).await;
            }));
        }
        helpers.push(tokio::spawn(pass_on(Arc::clone(&mailboxes))));
        let clients = Quota::of(self.office.limits.clients, self.office.limits.clients_an_address);
        let graceful = GracefulShutdown::new();
        let patience = Duration::from_secs(self.office.limits.body_seconds);
        let broken = broken(&store);
        tokio::pin!(end, broken);
        let ended = loop {
            tokio::select! {
                accepted = self.listener.accept() => {
                    // The client left at once, or no file is free to accept it. Other clients must still be served.
                    let Ok((stream, peer)) = accepted else {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        continue;
                    };
                    let Some(place) = clients.take(http::household(peer.ip()), 1) else {
                        metrics::counter!("sealed_dice_refused_connections_total").increment(1);
                        continue;
                    };
                    tokio::spawn(attend(stream, peer, router.clone(), patience, graceful.watcher(), place));
                }
                () = &mut end => break Ok(()),
                fault = &mut broken => break Err(fault),
            }
        };
        drop(self.listener);
        let _ = self.ending.send(true);
        // From now on, letters that wait for a turn are taken without one, and the next run works on them.
        mailboxes.pool().end();
        if tokio::time::timeout(self.drain, graceful.shutdown()).await.is_err() {
            tracing::warn!(
                "some requests did not finish in time and were cut off: set drain_seconds higher to wait longer"
            );
        }
        helpers.iter().for_each(tokio::task::JoinHandle::abort);
        ended
    }
}

/// Notifies waiting clients of letters that other processes have stored.
async fn pass_on(mailboxes: Arc<MailboxService>) {
    loop {
        let game = mailboxes.store().heard().await;
        mailboxes.notifier().tell(&game);
    }
}

/// Serves one connection until it ends; `place` is held for its client until then.
async fn attend(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    patience: Duration,
    watcher: Watcher,
    place: impl Send,
) {
    let _ = stream.set_nodelay(true);
    let service = router.layer(axum::Extension(ConnectInfo(peer)));
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_PATIENCE).max_buf_size(HEAD_BYTES);
    // If a client reads nothing of an answer for this long, it does not get the rest.
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(patience));
    let stream = TokioIo::new(Box::pin(stream));
    let connection = builder.serve_connection(stream, TowerToHyperService::new(service));
    let _ = watcher.watch(connection).await;
    drop(place);
}

/// Asks the system to allow as many open files as the largest number of clients needs.
fn raise_files(clients: usize) {
    let wanted = clients as u64 + OTHER_FILES;
    match rlimit::increase_nofile_limit(wanted) {
        Ok(files) if files < wanted => tracing::warn!(
            files,
            clients,
            "the system allows fewer open files than `clients` needs: raise LimitNOFILE, or set clients lower"
        ),
        Ok(_) => {}
        Err(error) => {
            tracing::warn!(%error, "cannot raise the limit of open files: raise LimitNOFILE, or set clients lower");
        }
    }
}

/// Runs the regular upkeep: forgets old clients, sums up samples, and sets the operator's gauges.
async fn upkeep(handle: Option<PrometheusHandle>, mailboxes: Arc<MailboxService>, forget: impl Fn() + Send + 'static) {
    loop {
        tokio::time::sleep(UPKEEP).await;
        forget();
        if let Err(fault) = mailboxes.look_around().await {
            tracing::warn!(%fault, "cannot find out the size of the store");
        }
        if let Some(handle) = &handle {
            handle.run_upkeep();
        }
        let load = mailboxes.pool().load();
        metrics::gauge!("sealed_dice_turns_waiting").set(load.waiting as f64);
        metrics::gauge!("sealed_dice_turns_working").set(load.working as f64);
        metrics::gauge!("sealed_dice_boxes_late").set(mailboxes.late() as f64);
        metrics::gauge!("sealed_dice_store_bytes").set(mailboxes.size() as f64);
        metrics::gauge!("sealed_dice_boxes").set(mailboxes.boxes() as f64);
    }
}

/// Writes one number to the store at intervals, and reports to the operator whether that works. Returns when the store
/// is broken: the process must not go on without knowing the state of the disk.
async fn broken(store: &AnyStore) -> StorageError {
    loop {
        let beat = beat(store).await;
        let set = |name: &'static str, is: bool| metrics::gauge!(name).set(f64::from(u8::from(is)));
        set("sealed_dice_writable", beat.is_ok());
        match beat {
            Ok(owner) => set("sealed_dice_restored", owner.restored),
            Err(StoreError::Broken(text)) => {
                return StorageError::Refused(format!(
                    "{text}; the office has stopped, because it cannot tell what is on the disk. \
                     Restart it with `sealed-dice office serve`"
                ));
            }
            Err(fault) => tracing::error!(%fault, "players can fetch letters, but the office takes no new ones"),
        }
        tokio::time::sleep(UPKEEP).await;
    }
}

async fn beat(store: &AnyStore) -> Stored<Owner> {
    let patience = tokio::time::timeout(READY_PATIENCE, store.beat()).await;
    patience.unwrap_or_else(|_| {
        Err(StoreError::Busy("the store did not answer in time: check the database and its disk".into()))
    })
}

/// Makes the routes for the operator's tools.
fn operations(handle: Option<PrometheusHandle>, store: AnyStore) -> Router {
    let ready = async |State(store): State<AnyStore>| match beat(&store).await {
        // A restored office is ready, because players must still be able to leave their letters.
        Ok(owner) if owner.restored => (StatusCode::OK, RESTORED.to_owned() + "\n"),
        Ok(_) => (StatusCode::OK, "ready\n".to_owned()),
        Err(fault) => (StatusCode::SERVICE_UNAVAILABLE, format!("{fault}\n")),
    };
    let metrics = async move || handle.as_ref().map(PrometheusHandle::render).unwrap_or_default();
    Router::new()
        .route("/healthz", get(async || "alive\n"))
        .route("/metrics", get(metrics))
        .route("/readyz", get(ready))
        .with_state(store)
}

/// Starts the log in the configured format, on standard error.
pub fn log(how: Log) {
    let lines =
        tracing_subscriber::fmt().with_writer(std::io::stderr).with_target(false).with_max_level(tracing::Level::INFO);
    // A second call, in a test, has no effect.
    let _ = match how {
        Log::Lines => lines.with_ansi(false).try_init(),
        Log::Json => lines.json().try_init(),
    };
}

/// Listens from now on for the signals that end the office, and returns a future that waits for one. It listens at once
/// because a signal may come as soon as the office reports that it serves.
pub fn ended_by_signal() -> impl Future<Output = ()> + Send {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
        async move {
            match signals {
                (Ok(mut terminate), Ok(mut interrupt)) => {
                    tokio::select! {
                        _ = terminate.recv() => {}
                        _ = interrupt.recv() => {}
                    }
                }
                _ => drop(tokio::signal::ctrl_c().await),
            }
        }
    }
    #[cfg(not(unix))]
    async {
        let _ = tokio::signal::ctrl_c().await;
    }
}
