import { messageOf, usageError } from "../exit-codes.ts";
import { randomBytes, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isConfidentialUrl } from "@hostside/core/implement";
import { userStateFolder } from "../../state/user-state.ts";
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
  if (!anyAddress && !isConfidentialUrl(new URL(urlOf(address)))) {
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
  const address = { host: bracketed ?? plain ?? defaultAddress.host, port: Number(digits) };
  if (digits === "" || !URL.canParse(urlOf(address)))
    throw usageError(`${JSON.stringify(text)} is no address to listen at`, "--http 7077   or   --http 127.0.0.1:7077");
  return address;
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
 * none. A file of root may be readable for its group: secrets are mounted so for a container's
 * user.
 */
export async function keepToken(file: string, { platform }: Pick<Terminal, "platform">): Promise<KeptToken> {
  const isNew = !existsSync(file) && (await makeToken(file));
  const { mode, uid } = await stat(file);
  if (platform !== "win32" && (mode & (uid === 0 ? 0o037 : 0o077)) !== 0) {
    throw usageError(`others can read ${file}, or write to it`, `chmod 600 ${file}`);
  }
  const token = (await readFile(file, "utf8")).trim();
  if (token.length >= shortestToken && /^[\w.~+/-]+=*$/.test(token)) return { token, file, isNew };
  throw usageError(
    `${file} holds no token: it must be one word of at least ${shortestToken} characters`,
    "delete the file, and another one is made",
  );
}

// Linked into place, so that it is there whole or not at all, and never in place of another one.
async function makeToken(file: string): Promise<boolean> {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
    await link(draft, file);
    return true;
  } catch (error) {
    // Another process made it.
    if (existsSync(file)) return false;
    throw usageError(`cannot write ${file}: ${messageOf(error)}`);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}
