//! The key file (`protocol/key-file.md`): a text that explains itself and holds one root secret, which is encrypted if
//! the player chose a passphrase.

use std::{
    fmt::Write as _,
    fs::File,
    io::{self, Read},
    path::Path,
};

use super::{
    StorageError, atomic,
    home::check_private,
    random,
    root::{Keys, Root},
};
use crate::{
    blob::{
        body::Hex32,
        frame::{FORMAT, another_format},
    },
    error::{Class, Error, Result},
    limits::KEY_FILE_BYTES,
    primitive::{
        cipher,
        hash::{h, tag},
        passphrase::{Cost, Passphrase, stretch},
        secret::{Secret, SecretText, Wiped, same},
        sign::PublicKey,
    },
};

/// The first line of a key file, for anyone who opens it by chance.
const WARNING: &str = "SECRET: a sealed-dice key. Never mail it, never paste it anywhere, never show it to anybody.";
const BEGIN: &str = "-----BEGIN SEALED DICE SECRET KEY FILE-----";
const END: &str = "-----END SEALED DICE SECRET KEY FILE-----";

/// The minimum number of characters in a new passphrase.
pub const FEWEST: usize = 8;
/// The maximum number of digits in a number of the file.
const NUMBER_DIGITS: usize = 9;
/// The length of an encrypted root secret with the cipher's tag, in bytes.
const SEALED_BYTES: usize = 48;

/// Checks that a new passphrase is long enough.
///
/// # Errors
/// `Refused` if it is too short.
pub fn check_new(passphrase: &Passphrase) -> Result<(), StorageError> {
    match passphrase.length() {
        ..FEWEST => Err(StorageError::Refused(format!(
            "a passphrase must have at least {FEWEST} characters; choose four words or more that nobody would guess"
        ))),
        _ => Ok(()),
    }
}

/// The content of a key file. Its root secret is still encrypted, unless the file has no passphrase.
#[derive(Clone, Debug)]
pub struct KeyFile {
    public: PublicKey,
    lock: Lock,
}

#[derive(Clone, Debug)]
enum Lock {
    Open(Root),
    Passphrase { cost: Cost, salt: [u8; 32], sealed: Vec<u8> },
}

impl KeyFile {
    /// Reads a key file. No passphrase is needed for its public key.
    ///
    /// # Errors
    /// `Unable` if the file is missing or cannot be read; `Refused` if others can read it, or if it is damaged.
    pub fn open(path: &Path) -> Result<Self, StorageError> {
        if !path.exists() {
            return Err(StorageError::Unable(format!(
                "there is no key at {}; make one with:  sealed-dice key new\n\
                 or restore yours from its page:  sealed-dice key restore",
                path.display()
            )));
        }
        check_private(path)?;
        let text = read(path).map_err(|error| StorageError::with(path, "read", &error))?;
        Self::parse(text.expose()).map_err(|error| {
            StorageError::Refused(format!(
                "{} is not a valid key file: {error}; put a copy of the file in its place, or use your backup page \
                 (sealed-dice key restore)",
                path.display()
            ))
        })
    }

    /// Writes a new key file, and never overwrites another file. Without a passphrase, anyone who can read the file has
    /// the key.
    ///
    /// # Errors
    /// `Refused` if the path exists already; `Unable` if the file cannot be written.
    pub fn create(path: &Path, root: Root, passphrase: Option<&Passphrase>) -> Result<Self, StorageError> {
        Self::create_at_cost(path, root, passphrase, Cost::NEW)
    }

    /// Writes a new key file like [`KeyFile::create`], with a given cost for each try at the passphrase.
    ///
    /// # Errors
    /// Same errors as [`KeyFile::create`].
    pub fn create_at_cost(
        path: &Path,
        root: Root,
        passphrase: Option<&Passphrase>,
        cost: Cost,
    ) -> Result<Self, StorageError> {
        let sealed = |error: Error| StorageError::Unable(error.to_string());
        let file = match passphrase {
            None => Self { public: root.keys().signing().public(), lock: Lock::Open(root) },
            Some(passphrase) => {
                let Hex32(salt) = random::fresh()?;
                let stretched = stretch(passphrase, &salt, cost).map_err(sealed)?;
                Self::seal(&root, &stretched, salt, cost).map_err(sealed)?
            }
        };
        match atomic::write_new(path, file.text().expose().as_bytes(), true) {
            Ok(()) => Ok(file),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(already_there(path)),
            Err(error) => Err(StorageError::with(path, "written", &error)),
        }
    }

