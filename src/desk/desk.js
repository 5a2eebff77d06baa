// What a script adds to the desk: copying, dropping and further rows. Every page works without it.
"use strict";
document.documentElement.classList.add("has-script");

function copied(area) {
  const told = document.getElementById("copied");
  if (told) told.textContent = area.dataset.copied;
}

async function copy(area) {
  try {
    await navigator.clipboard.writeText(area.value ?? area.textContent);
  } catch {
    if (area.select) area.select();
    else getSelection().selectAllChildren(area);
    document.execCommand("copy");
  }
  copied(area);
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => copy(document.getElementById(button.dataset.copy)));
}

// A mail or a mailbox that is dropped on the area goes into the file input beside it.
for (const area of document.querySelectorAll("[data-drop]")) {
  const input = document.getElementById(area.dataset.drop);
  area.addEventListener("dragover", (event) => {
    event.preventDefault();
    area.classList.add("dropping");
  });
  area.addEventListener("dragleave", () => area.classList.remove("dropping"));
  area.addEventListener("drop", (event) => {
    area.classList.remove("dropping");
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    input.files = event.dataTransfer.files;
    input.form.requestSubmit();
  });
}

// The last row of a table of attacks or rolls is always empty.
for (const table of document.querySelectorAll("table.input")) {
  table.addEventListener("input", () => {
    const rows = table.tBodies[0].rows;
    const last = rows[rows.length - 1];
    if (![...last.querySelectorAll("input")].some((input) => input.value !== "")) return;
    const next = last.cloneNode(true);
    for (const input of next.querySelectorAll("input")) {
      const [name, row] = input.name.split(".");
      input.name = `${name}.${Number(row) + 1}`;
      input.value = "";
      input.setAttribute("aria-label", input.getAttribute("aria-label").replace(/\d+$/, String(rows.length + 1)));
    }
    table.tBodies[0].append(next);
  });
}

// The worksheet is worked out again whenever the attacks change.
for (const shown of document.querySelectorAll("[data-worksheet]")) {
  const form = shown.closest("form");
  let waiting;
  form.addEventListener("input", (event) => {
    if (event.target.closest("table.input") === null) return;
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const response = await fetch(shown.dataset.worksheet, { method: "POST", body: new FormData(form) });
      if (!response.ok) return;
      const part = new DOMParser().parseFromString(await response.text(), "text/html");
      shown.replaceChildren(...part.body.childNodes);
    }, 300);
  });
}

// The last blank entry of a form is always untouched.
function renamed(part, from, to) {
  const begins = (text) => text === from || text.startsWith(`${from}.`) || text.startsWith(`${from}-`);
  for (const name of ["name", "id", "for", "aria-describedby", "data-spares"]) {
    const value = part.getAttribute(name);
    if (value === null) continue;
    const words = name === "name" || name === "data-spares" ? [value] : value.split(" ");
    part.setAttribute(name, words.map((word) => (begins(word) ? to + word.slice(from.length) : word)).join(" "));
  }
}

function oneMore(spares) {
  const last = spares.lastElementChild;
  const number = Number(last.dataset.number);
  const next = last.cloneNode(true);
  next.open = false;
  next.dataset.number = String(number + Number(spares.dataset.step));
  // Names may have blanks where ids have underscores.
  const list = spares.dataset.spares;
  for (const begin of new Set([list, list.replace(/\s/g, "_")])) {
    for (const part of next.querySelectorAll("*")) renamed(part, begin + number, begin + next.dataset.number);
  }
  for (const part of next.querySelectorAll("[aria-label]")) {
    part.setAttribute("aria-label", part.getAttribute("aria-label").replace(/\d+$/, String(Number(next.dataset.number) + 1)));
  }
  for (const input of next.querySelectorAll("input, textarea")) {
    input.value = input.defaultValue;
    input.checked = input.defaultChecked;
  }
  for (const option of next.querySelectorAll("option")) option.selected = option.defaultSelected;
  spares.append(next);
}

document.addEventListener("input", (event) => {
  for (let at = event.target.closest("[data-spares]"); at; at = at.parentElement.closest("[data-spares]")) {
    if (at.lastElementChild.contains(event.target)) oneMore(at);
  }
});

// Letters at the office are taken in by themselves while the page of a game is open.
const WATCH = 15_000;
for (const watched of document.querySelectorAll("[data-watch]")) {
  const look = async () => {
    const response = await fetch(watched.dataset.watch, { method: "POST" }).catch(() => null);
    if (response?.status === 200) {
      const part = new DOMParser().parseFromString(await response.text(), "text/html");
      // They come with the state of the game, which takes the place of the old one.
      for (const old of document.querySelectorAll("main > section.move, main > section.opened")) old.remove();
      watched.prepend(...part.body.childNodes);
    }
    if (response?.ok) setTimeout(look, WATCH);
  };
  setTimeout(look, 1_000);
}

// The button that signs also copies the mail: the page that answers is shown in place of this one.
const signing = document.querySelector("form[data-signs]");
if (signing) {
  signing.addEventListener("submit", async (event) => {
    // The button that goes back to the form signs nothing.
    if (event.submitter?.name) return;
    event.preventDefault();
    let response;
    let next;
    try {
      response = await fetch(signing.action, { method: "POST", body: new FormData(signing) });
      next = new DOMParser().parseFromString(await response.text(), "text/html");
    } catch {
      next = null;
    }
    if (!next?.querySelector("main")) {
      document.getElementById("lost").textContent = signing.dataset.lost;
      return;
    }
    const mail = next.getElementById("mail");
    document.title = next.title;
    // Going back leads to this page again, not to the preview of what is signed.
    if (response.redirected) history.replaceState(null, "", response.url);
    document.querySelector("main").replaceWith(next.querySelector("main"));
    window.scrollTo(0, 0);
    for (const button of document.querySelectorAll("[data-copy]")) {
      button.addEventListener("click", () => copy(document.getElementById(button.dataset.copy)));
    }
    const shown = document.getElementById("mail");
    if (mail && shown) await copy(shown);
    document.querySelector("main").focus();
  });
}
