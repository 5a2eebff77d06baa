//! Texts about the key, its backup page and fingerprints.

pub(in crate::desk) const BACKUP: &str = "Backup page";
pub(in crate::desk) const BACKUP_PASSPHRASE: &str = "Passphrase, for the backup page";
pub(in crate::desk) const BACKUP_WHY: &str = "Print this page and keep it with your important papers. It restores your key if you \
                                     lose this computer. Anyone who has it can sign as you.";
pub(in crate::desk) const COMPARE: &str = "Compare a fingerprint";
pub(in crate::desk) const COMPARE_WHY: &str =
    "Ask your opponent by phone to read you the fingerprint of their key, and type it here.";
pub(in crate::desk) const DEPOSIT_KEY_WHY: &str = "Players who want you to be their referee or their office by mail need your \
                                          public key and this deposit key.";
pub(in crate::desk) const FINGERPRINT: &str = "Fingerprint";
pub(in crate::desk) const FOR_A_REFEREE: &str = "If you are a referee or an office: your deposit key";
pub(in crate::desk) const KEY_UNREADABLE: &str =
    "Your key file cannot be read. Move it to another folder: then this page restores the key from your backup page.";
pub(in crate::desk) const LOCK: &str = "Lock the key";
pub(in crate::desk) const LOCKED: &str = "locked";
pub(in crate::desk) const MAKE_KEY: &str = "Make my key";
pub(in crate::desk) const MAKE_KEY_TITLE: &str = "A new key";
pub(in crate::desk) const NEW_KEY_WHY: &str = "You need a key to play: it signs your letters and seals your dice. Choose a \
                                      passphrase of four words or more. Nobody can tell you what it was if you forget it.";
pub(in crate::desk) const NEW_PASSPHRASE: &str = "New passphrase";
pub(in crate::desk) const NEW_PASSPHRASE_AGAIN: &str = "The same passphrase again";
pub(in crate::desk) const NOTE_COMPARED: &str = "Compare";
pub(in crate::desk) const NO_KEY: &str = "no key yet";
pub(in crate::desk) const NO_PASSPHRASE: &str = "not locked: it has no passphrase";
pub(in crate::desk) const PASSPHRASE: &str = "Passphrase";
pub(in crate::desk) const PASSPHRASES_DIFFER: &str = "the two passphrases differ, so no key was made; type both again";
pub(in crate::desk) const PUBLIC_KEY: &str = "Public key";
pub(in crate::desk) const RESTORE_CODE: &str =
    "The fourteen groups from your backup page, or the whole text of the page";
pub(in crate::desk) const RESTORE_FILE: &str = "Or choose the page, if you saved it";
pub(in crate::desk) const RESTORE_KEY: &str = "Restore my key";
pub(in crate::desk) const RESTORE_TITLE: &str = "You have a backup page";
pub(in crate::desk) const RESTORE_TOO_LONG: &str =
    "This is too long for a backup page. Choose the file with your page.";
pub(in crate::desk) const RESTORE_WHY: &str = "If you have played before, do not make a new key: it cannot go on with your games. \
                                      Type the groups from your backup page instead, in upper or lower case.";
pub(in crate::desk) const RESTORED: &str = "Your key is back";
pub(in crate::desk) const RESTORED_THEN: [&str; 4] = [
    "Compare the fingerprint with the one on your backup page. It must be the same.",
    "Get your games back: read every mail that you still have from your games, including the mails that you sent.",
    "Ask your opponent to choose “Show a mail with every letter of the game” and send you that mail. Read it too.",
    "The page of each game then tells you what to do next. Sign nothing before it says that you may.",
];
pub(in crate::desk) const READ_IT_ALOUD: &str = "One of you proposes the game: the other mails them their public key. Then \
                                        read each other the fingerprints by phone, and type your opponent's when you \
                                        propose or accept the game.";
pub(in crate::desk) const SHOW_BACKUP: &str = "Show the backup page (in a new tab)";
pub(in crate::desk) const THEIR_FINGERPRINT: &str = "Their fingerprint";
pub(in crate::desk) const UNLOCK: &str = "Unlock";
pub(in crate::desk) const UNLOCK_TITLE: &str = "Your key is locked";
pub(in crate::desk) const UNLOCK_FIRST: &str = "Unlock your key to see it.";
pub(in crate::desk) const UNLOCK_WHY: &str = "Type your passphrase once for this sitting. The desk forgets the key after 20 minutes \
                                     without a click, or when you lock it.";
pub(in crate::desk) const YOUR_KEY: &str = "Your key";