    /// Encrypts a root secret with a stretched passphrase (key-file 5, 6).
    ///
    /// # Errors
    /// Class `fields` if the cost is beyond the limits.
    pub fn seal(root: &Root, stretched: &Secret, salt: [u8; 32], cost: Cost) -> Result<Self> {
        let lock = Lock::Passphrase { cost: cost.check()?, salt, sealed: Vec::new() };
        let mut file = Self { public: root.keys().signing().public(), lock };
        let closed = cipher::seal(Self::cipher_key(stretched).expose(), file.header().as_bytes(), root.expose())?;
        if let Lock::Passphrase { sealed, .. } = &mut file.lock {
            *sealed = closed;
        }
        Ok(file)
    }

    /// Derives the key of the cipher from the stretched passphrase (key-file 5).
    #[must_use]
    pub fn cipher_key(stretched: &Secret) -> Secret {
        Secret::new(h(tag::KEY_FILE, &[stretched.expose()]))
    }

    /// Returns the public signing key, by which other players know this player.
    #[must_use]
    pub fn public(&self) -> Hex32 {
        Hex32(*self.public.as_bytes())
    }

    /// Returns the fingerprint of the public key, which players compare over the phone (message 7).
    #[must_use]
    pub fn fingerprint(&self) -> String {
        self.public.fingerprint()
    }

    /// Whether the key file needs a passphrase.
    #[must_use]
    pub const fn is_protected(&self) -> bool {
        matches!(self.lock, Lock::Passphrase { .. })
    }

    /// Unlocks the keys. If no passphrase is needed, a given one is ignored.
    ///
    /// # Errors
    /// `Refused` if the passphrase is wrong; `Unable` if a passphrase is needed but was not given.
    pub fn unlock(&self, passphrase: Option<&Passphrase>) -> Result<Keys, StorageError> {
        Ok(self.root(passphrase)?.keys())
    }

    /// Returns the root secret, for a backup.
    ///
    /// # Errors
    /// Same errors as [`KeyFile::unlock`].
    pub fn root(&self, passphrase: Option<&Passphrase>) -> Result<Root, StorageError> {
        match (&self.lock, passphrase) {
            (Lock::Open(root), _) => Ok(root.clone()),
            (Lock::Passphrase { .. }, None) => {
                Err(StorageError::Unable("the key is locked; give its passphrase".into()))
            }
            (Lock::Passphrase { cost, salt, .. }, Some(passphrase)) => {
                let stretched =
                    stretch(passphrase, salt, *cost).map_err(|error| StorageError::Unable(error.to_string()))?;
                self.root_by(&stretched).map_err(|error| StorageError::Refused(error.to_string()))
            }
        }
    }

    /// Decrypts the root secret with a passphrase that was stretched already (key-file 6, 7).
    ///
    /// # Errors
    /// Class `rule` if the passphrase does not open the file; `Misuse` if the file has no passphrase.
    pub fn root_by(&self, stretched: &Secret) -> Result<Root> {
        let Lock::Passphrase { sealed, .. } = &self.lock else {
            return Err(Error::Misuse("the key file has no passphrase".into()));
        };
        let opened =
            cipher::open(Self::cipher_key(stretched).expose(), self.header().as_bytes(), sealed).map(Wiped::new);
        let root =
            opened.and_then(|bytes| Some(Root::new(Secret::new(*Wiped::new(bytes.as_slice().try_into().ok()?)))));
        root.filter(|root| root.keys().signing().public() == self.public).ok_or_else(|| {
            Error::Refused(
                "the passphrase does not open the key: it was mistyped (is Caps Lock on?), or the file was altered; \
                 try again"
                    .into(),
            )
        })
    }

    /// Returns the lines that the cipher authenticates (key-file 6).
    fn header(&self) -> String {
        self.lock.header(self.public())
    }

    /// Returns the text of the whole file.
    #[must_use]
    pub fn text(&self) -> SecretText {
        self.lock.text(self.public())
    }

