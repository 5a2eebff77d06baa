#!/usr/bin/env python3
"""Mails as Python's own mail software writes them, with a letter in each: mangle.py LETTERS OUT.

LETTERS is a file of letters in their armour. Each file or folder in OUT is one case. Its name says what must be found:
`one-..` the first letter and nothing else, `all-..` every letter and nothing else, `bad-..` one letter that is refused,
`two-..` the first letter, and one that is refused.
"""

import email.base64mime
import email.policy
import html
import mailbox
import os
import re
import sys
import textwrap
from email.message import EmailMessage
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart

LETTERS = re.findall("-----BEGIN.*?-----END[^\n]*\n", open(sys.argv[1]).read(), re.S)
LETTER = LETTERS[0]
OUT = sys.argv[2]
HELLO = "Hello Ann,\n\nhere is my set. Good luck at the bridge!\n\n"
BYE = "\nYours, Bob\n-- \nBob Miller\nTel. 555-0100\n"
CRLF = email.policy.SMTP


def write(name, content):
    if hasattr(content, "as_bytes"):
        content = content.as_bytes()
    if isinstance(content, str):
        content = content.encode()
    with open(os.path.join(OUT, name), "wb") as file:
        file.write(content)


def mail(body=None, subject="turn 4", policy=email.policy.default, **how):
    message = EmailMessage(policy=policy)
    message["From"] = "Bob Miller <bob@example.org>"
    message["To"] = "Ann <ann@example.org>"
    message["Subject"] = subject
    message["Date"] = "Sat, 21 Nov 2026 12:00:00 +0100"
    message["Message-ID"] = "<4@example.org>"
    if body is not None:
        message.set_content(body, **how)
    return message


def quoted(text, mark="> "):
    return "".join(mark + line for line in text.splitlines(True))


def wrapped(text, width):
    return "".join("\n".join(textwrap.wrap(line, width, break_on_hyphens=False)) + "\n" for line in text.splitlines())


def as_html(text, line):
    return "<html><head><style>p { margin: 0 }</style></head><body>" + "".join(
        line % html.escape(l) if l else line % "&nbsp;" for l in text.splitlines()
    ) + "</body></html>"


def only_html(page, **how):
    message = mail()
    message.set_content(page, subtype="html", **how)
    return message


def legacy(message):
    message["From"] = "bob@example.org"
    message["To"] = "ann@example.org"
    message["Subject"] = "=?utf-8?q?Z=C3=BCge_4?="
    return message


# Text
write("one-plain.eml", mail(HELLO + LETTER + BYE))
write("one-crlf.eml", mail(HELLO + LETTER + BYE, policy=CRLF))
write("one-quoted-twice.eml", mail("Ann wrote:\n> Bob wrote:\n" + quoted(quoted(LETTER, "> "), "> ")))
write("one-quoted-with-bars.eml", mail(quoted(LETTER, "| ")))
for width in (40, 60, 78):
    write(f"one-wrapped-at-{width}.eml", mail(HELLO + wrapped(LETTER, width) + BYE))
    write(f"one-quoted-and-wrapped-at-{width}.eml", mail("\n".join(textwrap.wrap(quoted(LETTER), width))))
write("one-flowed.eml", mail(HELLO + quoted(LETTER.replace("\n", " \n"), ">"), params={"format": "flowed", "delsp": "yes"}))
write("one-no-final-newline.eml", mail(LETTER).as_bytes().rstrip(b"\n"))
write("one-below-a-signature.eml", mail("Yes!\n" + BYE + "\n" + LETTER))
write("one-smart-dashes.eml", mail((HELLO + LETTER + BYE).replace("-----", "\u2014\u2013\u2014")))
write("one-smart-dashes-1252.eml", mail(LETTER.replace("-----", "\u2014\u2013"), charset="windows-1252"))
write("one-dashes-of-no-charset.eml", mail("x\n").as_bytes().replace(
    b'text/plain; charset="utf-8"', b"text/plain").replace(b"x\n", LETTER.replace("-----", "\u2014\u2013").encode("cp1252")))
