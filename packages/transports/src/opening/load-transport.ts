import type * as httpModule from "#http";
import type * as stdioModule from "#stdio";
import { HostsideError, type ServerEntry } from "@hostside/core";
import { anyMemberOf } from "../message/member-of.ts";

type Stdio = typeof stdioModule;
type Http = typeof httpModule;

/** Loads the code for processes. Throws as {@linkcode loadHttp}. */
export function loadStdio(serverId: string): Promise<Stdio> {
  return load(() => import("#stdio"), { specifier: "#stdio", serverId, code: "spawn_failed" });
}

/**
 * Loads the code for HTTP. When the system is out of open files or memory for now, throws an error
 * that may be retried: `unreachable`, or for processes `spawn_failed`.
 */
export function loadHttp(serverId: string): Promise<Http> {
  return load(() => import("#http"), { specifier: "#http", serverId, code: "unreachable" });
}

/**
 * Begins to load what a transport needs, so that it is there when the first server of its type is
 * wanted. Its failure is told then. A program is started first, and boots meanwhile.
 */
export function preload({ url }: ServerEntry): void {
  if (url !== undefined) import("#http").catch(() => undefined);
}

interface Part {
  readonly specifier: string;
  readonly serverId: string;
  readonly code: "spawn_failed" | "unreachable";
}

// What newer versions of Node say of a package.json that cannot be opened, for whatever reason. The
// one that is asked for here was readable when this module was found by it.
const unreadable = "ERR_INVALID_PACKAGE_CONFIG";
const passing: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "ENOMEM", unreadable]);
let attempts = 0;

async function load<Module>(first: () => Promise<Module>, part: Part): Promise<Module> {
  try {
    return await first();
  } catch (error) {
    if (!passing.has(anyMemberOf(error, "code"))) throw error;
    return loadAgain<Module>(part, error);
  }
}

// A runtime keeps a module that failed to load as failed, under its address; with a query, the
// address is another one.
async function loadAgain<Module>({ specifier, serverId, code }: Part, cause: unknown): Promise<Module> {
  attempts += 1;
  try {
    const address = `${import.meta.resolve(specifier)}?again=${attempts}`;
    // The same file as before, and so the same module.
    return (await import(/* webpackIgnore: true */ /* @vite-ignore */ address)) as Module;
  } catch (error) {
    const failure = passing.has(anyMemberOf(error, "code")) ? error : cause;
    const given = String(anyMemberOf(failure, "code"));
    const reason = given === unreadable ? `most likely EMFILE, told as ${given}` : given;
    throw new HostsideError(
      `server ${JSON.stringify(serverId)}: what it needs could not be loaded: the system is out of open files or memory for now (${reason})`,
      { code, serverId, retryable: true, outcome: "not-sent", cause: failure },
    );
  }
}
