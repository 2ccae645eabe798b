import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { userStateFolder } from "../../state/user-state.ts";
import type { Terminal } from "../terminal.ts";
import { usageError } from "../usage-error.ts";

/** The token that lets clients in, and where it is. */
export interface KeptToken {
  readonly token: string;
  readonly file: string;
  /** Whether it was made just now. */
  readonly isNew: boolean;
}

const shortestToken = 16;

/** Where the token is that nobody named a file for. */
export function defaultTokenFile({ env, home, platform }: Pick<Terminal, "env" | "home" | "platform">): string {
  return join(userStateFolder({ env, home, platform }), "serve-token");
}

/**
 * Reads the token of a file, and makes both where there is none; of two processes that do so at
 * once, both have the same. Throws a usage error for a file that others can read, or that holds
 * none.
 */
export async function keepToken(file: string, { platform }: Pick<Terminal, "platform">): Promise<KeptToken> {
  const isNew = !(await isThere(file)) && (await makeToken(file));
  const { mode } = await stat(file);
  if (platform !== "win32" && (mode & 0o077) !== 0) {
    throw usageError(`others can read ${file}, or write to it`, `chmod 600 ${file}`);
  }
  const token = (await readFile(file, "utf8")).trim();
  if (token.length >= shortestToken && /^[\w.~+/-]+=*$/.test(token)) return { token, file, isNew };
  throw usageError(
    `${file} holds no token: it must be one word of at least ${shortestToken} characters`,
    "delete the file, and another one is made",
  );
}

async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch {
    return false;
  }
}

// Linked into place, so that it is there whole or not at all, and never in place of another one.
async function makeToken(file: string): Promise<boolean> {
  const draft = `${file}.${randomUUID()}.tmp`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(draft, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
    await link(draft, file);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