write("one-zero-width.eml", mail(re.sub("(.{20})", "\\1\u200b", LETTER) + "\u2060"))
write("one-forwarded-inline.eml", mail("FYI\n\n-------- Original Message --------\nSubject: turn 4\nFrom: Bob\n\n" + LETTER))
write("one-dash-escaped.eml", mail("- -----BEGIN" + LETTER[10:].replace("\n-----", "\n- -----")))
# Transfer encodings and charsets
write("one-quoted-printable.eml", mail("Zug: \u00fc = 1\n" + LETTER, cte="quoted-printable"))
write("one-quoted-printable-joined.eml", mail(LETTER.replace("\n", " "), cte="quoted-printable", policy=CRLF))
write("one-base64.eml", mail(HELLO + LETTER + BYE, cte="base64"))
write("one-base64-and-list-footer.eml", mail(LETTER, cte="base64").as_bytes() + b"\n_______\nlist mailing list\n")
write("one-latin-1.eml", mail("Z\u00fcge:\n" + LETTER, charset="iso-8859-1", cte="8bit"))
write("one-utf-8-8bit.eml", mail("Z\u00fcge \u2014\n" + LETTER, cte="8bit"))
for name in ("utf-16", "utf-16le", "utf-16be", "utf-7"):
    part = MIMENonMultipart("text", "plain", charset=name)
    part.set_payload(email.base64mime.body_encode(("Z\u00fcge\n" + LETTER).encode(name)))
    part["Content-Transfer-Encoding"] = "base64"
    write(f"one-{name}.eml", legacy(part))
write("one-notepad-utf-16.txt", ("\ufeff" + LETTER.replace("\n", "\r\n")).encode("utf-16-le"))
write("one-big-endian-utf-16.txt", ("\ufeff" + LETTER).encode("utf-16-be"))
write("one-utf-8-mark.txt", "\ufeff" + LETTER)
# HTML
whole = HELLO + LETTER + BYE
write("one-html-div.eml", only_html(as_html(whole, "<div>%s</div>")))
write("one-html-div-base64.eml", only_html(as_html(whole, "<div>%s</div>\n"), cte="base64"))
write("one-html-pre.eml", only_html("<pre>" + html.escape(whole) + "</pre>"))
write("one-html-br.eml", only_html(as_html(whole, "%s<br>")))
write("one-html-p.eml", only_html(as_html(whole, "<p>%s</p>")))
write("one-html-table.eml", only_html("<table>" + as_html(whole, "<tr><td>%s</td></tr>") + "</table>"))
write("one-html-list.eml", only_html("<ul>" + as_html(whole, "<li>%s") + "</ul>"))
write("one-html-outlook.eml", only_html(as_html(
    whole, '<p class="MsoNormal" title="a &gt; b > c"><span style=\'font-family:"Courier New"\'>%s<o:p></o:p></span></p>\r\n'
).replace(" ", "&nbsp;", 99).replace("<p&nbsp;", "<p ").replace("<span&nbsp;", "<span ").replace(
    "MsoNormal\"&nbsp;", "MsoNormal\" ").replace("&nbsp;New", " New"), cte="quoted-printable"))
write("one-html-gmail-quote.eml", only_html(
    '<div dir="ltr">ok</div><blockquote class="gmail_quote">' + as_html(whole, "<div>%s</div>").replace(
        "-----", "&mdash;&#8211;-") + "</blockquote>"))
write("one-html-links-and-marks.eml", only_html(as_html(
    whole.replace("SEALED", "SEA\u00adLED"), "<div><span>%s</span><wbr><!-- > --></div>")))
page = mail("see the page")
page.add_attachment(as_html(whole, "%s<br/>").encode(), maintype="application", subtype="octet-stream", filename="turn.html")
write("one-html-attached.eml", page)
# Several parts
both = mail(whole)
both.add_alternative(as_html(whole, "<div>%s</div>"), subtype="html")
write("one-alternative.eml", both)
flat = mail(" ".join(whole.split("\n")))
flat.add_alternative(as_html(whole, "<div>%s</div>"), subtype="html")
write("one-alternative-joined.eml", flat)
for name, maintype, subtype in (("letter.txt", "text", "plain"), ("letter.dat", "application", "octet-stream")):
    message = mail("The letter is attached.\n")
    message.add_attachment(LETTER.encode(), maintype=maintype, subtype=subtype, filename=name)
    write(f"one-attached-{subtype}.eml", message)
