import type { Clock, HostsideError } from "@hostside/core";
import {
  assertKnownOptions,
  createEvent,
  type Fields,
  kindOf,
  type StepLimit,
  systemClock,
} from "@hostside/core/implement";
import type { SealedCredentials } from "../store/create-keyv-credentials.ts";
import { openFiles } from "./create-file-credentials.ts";
import type { FileAccess, FileSealing } from "./file-access.ts";
import { createFileDocuments } from "./file-documents.ts";
import { assertFolderPath } from "./private-folder.ts";
import { readKeyringKey, type KeyringModule } from "./keyring-key.ts";

/** Options of {@linkcode createKeyringCredentials}. */
export interface KeyringCredentialsOptions {
  /** Under which name the keyring shows the key to its user: that of the product. */
  readonly service: string;
  /** Absolute path of the folder of the sealed files; see `createFileCredentials`. */
  readonly folder: string;
  /**
   * What to do where there is no keyring that works: a container, a server without a desktop, a
   * keyring that stays locked, or `@napi-rs/keyring` is not installed. `"files"`: keep credentials
   * in the same folder as `createFileCredentials` without keys does; they are sealed when a later
   * process finds a keyring. `"none"`: fail with `store_failed`. Default `"files"`.
   */
  readonly fallback?: "files" | "none" | undefined;
  /**
   * Called once when files are not sealed, with the reason: a `store_failed`. What it throws goes
   * where uncaught errors do.
   */
  readonly onFallback?: ((reason: HostsideError) => void) | undefined;
  /**
   * How long the keyring may take, in milliseconds: it may ask its user for a password. Default
   * 30,000.
   */
  readonly timeoutMs?: number | undefined;
  /** Loads `@napi-rs/keyring`. Default: `import()`, when it is first needed. */
  readonly load?: (() => Promise<KeyringModule>) | undefined;
  /** Default the real time. */
  readonly clock?: Clock | undefined;
}

/** Credentials that the keyring of the operating system protects, if there is one. */
export interface KeyringCredentials extends SealedCredentials {
  /**
   * What protects the credentials. Asks the keyring if nothing was read or written so far. Rejects
   * with `store_failed` as that would.
   */
  protection(): Promise<"keyring" | "file-mode">;
}

const optionFields: Fields<KeyringCredentialsOptions> = {
  service: true,
  folder: true,
  fallback: true,
  onFallback: true,
  timeoutMs: true,
  load: true,
  clock: true,
};

/**
 * Keeps credentials in files that are sealed with a random key, which the keyring of the operating
 * system keeps: Keychain, Credential Manager, or a Secret Service such as GNOME's and KDE's. A
 * keyring holds small secrets and cannot be locked, listed or written as a whole; files can.
 *
 * Throws a `TypeError` for options that are unknown or wrong. A key that is gone from the keyring
 * while there are files sealed with it, and a keyring that fails while there are such files, is a
 * `store_failed`: no new key takes its place.
 */
export function createKeyringCredentials(options: KeyringCredentialsOptions): KeyringCredentials {
  const owner = "createKeyringCredentials()";
  assertKnownOptions(owner, options, optionFields);
  const { service, folder, fallback = "files", onFallback, timeoutMs = 30_000, clock = systemClock } = options;
  if (typeof service !== "string" || service.trim() === "") {
    throw new TypeError(`${owner}: service must be a text that is not blank, not ${kindOf(service)}`);
  }
  assertFolderPath(owner, folder);
  if (fallback !== "files" && fallback !== "none") throw new TypeError(`${owner}: fallback must be "files" or "none"`);
  if (!(typeof timeoutMs === "number" && timeoutMs > 0)) throw new TypeError(`${owner}: timeoutMs must be above 0`);
  const load = options.load ?? loadKeyring;
  const limit: StepLimit = { clock, timeoutMs };
  const fellBack = createEvent<HostsideError>();
  if (onFallback !== undefined) fellBack.on(onFallback);

  const open = async (files: FileAccess): Promise<FileSealing> => {
    const key = await readKeyringKey({ service, files, load, limit });
    if ("sealer" in key) return { sealer: key.sealer, whyNot: "", takesUnsealed: fallback === "files" };
    if (fallback === "none" || key.mustNotFallBack) throw key.failed;
    fellBack.emit(key.failed);
    const whyNot = `the keyring does not have its key: ${key.failed.rawMessage}`;
    return { sealer: undefined, whyNot, takesUnsealed: true };
  };
  let opened: Promise<FileSealing> | undefined;
  const sealing = (files: FileAccess): Promise<FileSealing> => {
    opened ??= open(files).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  const files = openFiles(folder, clock, sealing);
  return {
    ...createFileDocuments(files),
    async protection() {
      return (await sealing(files)).sealer === undefined ? "file-mode" : "keyring";
    },
  };
}

async function loadKeyring(): Promise<KeyringModule> {
  return import("@napi-rs/keyring");
}