    /// Parses the text of a key file. The text is accepted only if writing it again gives the same text; CR LF line
    /// ends are allowed.
    ///
    /// # Errors
    /// Class `size`, `fields`, `armour` or `key`; class `rule` if the secret in a file without a passphrase does not
    /// match its public key (key-file 4, 7).
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() > KEY_FILE_BYTES {
            return Err(Error::malformed(Class::Size, "it is too long for a key file"));
        }
        let text = Wiped::new(text.replace("\r\n", "\n"));
        let version =
            text.lines().skip_while(|line| *line != BEGIN).nth(1).and_then(|line| line.strip_prefix("version "));
        if let Some(version) = version.filter(|version| *version != FORMAT.to_string()) {
            return Err(Error::malformed(
                Class::Fields,
                match version.parse::<u64>() {
                    Ok(format) => another_format("it", format),
                    Err(_) => "its line `version` does not have a number".to_owned(),
                },
            ));
        }
        let (public, lock) = Lock::read(&text)
            .filter(|(public, lock)| same(lock.text(*public).expose().as_bytes(), text.as_bytes()))
            .ok_or_else(|| Error::malformed(Class::Armour, "lines are missing or were changed"))?;
        if let Lock::Passphrase { cost, .. } = &lock {
            cost.check()?;
        }
        let file = Self { public: PublicKey::parse(&public.0)?, lock };
        match &file.lock {
            Lock::Open(root) if root.keys().signing().public() != file.public => {
                Err(Error::Refused("its secret does not match its public key".into()))
            }
            _ => Ok(file),
        }
    }
}

impl Lock {
    /// Reads the fields after the BEGIN line. Returns `None` if a field cannot be read.
    fn read(text: &str) -> Option<(Hex32, Self)> {
        let mut lines = text.lines().skip_while(|line| *line != BEGIN).skip(2);
        let mut field = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        let public = Hex32::parse(field("public")?)?;
        let asked = field("passphrase")?;
        if asked == "none" {
            let root = Wiped::new(Hex32::parse(field("root")?)?.0);
            return Some((public, Self::Open(Root::new(Secret::new(*root)))));
        }
        let words: Vec<&str> = asked.split(' ').collect();
        let ["argon2id", "memory", memory, "passes", passes, "lanes", lanes, "salt", salt] = words.as_slice() else {
            return None;
        };
        let number = |text: &str| text.parse().ok().filter(|number| *number > 0 && text.len() <= NUMBER_DIGITS);
        let cost = Cost { memory: number(memory)?, passes: number(passes)?, lanes: number(lanes)? };
        let sealed = hex::decode(field("sealed")?).ok().filter(|sealed| sealed.len() == SEALED_BYTES)?;
        Some((public, Self::Passphrase { cost, salt: Hex32::parse(salt)?.0, sealed }))
    }

    fn header(&self, public: Hex32) -> String {
        let how = match self {
            Self::Open(_) => "none".to_owned(),
            Self::Passphrase { cost: Cost { memory, passes, lanes }, salt, .. } => {
                format!("argon2id memory {memory} passes {passes} lanes {lanes} salt {}", hex::encode(salt))
            }
        };
        format!("version 1\npublic {public}\npassphrase {how}\n")
    }

    fn text(&self, public: Hex32) -> SecretText {
        let mut text = String::with_capacity(1024); // growing would leave a copy behind
        let _ = write!(text, "{WARNING}\n\n{BEGIN}\n{}", self.header(public));
        let (name, secret) = match self {
            Self::Open(root) => ("root", Wiped::new(hex::encode(root.expose()))),
            Self::Passphrase { sealed, .. } => ("sealed", Wiped::new(hex::encode(sealed))),
        };
        let _ = writeln!(text, "{name} {}\n{END}", *secret);
        SecretText::new(text)
    }
}

/// Returns the error for a path that exists already and so cannot be written.
pub(crate) fn already_there(path: &Path) -> StorageError {
    StorageError::Refused(format!(
        "{} exists already, and nothing is overwritten; name another place, such as another --home DIR for a second \
         player on this computer",
        path.display()
    ))
}

/// Reads a file as text, up to one byte more than a key file may have.
fn read(path: &Path) -> io::Result<SecretText> {
    let mut bytes = Wiped::new(Vec::with_capacity(KEY_FILE_BYTES + 2));
    File::open(path)?.take(KEY_FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(SecretText::new(String::from_utf8_lossy(&bytes).into_owned()))
}
