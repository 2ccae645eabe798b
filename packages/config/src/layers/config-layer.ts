import type { ConfiguredServer } from "../configured-server.ts";
import type { ConfigResult } from "../read-config.ts";

/**
 * Who a configuration is for. Of two entries with one name, the one that stands later here wins.
 */
export const configScopes = ["extension", "user", "project", "local", "command-line"] as const;

/** See {@linkcode configScopes}. */
export type ConfigScope = (typeof configScopes)[number];

/** One configuration among others. */
export interface ConfigLayer {
  readonly scope: ConfigScope;
  readonly result: ConfigResult;
  /** Its path, for problems. */
  readonly file?: string | undefined;
  /**
   * The folder of the project, as an absolute path, for a file that whoever wrote the project may
   * have put there: its servers start only where their user trusts them. Absent: a file of the
   * user's own.
   */
  readonly projectFolder?: string | undefined;
  /**
   * Where its relative paths begin, as an absolute path. Absent: they begin nowhere, and a relative
   * program is refused.
   */
  readonly baseFolder?: string | undefined;
}

/** One server of several configurations. */
export interface LayeredServer {
  readonly server: ConfiguredServer;
  readonly scope: ConfigScope;
  readonly projectFolder?: string | undefined;
  /** Where its relative paths begin. */
  readonly baseFolder?: string | undefined;
  /** Why it does not start; absent: it does. */
  readonly off?: OffReason | undefined;
  /** Entries of the same name that this one is used in place of; the last one is the strongest. */
  readonly over: readonly ConfiguredServer[];
}

/**
 * Why a server does not start: its entry says so, its file or a list of names does, nobody trusted
 * what a project brings, or who loads wants others.
 */
export type OffReason = "disabled" | "not allowed" | "untrusted" | "not wanted";
