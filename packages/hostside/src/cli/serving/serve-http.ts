import { usageError } from "../exit-codes.ts";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { userState, userStateFolder } from "../../state/user-state.ts";
import { replaceFile } from "../replace-file.ts";
import type { Terminal } from "../terminal.ts";

/** The address at which `serve` listens. */
export interface ServeAddress {
  /** A name or an address, that of IPv6 without brackets. */
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
}

/** The path that clients ask. */
export const servePath = "/mcp";
const defaultAddress: ServeAddress = { host: "127.0.0.1", port: 7077 };

/**
 * Reads `--http`. Throws a usage error for what is no address, and for one that other machines
 * reach unless that was asked for. Pure.
 */
export function readAddress(
  text: string | true,
  { anyAddress = false }: { readonly anyAddress?: boolean | undefined },
): ServeAddress {
  const address = text === true ? defaultAddress : parse(text);
  if (!anyAddress && !isLoopback(address.host)) {
    throw usageError(
      `other machines may reach ${address.host}`,
      "--any-address allows that: whoever has the token may then call your tools from there",
    );
  }
  return address;
}

/** Its URL, as a client on this machine has it. */
export function urlOf({ host, port }: ServeAddress): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}${servePath}`;
}

function parse(text: string): ServeAddress {
  const [, bracketed, plain, digits = ""] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535) {
    throw usageError(`${JSON.stringify(text)} is no address to listen at`, "--http 7077   or   --http 127.0.0.1:7077");
  }
  return { host: bracketed ?? plain ?? defaultAddress.host, port };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** The token that lets clients in, and where it is. */
export interface KeptToken {
  readonly token: string;
  readonly file: string;
  /** `true` if it was made just now. */
  readonly isNew: boolean;
}

const shortestToken = 16;

/** The default file of the token. */
export function defaultTokenFile(terminal: Terminal): string {
  return join(userStateFolder(terminal), "serve-token");
}

/**
 * Reads the token of a file, and makes both where there is none; of two processes that do so at
 * once, both have the same. Throws a usage error for a file that others can read, or that holds
 * none.
 */
export async function keepToken(file: string, terminal: Terminal): Promise<KeptToken> {
  const isNew = !existsSync(file) && (await makeToken(file, terminal));
  const { mode } = await stat(file);
  if (terminal.platform !== "win32" && (mode & 0o077) !== 0) {
    throw usageError(`others can read ${file}, or write to it`, `chmod 600 ${file}`);
  }
  const token = (await readFile(file, "utf8")).trim();
  if (token.length >= shortestToken && /^[\w.~+/-]+=*$/.test(token)) return { token, file, isNew };
  throw usageError(
    `${file} holds no token: it must be one word of at least ${shortestToken} characters`,
    "delete the file, and another one is made",
  );
}

const leaseMs = 30_000;

function makeToken(file: string, terminal: Terminal): Promise<boolean> {
  return userState(terminal).lock.withLock(`token:${file}`, leaseMs, async () => {
    if (existsSync(file)) return false;
    return replaceFile(file, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600 });
  });
}
