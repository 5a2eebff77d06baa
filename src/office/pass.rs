//! Passes, with which a reader proves that they may read a box (`protocol/post.md` 6, 7).

use serde::{Deserialize, Serialize};

use crate::{
    blob::{Hex32, Keys, json},
    error::{Class, Error, Result},
    primitive::sign::{PrivateKey, signed_bytes},
    rule::Rule,
};

/// The type that is signed with a pass, so that no pass can be mistaken for a letter, and no letter for a pass.
const TYPE: &str = "sealed-dice/v1/pass";
/// The longest validity of a pass, in seconds: a day.
pub const LONGEST: u64 = 86_400;
/// The maximum length of a pass in the header, in bytes, after the word `Pass`.
const BYTES: usize = 1024;
/// The word before a pass in the header `Authorization`.
const SCHEME: &str = "Pass ";

/// A pass, with its fields in the order of the canonical encoding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pass {
    /// The public key of the reader that the pass is for.
    pub key: Hex32,
    /// The key of the office that the pass is for.
    pub office: Hex32,
    /// The time when the pass expires, in seconds since 1970.
    pub until: u64,
}

impl Pass {
    /// Signs a pass and returns the header's value.
    ///
    /// # Errors
    /// Only if encoding fails, which cannot happen for this type.
    pub fn sign(office: Hex32, until: u64, key: &PrivateKey) -> Result<String> {
        let pass = Self { key: Hex32(*key.public().as_bytes()), office, until };
        let line = json::encode(&pass)?;
        let signature = key.sign(&signed_bytes(TYPE, line.as_bytes()));
        Ok(format!("{SCHEME}{}.{}", hex::encode(line.as_bytes()), hex::encode(signature)))
    }

    /// Reads the pass in a header, and checks that it is valid for an office's key at this time.
    ///
    /// # Errors
    /// Class `frame`, `json`, `canonical` or `fields` if the form of the pass is wrong; `key` or `signature` if its key
    /// or its signature is; a breach of post 6 or 7 if the pass is for another time or another office.
    pub fn read(header: &str, office: Hex32, now: u64, known: &Keys) -> Result<Self> {
        let form = || {
            Error::malformed(
                Class::Frame,
                "a pass must be the word Pass, its line in hex, a full stop and the signature in hex",
            )
        };
        let held = header.strip_prefix(SCHEME).filter(|held| held.len() <= BYTES).ok_or_else(form)?;
        let (line, signature) = held.split_once('.').ok_or_else(form)?;
        let line = hex::decode(line).map_err(|_| form())?;
        let signature: [u8; 64] =
            hex::decode(signature).ok().and_then(|bytes| bytes.try_into().ok()).ok_or_else(form)?;
        let pass: Self = json::read(&json::parse_canonical(&line)?)?;
        known.check(&pass.key.0)?.verify(&signed_bytes(TYPE, &line), &signature)?;
        if pass.office != office {
            return Err(Error::breach(Rule::Post7, "the pass is for another office: sign one for this office"));
        }
        match pass.until {
            until if until < now => {
                Err(Error::breach(Rule::Post6, "the pass has expired: sign a new one, and check your machine's clock"))
            }
            until if until > now.saturating_add(LONGEST) => {
                Err(Error::breach(Rule::Post6, "the pass lasts too long: check your machine's clock"))
            }
            _ => Ok(pass),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitive::secret::Secret;

    const OFFICE: Hex32 = Hex32([7; 32]);

    fn key() -> PrivateKey {
        PrivateKey::from_seed(&Secret::new([1; 32]))
    }

    #[test]
    fn a_pass_is_for_one_key_one_office_and_one_day() {
        let owner = Hex32(*key().public().as_bytes());
        let header = Pass::sign(OFFICE, 1_000, &key()).expect("a pass");
        assert_eq!(Pass::read(&header, OFFICE, 999, &Keys::default()).map(|pass| pass.key), Ok(owner));
        assert_eq!(Pass::read(&header, OFFICE, 1_000, &Keys::default()).map(|pass| pass.key), Ok(owner));
        for (office, now, told) in [(OFFICE, 1_001, "expired"), (Hex32([8; 32]), 999, "another office")] {
            let error = Pass::read(&header, office, now, &Keys::default()).expect_err("refused");
            assert!(error.to_string().contains(told), "{error}");
        }
        let long = Pass::sign(OFFICE, LONGEST + 1, &key()).expect("a pass");
        assert!(Pass::read(&long, OFFICE, 0, &Keys::default()).is_err());
    }

    #[test]
    fn no_letter_is_a_pass() {
        let line =
            format!("{{\"key\":\"{}\",\"office\":\"{OFFICE}\",\"until\":5}}", hex::encode(key().public().as_bytes()));
        let as_letter = key().sign(&signed_bytes("sealed-dice/v1", line.as_bytes()));
        let header = format!("Pass {}.{}", hex::encode(&line), hex::encode(as_letter));
        let error = Pass::read(&header, OFFICE, 1, &Keys::default()).expect_err("refused");
        assert_eq!(error.class(), Class::Signature);
    }

    #[test]
    fn every_other_form_is_refused() {
        let good = Pass::sign(OFFICE, 5, &key()).expect("a pass");
        assert!(Pass::read(&good, OFFICE, 1, &Keys::default()).is_ok());
        let blank = hex::encode(format!(
            "{{ \"key\":\"{}\",\"office\":\"{OFFICE}\",\"until\":5}}",
            hex::encode(key().public().as_bytes())
        ));
        let signature = good.rsplit('.').next().unwrap_or_default().to_owned();
        let bad = [
            String::new(),
            "Bearer x".into(),
            "Pass ".into(),
            "Pass zz.zz".into(),
            good.replace('.', ""),
            good[..good.len() - 2].to_owned(),
            format!("Pass {blank}.{signature}"),
            format!("Pass {}", "00".repeat(4096)),
        ];
        for header in bad {
            assert!(Pass::read(&header, OFFICE, 1, &Keys::default()).is_err(), "{header}");
        }
    }
}
