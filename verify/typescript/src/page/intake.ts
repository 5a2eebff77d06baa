/** How letters come in: dropped, chosen, pasted. */
import { part } from "./dom.js";

export interface Taken {
  readonly name: string;
  readonly file: Blob;
}

function entriesOf(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

async function* walk(entry: FileSystemEntry): AsyncGenerator<Taken> {
  if (entry.isFile) {
    yield { name: entry.fullPath.replace(/^\//, ""), file: await fileOf(entry as FileSystemFileEntry) };
  } else if (entry.isDirectory) {
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    // It gives a part at a time, and in the end nothing.
    for (let some = await entriesOf(reader); some.length > 0; some = await entriesOf(reader)) for (const one of some) yield* walk(one);
  }
}

function named(files: Iterable<File>): Taken[] {
  return [...files].map((file) => ({ name: file.webkitRelativePath === "" ? file.name : file.webkitRelativePath, file }));
}

function inOrder(files: Taken[]): Taken[] {
  return files.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** What was dropped: files, folders, or text that was dragged from a mail. */
async function dropped(data: DataTransfer): Promise<{ readonly files: Taken[]; readonly text: string }> {
  // Entries are there only while the event lasts.
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const plain = named(data.files);
  const text = data.getData("text/plain");
  const files: Taken[] = [];
  for (const entry of entries) {
    try {
      for await (const taken of walk(entry)) files.push(taken);
    } catch {
      files.push(...plain.filter((taken) => taken.name === entry.name));
    }
  }
  return { files: files.length > 0 ? files : plain, text: plain.length === 0 && files.length === 0 ? text : "" };
}

export function listen(takeFiles: (files: readonly Taken[]) => void, takeText: (text: string) => void): void {
  const zone = part("drop", HTMLElement);
  let depth = 0;
  const over = (on: boolean): void => {
    zone.classList.toggle("over", on);
  };
  document.addEventListener("dragenter", () => over(++depth > 0));
  document.addEventListener("dragleave", () => over(--depth > 0));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    over(false);
    if (event.dataTransfer === null) return;
    void dropped(event.dataTransfer).then(({ files, text }) => {
      if (files.length > 0) takeFiles(inOrder(files));
      else if (text !== "") takeText(text);
    });
  });
  document.addEventListener("paste", (event) => {
    const data = event.clipboardData;
    if (data === null) return;
    if (data.files.length > 0) takeFiles(inOrder(named(data.files)));
    else if (event.target instanceof HTMLTextAreaElement) return;
    else if (data.getData("text/plain") !== "") takeText(data.getData("text/plain"));
    event.preventDefault();
  });
  for (const [press, pick] of [["choose-files", "files"], ["choose-folder", "folder"]] as const) {
    const input = part(pick, HTMLInputElement);
    part(press, HTMLButtonElement).addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      const files = inOrder(named(input.files ?? []));
      input.value = "";
      if (files.length > 0) takeFiles(files);
    });
  }
}
