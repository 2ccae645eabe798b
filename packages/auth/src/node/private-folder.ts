import { lstat, mkdir, open, readdir, realpath, rename, stat, unlink } from "node:fs/promises";
import { constants } from "node:fs";
import { dirname, isAbsolute, join, posix, win32 } from "node:path";
import { doStep, storeFailed, assertKnownOptions, type Fields } from "@hostside/core/implement";

/** A folder that nobody but its owner writes to. */
export interface PrivateFolder {
  readonly path: string;
  list(): Promise<readonly string[]>;
  /** The text of a file; `undefined` when there is none. */
  read(name: string): Promise<string | undefined>;
  /** Puts a file in place of the one before: either all of it, for good, or nothing. */
  write(name: string, text: string): Promise<void>;
  /** Resolves to whether there was one. */
  remove(name: string): Promise<boolean>;
  /** Removes a file that nobody has written to for so long. */
  removeOld(name: string, ageMs: number): Promise<void>;
}

const isWindows = process.platform === "win32";
/** Longer than any document; against a file that is something else. */
const longestFile = 16 * 1024 * 1024;
/** The longest time of a step in a folder, in milliseconds. */
export const longestStepMs = 5000;

/**
 * Throws a `TypeError` for what is no absolute path: a relative one would be another folder
 * wherever the program is started.
 */
export function assertFolderPath(owner: string, folder: unknown): void {
  if (typeof folder !== "string" || !isAbsolute(folder)) {
    throw new TypeError(`${owner}: folder must be an absolute path, such as what defaultCredentialsFolder() gives`);
  }
}

/**
 * Makes the folder if need be. Rejects with `store_failed` when others may change what is in it,
 * and says what to do; and, as all that is done in it, when a disk of another machine does not
 * answer.
 */
export async function openPrivateFolder(given: string): Promise<PrivateFolder> {
  const doInFolder = <T>(what: string, work: () => Promise<T>): Promise<T> =>
    doStep(what, { timeoutMs: longestStepMs }, work);
  const { path, owners, mode } = await doInFolder(`the folder ${given}`, async () => {
    await makeFolder(given);
    const real = await realpath(given);
    const [link, folder] = [await lstat(given), await stat(real)];
    return { path: real, owners: [link.uid, folder.uid], mode: folder.mode };
  });
  assertPrivate(given, owners, mode);
  return {
    path,
    list: () => doInFolder(`reading the folder ${path}`, () => readdir(path)),
    read: (name) => doInFolder(`reading ${join(path, name)}`, () => readText(join(path, name))),
    write: (name, text) => doInFolder(`writing ${join(path, name)}`, () => writeDurably(path, name, text)),
    remove: (name) =>
      doInFolder(`deleting ${join(path, name)}`, async () => {
        const wasThere = await isThere(unlink(join(path, name)));
        if (wasThere) await syncFolder(path);
        return wasThere;
      }),
    removeOld: (name, ageMs) =>
      doInFolder(`deleting ${join(path, name)}`, async () => {
        const remove = async (): Promise<void> => {
          const { mtimeMs } = await stat(join(path, name));
          if (Date.now() - mtimeMs > ageMs) await unlink(join(path, name));
        };
        await isThere(remove());
      }),
  };
}