message = mail("The letter is attached.\n")
message.add_attachment(LETTER, filename="turn 4.txt", cte="quoted-printable")
message.add_attachment(bytes(range(256)) * 400, maintype="image", subtype="png", filename="map.png")
message.add_attachment(os.urandom(9999), maintype="application", subtype="zip", filename="map.zip")
write("one-attached-among-others.eml", message)
message = mail(whole)
message.add_attachment(LETTER.encode(), maintype="text", subtype="plain", filename="letter.txt")
write("one-text-and-attachment.eml", message)
broken = whole.replace(LETTER[300:340], LETTER[301:340])
message = mail(broken)
message.add_attachment(LETTER.encode(), maintype="text", subtype="plain", filename="letter.txt")
write("one-damaged-text-whole-attachment.eml", message)
flipped = LETTER[:300] + ("A" if LETTER[300] != "A" else "B") + LETTER[301:]
message = mail(HELLO + flipped)
message.add_alternative(as_html(whole, "<p>%s</p>"), subtype="html")
write("one-flipped-text-whole-html.eml", message)
# The source of a text without its last mark runs on into the attachment: so the copy has over half of the letter.
message = mail(whole[:len(whole) * 3 // 5])
message.add_attachment(LETTER.encode(), maintype="application", subtype="octet-stream", filename="letter.txt")
write("one-truncated-text-whole-attachment.eml", message)
# Forwarded
inner = mail(whole, cte="base64")
for depth in range(3):
    outer = mail("forwarded\n", subject="Fwd: " * (depth + 1) + "turn 4")
    outer.add_attachment(inner)
    inner = outer
write("one-forwarded-three-deep.eml", inner)
attached = mail("the mail is attached\n")
attached.add_attachment(mail(whole, cte="base64").as_bytes(), maintype="application", subtype="octet-stream", filename="turn.eml")
write("one-mail-as-file.eml", attached)
digest = MIMEMultipart("digest")
for letter in LETTERS:
    part = MIMEMessage(mail(HELLO + letter, cte="base64"))
    del part["Content-Type"]
    del part["MIME-Version"]
    digest.attach(part)
write("all-digest.eml", legacy(digest))
write("all-plain-digest.eml", mail(("\n" + "-" * 30 + "\n\n").join("From: bob\nSubject: turn\n\n" + letter for letter in LETTERS)))
# Broken structure
lookalike = both.as_bytes().replace(both.get_boundary().encode(), b"B")
write("one-boundary-lookalike.eml", lookalike)
write("one-boundary-lookalike-base64.eml", mail(whole, cte="base64").as_bytes().replace(
    b'text/plain; charset="utf-8"', b'multipart/mixed; boundary="BEGIN"') + b"\n" + LETTER.encode())
write("one-boundary-missing.eml", both.as_bytes().replace(b"--" + both.get_boundary().encode(), b""))
write("one-no-closing-boundary.eml", both.as_bytes().rsplit(b"\n--", 1)[0])
ended = mail(HELLO)
ended.add_alternative(as_html(HELLO, "<div>%s</div>"), subtype="html")
write("one-after-the-end.eml", ended.as_bytes() + LETTER.encode())
write("one-headers-lost.eml", b"\n".join(mail(whole, cte="base64").as_bytes().split(b"\n")[5:]))
write("one-source-pasted.txt", "Look what I got:\n\n" + mail(whole).as_string())
write("one-source-quoted.eml", mail(quoted(mail(whole, cte="quoted-printable").as_string())))
write("one-wrong-charset.eml", mail(whole).as_bytes().replace(b"utf-8", b"utf-16"))
write("one-wrong-encoding.eml", mail(whole).as_bytes().replace(b"7bit", b"base64"))
write("one-stray-equals.eml", mail(whole + "1 = 1 =ZZ\n").as_bytes().replace(b"7bit", b"quoted-printable"))
# Mailboxes
def box(path, kind, messages):
    store = kind(os.path.join(OUT, path))
    for message in messages:
        store.add(message)
    store.close()

turns = [mail(f"Turn {i}\nFrom here on it is easy.\n\nFrom Bob: yes\n" + letter, subject=f"turn {i}",
              cte=("7bit", "base64", "quoted-printable")[i % 3]) for i, letter in enumerate(LETTERS)]
box("all-mbox", mailbox.mbox, turns)
with open(os.path.join(OUT, "all-mbox"), "rb") as file:
    content = file.read()
write("all-mbox-crlf", content.replace(b"\n", b"\r\n"))
write("all-mbox-no-final-newline", content.rstrip(b"\n"))
write("all-mbox-without-empty-lines", content.replace(b"\n\nFrom MAILER", b"\nFrom MAILER"))
write("all-mboxrd", content.replace(b"\n>From ", b"\n>>From "))
write("all-mbox-from-not-quoted", content.replace(b"\n>From ", b"\nFrom "))
box("all-maildir", mailbox.Maildir, turns)
write("all-maildir/tmp/unfinished", LETTER[:200])
box("all-mh", mailbox.MH, turns)
# Damage that nothing makes good
write("bad-truncated.eml", mail(HELLO + LETTER[: len(LETTER) // 2]))
write("bad-flipped.eml", mail(HELLO + flipped))
damaged = mail(HELLO + broken)
damaged.add_alternative(as_html(broken, "<div>%s</div>"), subtype="html")
damaged.add_attachment(broken.encode(), maintype="text", subtype="plain", filename="letter.txt")
write("bad-in-every-part.eml", damaged)
other = LETTERS[1]
message = mail(HELLO + LETTER + other.replace(other[300:340], other[301:340]))
message.add_alternative(as_html(HELLO + LETTER + other.replace(other[300:340], other[301:340]), "<div>%s</div>"), subtype="html")
write("two-one-whole-one-damaged.eml", message)
