//! Runs the desk: listens on loopback, and opens the browser at the first page.

use std::{io::Write, net::Ipv4Addr, path::Path, sync::Arc, time::Duration};

use axum::{
    Router,
    body::to_bytes,
    extract::{DefaultBodyLimit, Path as UrlPath, Query, State},
    http::{StatusCode, header::CONTENT_SECURITY_POLICY},
    middleware,
    response::{Html, IntoResponse, Redirect, Response},
    routing::{get, post},
};
use serde::Deserialize;
use tokio::net::TcpListener;

use super::{
    ask, fields::Fields, guard, listen::listen, pages, sitting::IDLE, state::Desk, texts, upload, verb::Verb, watch,
};
use crate::keep::{StorageError, home::Home, random};

/// Time that work in progress gets to finish when the desk is to end.
const LAST_WORK: Duration = Duration::from_secs(2);

/// Runs the desk until it is stopped. `opens` hands a file that leads to the first page to the browser; `tell` gets the
/// path of that file.
///
/// # Errors
/// If no address of loopback is free, or the file that leads to the first page cannot be written.
pub fn serve(home: Home, opens: bool, tell: &mut dyn FnMut(&Path)) -> Result<(), StorageError> {
    // A core dump would contain the key and the passphrase.
    #[cfg(unix)]
    let _ = rlimit::setrlimit(rlimit::Resource::CORE, 0, 0);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(unable)?;
    let served = runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(unable)?;
        let address = listener.local_addr().map_err(unable)?;
        let token = hex::encode(random::secret()?.expose());
        let desk = Arc::new(Desk::new(home, address, token));
        // The file has mode 600, or lies in the user's own temporary folder on Windows, and disappears with the desk: no
        // other user reads the secret in it, and no list of processes shows it.
        let entrance = entrance(&desk).map_err(unable)?;
        tell(&entrance);
        if opens {
            // Without a browser the file is opened by hand.
            let _ = open::that_detached(&entrance);
        }
        tokio::spawn(forget_idle(Arc::clone(&desk)));
        let ended = async {
            stopped().await;
            // First of all: whatever happens to open connections, the key and the way in are gone.
            desk.sitting.lock();
            desk.results.forget();
            drop(entrance);
        };
        listen(listener, router(Arc::clone(&desk)), ended).await;
        Ok(())
    });
    // What is being signed may finish.
    runtime.shutdown_timeout(LAST_WORK);
    served
}

fn unable(error: std::io::Error) -> StorageError {
    StorageError::Unable(format!("the desk cannot run: {error}; use the commands instead, or try again"))
}

/// Waits until the desk is to stop: by Ctrl-C, by a signal that asks a program to end or says that its terminal is gone
/// or, on Windows, because somebody closed its window. Windows then leaves the program five seconds.
async fn stopped() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let signals = (signal(SignalKind::terminate()), signal(SignalKind::hangup()));
        if let (Ok(mut terminate), Ok(mut hangup)) = signals {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
            return;
        }
    }
    #[cfg(windows)]
    if let Ok(mut closed) = tokio::signal::windows::ctrl_close() {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = closed.recv() => {}
        }
        return;
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// Forgets the key when the desk has been idle, also if no request comes any more.
async fn forget_idle(desk: Arc<Desk>) {
    loop {
        tokio::time::sleep(IDLE / 20).await;
        let _ = desk.sitting.is_open();
        desk.results.forget_old();
    }
}

/// Writes the file that leads a browser to the first page, and closes it: on Windows some programs cannot read a file
/// that is open for writing.
fn entrance(desk: &Desk) -> std::io::Result<tempfile::TempPath> {
    let mut file = tempfile::Builder::new().prefix("sealed-dice-").suffix(".html").tempfile()?;
    file.write_all(pages::entrance(&desk.entrance()).into_string().as_bytes())?;
    file.flush()?;
    Ok(file.into_temp_path())
}

/// A page of a game.
#[derive(Deserialize)]
struct OfGame {
    game: String,
}

/// An action in a game.
#[derive(Deserialize)]
struct InGame {
    game: String,
    verb: String,
}

/// A part of a path after the secret.
#[derive(Deserialize)]
struct Named {
    name: String,
}

type Shared = State<Arc<Desk>>;
type Asked = Query<Vec<(String, String)>>;

fn router(desk: Arc<Desk>) -> Router {
    let pages = Router::new()
        .route("/", get(async |State(desk): Shared| work(desk, pages::games::page).await))
        .route("/desk.css", get(async || css()))
        .route("/desk.js", get(async || ([("content-type", "text/javascript")], include_str!("desk.js"))))
        .route("/key", get(async |State(desk): Shared| work(desk, pages::key::page).await))
        .route("/key/{name}", post(key))
        .route("/done/{name}", get(done))
        .route("/read", post(read))
        .route("/new", get(new_form).post(new_answers))
        .route("/do/{name}", post(outside))
        .route("/save", post(save))
        .route("/help/{name}", get(help))
        .route("/game/{game}", get(game))
        .route("/game/{game}/hand", get(hand))
        .route("/game/{game}/journal", get(journal))
        .route("/game/{game}/report", get(report))
        .route("/game/{game}/statistics", get(statistics))
        .route("/game/{game}/terms", get(terms))
        .route("/game/{game}/worksheet", post(worksheet))
        .route("/game/{game}/watch", post(look))
        .route("/game/{game}/{verb}", get(form).post(act));
    Router::new()
        .nest("/{token}", pages.clone())
        .route("/{token}/", get(async |State(desk): Shared| work(desk, pages::games::page).await))
        .layer(middleware::from_fn_with_state(Arc::clone(&desk), guard::guard))
        .layer(DefaultBodyLimit::max(upload::MOST))
        .with_state(desk)
}

