import type { HostsideError } from "@hostside/core";
import { doStep, type StepLimit, storeFailed } from "@hostside/core/implement";
import { isHostsideError } from "@hostside/core";
import { bytesToBase64 } from "../store/base64.ts";
import { createSealer, looksSealed, type Sealer } from "../store/sealer.ts";
import { readSealingKeys } from "../store/sealing-key.ts";
import type { FileAccess } from "./file-access.ts";

/** `@napi-rs/keyring`, as far as it is used. */
export interface KeyringModule {
  readonly AsyncEntry: new (service: string, username: string, options?: KeyringEntryOptions | null) => KeyringEntry;
}

/** Options of an entry of a {@linkcode KeyringModule}. */
export interface KeyringEntryOptions {
  readonly linux?: { readonly store?: "secret-service" };
}

/** One secret of a keyring. */
export interface KeyringEntry {
  getPassword(signal?: AbortSignal | null): Promise<string | null | undefined>;
  setPassword(password: string, signal?: AbortSignal | null): Promise<void>;
  deletePassword(signal?: AbortSignal | null): Promise<boolean>;
}

/** What a key is read with. */
export interface KeyringKeyInit {
  readonly service: string;
  readonly files: FileAccess;
  readonly load: () => Promise<KeyringModule>;
  readonly limit: StepLimit;
}

/** A key of the keyring; or why there is none, and whether files must not be written without it. */
export type KeyringKey =
  | { readonly sealer: Sealer }
  | { readonly failed: HostsideError; readonly mustNotFallBack: boolean };

/**
 * Has the name of the key in the keyring, so that a folder that is moved keeps it, and two folders
 * never share one. Not a secret.
 */
const idFile = "keyring-key.id";
const idShape = /^[0-9a-f]{32}$/;
const lockLeaseMs = 120_000;

/**
 * The key of a folder, from the keyring; made when there is none, and nothing is sealed with it.
 */
export async function readKeyringKey(init: KeyringKeyInit): Promise<KeyringKey> {
  const { files, limit } = init;
  const folder = await files.folder();
  // One process at a time: two would make two keys, of which one is lost.
  return files.lock.withLock("keyring-key.lock", lockLeaseMs, async (signal) => {
    const known = (await folder.read(idFile))?.trim();
    if (known !== undefined && !idShape.test(known)) {
      throw storeFailed(`${folder.path}: ${idFile} was not written by Hostside`);
    }
    try {
      const keyring = await doStep("loading the keyring", limit, init.load);
      if (known !== undefined) {
        const entry = openEntry(keyring, init, entryName(known));
        const found = await doStep("reading the keyring", limit, () => entry.getPassword(timeoutOf(limit)));
        if (typeof found === "string" && found !== "") return { sealer: sealerOf(known, found) };
      }
      if (await hasSealed(files)) return { failed: goneError(folder.path), mustNotFallBack: true };
      await probe(keyring, init);
      // Another name for every key: of one that is written too late, nobody knows the name.
      const id = crypto.randomUUID().replaceAll("-", "");
      const key = bytesToBase64(crypto.getRandomValues(new Uint8Array(32)));
      const entry = openEntry(keyring, init, entryName(id));
      await doStep("writing to the keyring", limit, () => entry.setPassword(key, timeoutOf(limit)));
      if (signal.aborted) throw storeFailed("the keyring was too slow, and another process has the turn");
      await folder.write(idFile, `${id}\n`);
      return { sealer: sealerOf(id, key) };
    } catch (error) {
      const failed = isHostsideError(error) ? error : storeFailed("the keyring failed", error);
      return { failed, mustNotFallBack: false };
    }
  });
}

function entryName(id: string): string {
  return `hostside ${id}`;
}

function timeoutOf({ timeoutMs }: StepLimit): AbortSignal {
  return AbortSignal.timeout(timeoutMs);
}

function goneError(path: string): HostsideError {
  const remedy = "bring it back, or delete the folder and sign in again";
  return storeFailed(`the keyring has no key any more for the files in ${path}: ${remedy}`);
}

function sealerOf(id: string, key: string): Sealer {
  try {
    return createSealer(readSealingKeys("the keyring", [{ id: `keyring-${id.slice(0, 8)}`, key }]));
  } catch {
    throw storeFailed("what the keyring has under Hostside's name is no key of 32 bytes");
  }
}

function openEntry({ AsyncEntry }: KeyringModule, { service }: KeyringKeyInit, name: string): KeyringEntry {
  // Without a Secret Service the module would fall back to the kernel's keyring without a word,
  // which forgets at the next start.
  return new AsyncEntry(service, name, { linux: { store: "secret-service" } });
}

/**
 * Writes something, reads it and deletes it: some keyrings can be read, and not written to; some
 * say nothing and keep nothing.
 */
async function probe(keyring: KeyringModule, init: KeyringKeyInit): Promise<void> {
  const { limit } = init;
  const text = crypto.randomUUID();
  const entry = openEntry(keyring, init, `hostside probe ${text}`);
  const signal = timeoutOf(limit);
  await doStep("trying the keyring", limit, async () => {
    await entry.setPassword(text, signal);
    const read = await entry.getPassword(signal);
    await entry.deletePassword(signal);
    if (read !== text) throw new Error("it does not keep what is written to it");
  });
}

async function hasSealed(files: FileAccess): Promise<boolean> {
  const folder = await files.folder();
  for (const name of await files.names()) if (looksSealed((await folder.read(name)) ?? "")) return true;
  return false;
}