/** Tells whether what was done to a file found one. */
export async function isThere(done: Promise<unknown>): Promise<boolean> {
  try {
    await done;
    return true;
  } catch (error) {
    if (errnoCodeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** The code of an error of the system, such as `ENOENT`. */
export function errnoCodeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** A folder that is opened when it is first needed, and again as long as that fails. */
export function keepOpen(path: string): () => Promise<PrivateFolder> {
  let opened: Promise<PrivateFolder> | undefined;
  return () => {
    opened ??= openPrivateFolder(path).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
}

// One by one: where nothing can be made (`/proc/none/none`), `mkdir` with `recursive` tries for
// ever, in a thread that nobody can stop.
async function makeFolder(path: string): Promise<void> {
  const make = (): Promise<void> => mkdir(path, { mode: 0o700 });
  const parent = dirname(path);
  try {
    await make().catch(async (error: unknown) => {
      if (errnoCodeOf(error) !== "ENOENT" || parent === path) throw error;
      await makeFolder(parent);
      await make();
    });
  } catch (error) {
    // Also who came first may have made it; and what is there need not be allowed to be made.
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory() !== true) throw error;
  }
}

function assertPrivate(given: string, owners: readonly number[], mode: number): void {
  // On Windows a folder in a user's profile is the user's by its access list, and has no mode.
  const me = process.getuid?.();
  if (isWindows || me === undefined) return;
  for (const uid of owners) {
    if (uid === me || uid === 0) continue;
    throw storeFailed(
      `the folder ${given} belongs to another user (id ${uid}, this one is ${me}): use a folder of your own`,
    );
  }
  if ((mode & 0o022) !== 0) {
    const shown = (mode & 0o777).toString(8);
    throw storeFailed(`others may write to the folder ${given} (mode ${shown}): make it yours alone with chmod 700`);
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    // No link is followed: its target could be a file of somebody else's.
    const file = await open(path, constants.O_RDONLY | (isWindows ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK));
    try {
      const { size } = await file.stat();
      if (size > longestFile) throw new Error(`it has ${size} bytes, which is more than any document of Hostside`);
      return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    if (errnoCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

// Into a new file, to the disk, and then over the old one: whoever reads has one or the other, also
// after the power failed.
async function writeDurably(folder: string, name: string, text: string): Promise<void> {
  const temporary = join(folder, `${name}.${crypto.randomUUID()}.tmp`);
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await replace(temporary, join(folder, name));
  } catch (error) {
    // What failed is said already.
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await syncFolder(folder);
}

// On Windows a virus scanner that has a file open keeps it from being replaced for a moment.
async function replace(temporary: string, path: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await rename(temporary, path);
    } catch (error) {
      const mayPass = isWindows && tries < 10 && /^(EPERM|EACCES|EBUSY)$/.test(errnoCodeOf(error));
      if (!mayPass) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20 * (tries + 1)));
    }
  }
}

// A file that was renamed or deleted is so for good when its folder is on the disk. Windows has no
// such thing.
async function syncFolder(path: string): Promise<void> {
  if (isWindows) return;
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Options of {@linkcode defaultCredentialsFolder}. */
export interface CredentialsFolderOptions {
  /** Name of the product, as a folder. */
  readonly product: string;
  /** Such as `process.platform`. */
  readonly platform: string;
  /** Such as `process.env`. Read are `XDG_STATE_HOME` and `LOCALAPPDATA`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Such as `os.homedir()`. */
  readonly home: string;
}

const optionFields: Fields<CredentialsFolderOptions> = { product: true, platform: true, env: true, home: true };

/**
 * The usual folder of a product for data that are neither configuration nor for other machines:
 * `$XDG_STATE_HOME` (else `~/.local/state`), `~/Library/Application Support`, `%LOCALAPPDATA%`; in
 * it `<product>/credentials`. Reads nothing by itself.
 *
 * Throws a `TypeError` for a product that is no name of a folder, and for a home that is no
 * absolute path.
 *
 * @example
 * const { platform, env } = process;
 * const folder = defaultCredentialsFolder({ product: "acme", platform, env, home: homedir() });
 */
export function defaultCredentialsFolder(options: CredentialsFolderOptions): string {
  const owner = "defaultCredentialsFolder()";
  assertKnownOptions(owner, options, optionFields);
  const { product, platform, env, home } = options;
  if (typeof product !== "string" || !/^[A-Za-z0-9][\w .-]{0,63}$/.test(product) || /[ .]$/.test(product)) {
    throw new TypeError(`${owner}: product must be a plain name, of letters, digits, spaces, dots, _ and -`);
  }
  const path = platform === "win32" ? win32 : posix;
  if (typeof home !== "string" || !path.isAbsolute(home))
    throw new TypeError(`${owner}: home must be an absolute path`);
  const given = platform === "win32" ? env["LOCALAPPDATA"] : env["XDG_STATE_HOME"];
  const usual = { win32: ["AppData", "Local"], darwin: ["Library", "Application Support"] }[platform];
  // One that is relative is to be ignored (XDG Base Directory Specification).
  const base =
    given !== undefined && path.isAbsolute(given) ? given : path.join(home, ...(usual ?? [".local", "state"]));
  return path.join(base, product, "credentials");
}