fn css() -> impl IntoResponse {
    let style = concat!(include_str!("../report/html/style.css"), include_str!("desk.css"));
    ([("content-type", "text/css")], style)
}

/// Makes a page on a thread that may wait for files and for the passphrase's work.
async fn work(desk: Arc<Desk>, make: impl FnOnce(&Desk) -> Response + Send + 'static) -> Response {
    match tokio::task::spawn_blocking(move || make(&desk)).await {
        Ok(response) => response,
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, texts::FAULT).into_response(),
    }
}

/// Makes the page that answers a form, and sends the browser on to it.
async fn answer(desk: Arc<Desk>, make: impl FnOnce(&Desk) -> Response + Send + 'static) -> Response {
    let response = work(Arc::clone(&desk), make).await;
    // Pages with a policy of their own hold secrets or are made for print: they are shown once.
    if response.status() != StatusCode::OK || response.headers().contains_key(CONTENT_SECURITY_POLICY) {
        return response;
    }
    let Ok(bytes) = to_bytes(response.into_body(), usize::MAX).await else {
        return (StatusCode::INTERNAL_SERVER_ERROR, texts::FAULT).into_response();
    };
    match desk.results.hold(String::from_utf8_lossy(&bytes).into_owned()) {
        Ok(number) => Redirect::to(&desk.path(&["done", &number.to_string()])).into_response(),
        Err(page) => Html(page).into_response(),
    }
}

async fn done(State(desk): Shared, UrlPath(Named { name }): UrlPath<Named>) -> Response {
    match desk.results.page(&name) {
        Some(page) => Html(page).into_response(),
        None => work(desk, pages::missing).await,
    }
}

async fn key(State(desk): Shared, UrlPath(Named { name }): UrlPath<Named>, fields: Fields) -> Response {
    answer(desk, move |desk| pages::key::act(desk, &name, &fields)).await
}

async fn read(State(desk): Shared, fields: Fields) -> Response {
    answer(desk, move |desk| pages::received::read(desk, &fields)).await
}

async fn new_form(State(desk): Shared, Query(asked): Asked) -> Response {
    work(desk, move |desk| pages::new_game::page(desk, &fields(&asked))).await
}

async fn new_answers(State(desk): Shared, fields: Fields) -> Response {
    answer(desk, move |desk| pages::new_game::answered(desk, &fields)).await
}

async fn outside(State(desk): Shared, UrlPath(Named { name }): UrlPath<Named>, fields: Fields) -> Response {
    answer(desk, move |desk| match Verb::parse(&name) {
        Some(verb) => ask::act(desk, None, verb, &fields),
        None => pages::missing(desk),
    })
    .await
}

async fn save(fields: Fields) -> Response {
    pages::mail::save(&fields)
}

async fn help(State(desk): Shared, UrlPath(Named { name }): UrlPath<Named>) -> Response {
    work(desk, move |desk| pages::help::page(desk, &name)).await
}

async fn game(State(desk): Shared, UrlPath(OfGame { game }): UrlPath<OfGame>) -> Response {
    work(desk, move |desk| pages::game::page(desk, &game)).await
}

async fn hand(State(desk): Shared, UrlPath(OfGame { game }): UrlPath<OfGame>) -> Response {
    work(desk, move |desk| pages::hand::page(desk, &game)).await
}

async fn journal(State(desk): Shared, UrlPath(OfGame { game }): UrlPath<OfGame>) -> Response {
    work(desk, move |desk| pages::journal::page(desk, &game)).await
}

async fn terms(State(desk): Shared, UrlPath(OfGame { game }): UrlPath<OfGame>) -> Response {
    work(desk, move |desk| pages::terms::page(desk, &game)).await
}

async fn report(State(desk): Shared, UrlPath(OfGame { game }): UrlPath<OfGame>) -> Response {
    work(desk, move |desk| pages::report::page(desk, &game)).await
}

async fn statistics(State(desk): Shared, UrlPath(OfGame { game }): UrlPath<OfGame>) -> Response {
    work(desk, move |desk| pages::report::statistics(desk, &game)).await
}

async fn worksheet(State(desk): Shared, UrlPath(OfGame { game }): UrlPath<OfGame>, fields: Fields) -> Response {
    work(desk, move |desk| pages::worksheet::part(desk, &game, &fields)).await
}

async fn look(State(desk): Shared, UrlPath(OfGame { game }): UrlPath<OfGame>) -> Response {
    work(desk, move |desk| watch::look(desk, &game)).await
}

async fn form(State(desk): Shared, UrlPath(InGame { game, verb }): UrlPath<InGame>, Query(asked): Asked) -> Response {
    work(desk, move |desk| match Verb::parse(&verb) {
        Some(verb) => pages::form::page(desk, Some(&game), verb, &fields(&asked), None),
        None => pages::missing(desk),
    })
    .await
}

async fn act(State(desk): Shared, UrlPath(InGame { game, verb }): UrlPath<InGame>, fields: Fields) -> Response {
    answer(desk, move |desk| match Verb::parse(&verb) {
        Some(verb) => ask::act(desk, Some(&game), verb, &fields),
        None => pages::missing(desk),
    })
    .await
}

fn fields(asked: &[(String, String)]) -> Fields {
    Fields::of(asked.iter().map(|(name, value)| (name.as_str(), value.clone())))
}
