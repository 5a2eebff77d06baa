/** Takes letters in: files and folders that are dropped or chosen, and text that is pasted. */
import { part } from "./dom.js";
import type { Taken } from "./protocol.js";

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
    // Each call returns some entries, and the last call returns none.
    for (let some = await entriesOf(reader); some.length > 0; some = await entriesOf(reader)) for (const one of some) yield* walk(one);
  }
}

/** Handles, in browsers that have them: on a page opened from disk, entries cannot open folders. */
interface WithHandle {
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
}

async function* walkHandle(handle: FileSystemHandle, path: string): AsyncGenerator<Taken> {
  if (handle.kind === "file") {
    yield { name: path, file: await (handle as FileSystemFileHandle).getFile() };
  } else {
    for await (const [name, inner] of (handle as FileSystemDirectoryHandle).entries()) yield* walkHandle(inner, `${path}/${name}`);
  }
}

async function all(some: AsyncIterable<Taken>): Promise<Taken[]> {
  const taken: Taken[] = [];
  for await (const one of some) taken.push(one);
  return taken;
}

function named(files: Iterable<File>): Taken[] {
  return [...files].map((file) => ({ name: file.webkitRelativePath === "" ? file.name : file.webkitRelativePath, file }));
}

function inOrder(files: Taken[]): Taken[] {
  return files.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Reads a dropped item in the first way that works. All three ways must start while the event is handled. */
function droppedItem(item: DataTransferItem): () => Promise<Taken[]> {
  const file = item.getAsFile();
  const entry = item.webkitGetAsEntry();
  const handle = (item as WithHandle).getAsFileSystemHandle?.() ?? Promise.resolve(null);
  handle.catch(() => undefined);
  const ways = [
    async (): Promise<Taken[]> => {
      const found = await handle;
      return found === null ? [] : all(walkHandle(found, found.name));
    },
    async (): Promise<Taken[]> => (entry === null ? [] : all(walk(entry))),
    async (): Promise<Taken[]> => (file === null ? [] : named([file])),
  ];
  return async () => {
    for (const way of ways) {
      try {
        const taken = await way();
        if (taken.length > 0) return taken;
      } catch {
        // Tries the next way.
      }
    }
    return [];
  };
}

/** Reads a drop: files, folders, or text dragged from a mail. */
async function dropped(data: DataTransfer): Promise<{ readonly files: Taken[]; readonly text: string }> {
  const text = data.getData("text/plain");
  const items = [...data.items].filter((item) => item.kind === "file").map(droppedItem);
  const files = (await Promise.all(items.map((take) => take()))).flat();
  return { files, text: items.length === 0 ? text : "" };
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
