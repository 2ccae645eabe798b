import { posix, win32 } from "node:path";
import { assertKnownOptions, type Fields } from "@hostside/core/implement";

/** What {@linkcode defaultCredentialsFolder} goes by. */
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
 * Where a product on this platform usually keeps what is neither configuration nor for other
 * machines: `$XDG_STATE_HOME` (else `~/.local/state`), `~/Library/Application Support`,
 * `%LOCALAPPDATA%`; in it `<product>/credentials`. Reads nothing by itself.
 *
 * Throws a `TypeError` for a product that is no name of a folder, and for a home that is no
 * absolute path.
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
