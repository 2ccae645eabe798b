import type { FolderFiles } from "../src/node/folder-files.ts";

/** A file system in memory that holds one folder. */
export interface FakeFiles extends FolderFiles {
  /** What is in the folder, half files too, by path. */
  readonly contents: Map<string, Uint8Array>;
  /** Makes the next operation of this name fail with this code. */
  fail(operation: keyof FolderFiles, code: string): void;
  /** The most bytes there ever were. */
  readonly mostBytes: number;
}

/** What the file system says of an operation that failed. */
export function fileError(code: string): Error {
  return Object.assign(new Error(`${code}: as the test wants it`), { code });
}

/** Makes an empty folder. `pause` is waited for before each step. */
export function createFakeFiles(pause: (what: string) => Promise<void> = async () => {}): FakeFiles {
  const contents = new Map<string, Uint8Array>();
  const failures = new Map<string, string>();
  let mostBytes = 0;
  const step = async (operation: keyof FolderFiles): Promise<void> => {
    await pause(operation);
    const code = failures.get(operation);
    failures.delete(operation);
    if (code !== undefined) throw fileError(code);
  };
  const find = (path: string): Uint8Array => {
    const data = contents.get(path);
    if (data === undefined) throw fileError("ENOENT");
    return data;
  };
  const measure = (): void => {
    let bytes = 0;
    for (const data of contents.values()) bytes += data.length;
    mostBytes = Math.max(mostBytes, bytes);
  };
  return {
    contents,
    fail: (operation, code) => void failures.set(operation, code),
    get mostBytes() {
      return mostBytes;
    },
    makeFolder: () => step("makeFolder"),
    async look(path) {
      await step("look");
      if (!contents.has(path) && !path.includes(".") && !/[0-9a-f]{32}$/.test(path)) {
        return { kind: "directory", bytes: 0, mode: 0o700, uid: process.getuid?.() ?? 0, writtenAt: 0 };
      }
      return { kind: "file", bytes: find(path).length, mode: 0o600, uid: 0, writtenAt: 0 };
    },
    async list() {
      await step("list");
      return Array.from(contents.keys(), (path) => path.slice(path.lastIndexOf("/") + 1));
    },
    setMode: () => step("setMode"),
    async writeNew(path, data) {
      // Half of it is there when it fails, as on a real disk.
      contents.set(path, data.subarray(0, data.length >> 1));
      measure();
      await step("writeNew");
      contents.set(path, data);
      measure();
    },
    async move(from, to) {
      await step("move");
      contents.set(to, find(from));
      contents.delete(from);
    },
    async readRange(path, { offset, length }) {
      await step("readRange");
      return find(path).slice(offset, offset + length);
    },
    async remove(path) {
      await step("remove");
      find(path);
      contents.delete(path);
    },
  };
}
