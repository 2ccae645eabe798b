/**
 * The id in questions and answers that are about the settings of a project, and about no server.
 */
export const settingsId = "(settings)";

/** A value that is asked of a user when a reference needs it, as VS Code has it. */
export interface ConfigInput {
  readonly id: string;
  readonly type: "promptString" | "pickString" | "command";
  readonly description?: string | undefined;
  /** The value without an answer. */
  readonly default?: string | undefined;
  /** `true`: the answer is a secret. */
  readonly password?: boolean | undefined;
  /** The choices of `"pickString"`. */
  readonly options?: readonly string[] | undefined;
}

/** Another configuration whose servers are wanted as well. */
export interface ConfigImport {
  /**
   * A dialect (`"cursor"`): its files, wherever they are. `"auto"`: those of every tool. Or a path.
   */
  readonly from: string;
  /** The dialect of the file at a path. Default: found out. */
  readonly dialect?: string | undefined;
}

/** The offer to others where these servers are served as one, as `hostside serve` does. */
export interface ServeSettings {
  /**
   * `"all"`: every tool under its name. `"search"` or `"groups"`: the tools that find others, and
   * one that calls them.
   */
  readonly expose?: "all" | "groups" | "search" | undefined;
  /**
   * The only tools: `"server/tool"`, in which each `*` stands for any characters, or `"server"` for
   * all of one. Absent: all. Empty: none, and nothing is served.
   */
  readonly tools?: readonly string[] | undefined;
  /** `true`: only tools that are known to change nothing. */
  readonly readOnly?: boolean | undefined;
  /** `true`: a user is asked before calls of tools that are not known to change nothing. */
  readonly requireApproval?: boolean | undefined;
  /** `true`: secrets in results are masked. */
  readonly redact?: boolean | undefined;
}

/**
 * The settings of the host, which no server's spec has a place for. All durations in
 * milliseconds.
 */
export interface HostSettings {
  /** `false`: none of these servers is to be used. */
  readonly enabled?: boolean | undefined;
  readonly imports?: readonly ConfigImport[] | undefined;
  readonly inputs?: readonly ConfigInput[] | undefined;
  readonly resourceCache?:
    | {
        readonly enabled?: boolean | undefined;
        readonly ttlMs?: number | undefined;
        readonly maxEntries?: number | undefined;
      }
    | undefined;
  /** Resources that may be read, by what their URI begins with. Empty or absent: all. */
  readonly allowedResourceUris?: readonly string[] | undefined;
  /** True if the command of an extension's server must be within the extension. */
  readonly strictRootPaths?: boolean | undefined;
  /** True if servers get the context of a call as `_meta`. */
  readonly passContext?: boolean | undefined;
  /**
   * Says if an edit of the file is taken over while the host runs, and after how long without
   * another one.
   */
  readonly watch?: { readonly enabled?: boolean | undefined; readonly quietMs?: number | undefined } | undefined;
  /** Names of the only servers that may be used. */
  readonly allowServers?: readonly string[] | undefined;
  /** Names of servers that may not be used; wins. */
  readonly denyServers?: readonly string[] | undefined;
  readonly serve?: ServeSettings | undefined;
  /**
   * In merged settings alone: `serve` of the innermost file of a project. The code that serves
   * decides which of these settings are allowed.
   */
  readonly projectServe?: ServeSettings | undefined;
}
