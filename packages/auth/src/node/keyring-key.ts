import { assertKnownOptions, doStep, kindOf, storeFailed, type Fields } from "@hostside/core/implement";
import { bytesToBase64, hashNameHex, readSealingKeys, type SealingKey } from "../store/sealer.ts";
import { createFileLock } from "./folder-lock.ts";

/** The part of `@napi-rs/keyring` that is used. */
export interface KeyringModule {
  readonly AsyncEntry: new (
    service: string,
    username: string,
    options?: { readonly linux?: { readonly store?: "secret-service" } } | null,
  ) => KeyringEntry;
}

/** One entry of a keyring. */
export interface KeyringEntry {
  getPassword(signal?: AbortSignal | null): Promise<string | null | undefined>;
  setPassword(password: string, signal?: AbortSignal | null): Promise<void>;
}

/** Options of {@linkcode keyringKey}. */
export interface KeyringKeyOptions {
  /** Name of the product in the keyring. */
  readonly service: string;
  /** The folder of {@linkcode createFileCredentials}: one process at a time makes the key. */
  readonly folder: string;
  /** Loads the module. Default: `import("@napi-rs/keyring")`. */
  readonly load?: (() => Promise<KeyringModule>) | undefined;
}

const optionFields: Fields<KeyringKeyOptions> = { service: true, folder: true, load: true };
const timeoutMs = 30_000;
const leaseMs = 120_000;

/**
 * Resolves to the key that the keyring of the system keeps for the product, and makes one at the
 * first call. Rejects with `store_failed` if the keyring is missing, locked or keeps nothing, and
 * after 30 seconds. Throws a `TypeError` for options that are wrong.
 *
 * @example
 * const key = await keyringKey({ service: "Acme", folder });
 * const store = createFileCredentials({ folder, keys: [key] });
 */
export async function keyringKey(options: KeyringKeyOptions): Promise<SealingKey> {
  assertKnownOptions("keyringKey()", options, optionFields);
  const { service, folder, load = loadKeyring } = options;
  if (typeof service !== "string" || service.trim() === "") {
    throw new TypeError(`keyringKey(): service must be a non-empty string, not ${kindOf(service)}`);
  }
  const step = <T>(what: string, work: () => Promise<T>): Promise<T> =>
    doStep(`${what} the keyring`, { timeoutMs }, work);
  return createFileLock({ folder }).withLock("keyring", leaseMs, async () => {
    const entry = await step("opening", async () => {
      const { AsyncEntry } = await load();
      // Otherwise Linux falls back to the kernel's keyring, which forgets at the next start.
      return new AsyncEntry(service, "hostside credentials", { linux: { store: "secret-service" } });
    });
    const read = (): Promise<unknown> => step("reading", () => entry.getPassword(AbortSignal.timeout(timeoutMs)));
    const known = await read();
    if (typeof known === "string" && known !== "") return toSealingKey(known);
    const made = bytesToBase64(crypto.getRandomValues(new Uint8Array(32)));
    await step("writing to", () => entry.setPassword(made, AbortSignal.timeout(timeoutMs)));
    if ((await read()) !== made) throw storeFailed("the keyring does not keep what is written to it");
    return toSealingKey(made);
  });
}

async function toSealingKey(key: string): Promise<SealingKey> {
  const sealingKey = { id: `keyring-${(await hashNameHex(key)).slice(0, 8)}`, key };
  try {
    readSealingKeys("the keyring", [sealingKey]);
  } catch {
    throw storeFailed("the keyring's entry of Hostside is not a key of 32 bytes");
  }
  return sealingKey;
}

async function loadKeyring(): Promise<KeyringModule> {
  return import("@napi-rs/keyring");
}
