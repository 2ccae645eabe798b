import { homedir } from "node:os";
import { join, posix, win32 } from "node:path";
import type { CredentialStore } from "@hostside/auth";
import { createFileCredentials, createFileLock, defaultCredentialsFolder } from "@hostside/auth/node";
import type { Lock } from "@hostside/core";
import type { HostState } from "../contract/host-options.ts";
import { createFileStore } from "./create-file-store.ts";

/** The place of a user's state, as data. */
export interface UserPlace {
  /**
   * As `process.env` has it, which is the default. Read are `XDG_STATE_HOME` and `LOCALAPPDATA`.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The user's folder, as an absolute path. Default that of the process's user. */
  readonly home?: string | undefined;
  /** As `process.platform` has it, which is the default. */
  readonly platform?: string | undefined;
}

/**
 * The folder of {@linkcode userState}: `$XDG_STATE_HOME/hostside` (else `~/.local/state/hostside`),
 * `~/Library/Application Support/hostside`, `%LOCALAPPDATA%\hostside`.
 */
export function userStateFolder({
  env = process.env,
  home = homedir(),
  platform = process.platform,
}: UserPlace = {}): string {
  if (!(platform === "win32" ? win32 : posix).isAbsolute(home)) {
    throw new TypeError(
      `where this user's state is kept cannot be known: the home folder must be an absolute path, not ${JSON.stringify(home)}`,
    );
  }
  const credentials = defaultCredentialsFolder({ product: "hostside", platform, env, home });
  return platform === "win32" ? win32.dirname(credentials) : posix.dirname(credentials);
}

/** A user's state, which any number of processes may share. */
export interface UserState extends HostState {
  readonly lock: Lock;
  readonly credentials: CredentialStore;
}

/**
 * The state that the command line keeps for this user, and a host with `state: "user"` shares:
 * sign-ins, trust, approvals and names, in one folder (`userStateFolder()`) that nobody
 * else may use. Nothing is read or written before there is need to.
 *
 * @example
 * const host = await createHost({ config: "mcp.json", state: userState() });
 */
export function userState(place: UserPlace = {}): UserState {
  const folder = userStateFolder(place);
  return {
    credentials: createFileCredentials({ folder: join(folder, "credentials") }),
    store: createFileStore({ folder: join(folder, "state") }),
    lock: createFileLock({ folder: join(folder, "locks") }),
  };
}
