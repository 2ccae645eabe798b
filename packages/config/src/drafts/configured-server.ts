import type { HttpEntry, ServerSpec, StdioEntry } from "@hostside/core";
import type { ConfigPath } from "../parse/config-data.ts";
import type { Position } from "../parse/config-problem.ts";

/**
 * A {@linkcode ServerSpec} that is JSON, and whose texts may still have references such as
 * `${TOKEN}` in them.
 */
export type ServerDraft = (StdioEntry | HttpEntry) & Pick<ServerSpec, "id">;

/**
 * A field of a spec that is the value of a variable, whatever the dialect expands:
 * `bearer_token_env_var = "TOKEN"`.
 */
export interface VariableField {
  /** As in {@linkcode ConfiguredServer.places}. */
  readonly field: string;
  readonly variable: string;
  /** True if the server cannot be used without it; otherwise the field is left out. */
  readonly required: boolean;
}

/** Settings of one server that a spec has no place for. */
export interface ServerExtras {
  /**
   * A file with variables for the process, as it is written there. Variables in `env` take
   * precedence.
   */
  readonly envFile?: string | undefined;
  /** Settings for signing in. A secret may have references in it. */
  readonly oauth?:
    | {
        /** `"client_credentials"`: the host signs in as itself, and no user. */
        readonly flow?: "client_credentials" | undefined;
        readonly clientId?: string | undefined;
        readonly clientSecret?: string | undefined;
        readonly scopes?: readonly string[] | undefined;
        readonly callbackPort?: number | undefined;
        readonly redirectUri?: string | undefined;
        readonly metadataUrl?: string | undefined;
        readonly resource?: string | false | undefined;
      }
    | undefined;
  /**
   * True if somebody is asked before calls of its tools, for those that `tools` of the spec does
   * not name.
   */
  readonly approval?: "never" | "always" | undefined;
  /**
   * True if this server gets the context of a call as `_meta`, whatever the settings of the host
   * say.
   */
  readonly passContext?: boolean | undefined;
  /** True if nothing is sent to this server for a while after several failures in a row. */
  readonly breaker?: boolean | undefined;
}

/**
 * The scopes of a configuration. If two entries have the same name, the one whose scope is later in
 * this list wins.
 */
export const configScopes = ["extension", "user", "project", "local", "command-line"] as const;

/** See {@linkcode configScopes}. */
export type ConfigScope = (typeof configScopes)[number];

/**
 * The reason that a server does not start: its entry says so, its file or a list of names does,
 * nobody trusted what a project brings, or who loads wants others.
 */
export type OffReason = "disabled" | "not allowed" | "untrusted" | "not wanted";

/**
 * One server of a configuration, before references in it are expanded. Plain data but for its maps.
 */
export interface ConfiguredServer {
  /** Byte for byte the name in the file. */
  readonly id: string;
  readonly dialect: DialectName;
  readonly file?: string | undefined;
  /** The path of its entry, and the position of its name. */
  readonly path: ConfigPath;
  readonly position?: Position | undefined;
  /**
   * The scope of the server. Before layers are merged, only where its file has servers for several.
   */
  readonly scope?: ConfigScope | undefined;
  readonly draft: ServerDraft;
  /**
   * The place where each field of the draft was read: `"env.TOKEN"` to its path, and the position
   * of that.
   */
  readonly places: ReadonlyMap<string, FieldPlace>;
  readonly variables: readonly VariableField[];
  readonly extras: ServerExtras;
  /** The inputs that its file defines. */
  readonly inputs: readonly ConfigInput[];
  /** As in the `ConfigLayer` from which they are. */
  readonly projectFolder?: string | undefined;
  readonly baseFolder?: string | undefined;
  /** The reason that it does not start; absent: it does. */
  readonly off?: OffReason | undefined;
  /** Entries of the same name that this one is used in place of; the last one is the strongest. */
  readonly over?: readonly ConfiguredServer[] | undefined;
}

/** The place that a field of a spec was read from. */
export interface FieldPlace {
  readonly path: ConfigPath;
  readonly position?: Position | undefined;
}

/**
 * Every way of writing a configuration that is known here. `"mcp-json"` is `mcpServers` in a file
 * of no tool in particular.
 */
export const dialectNames = [
  "hostside",
  "mcp-json",
  "claude-code",
  "claude-desktop",
  "cursor",
  "vscode",
  "codex",
  "gemini",
  "windsurf",
  "zed",
  "cline",
  "roo",
  "continue",
  "opencode",
  "goose",
  "amazon-q",
  "mcporter",
  "evva",
  "nexo",
  "anda",
  "adk",
] as const;

/** The name of a dialect. */
export type DialectName = (typeof dialectNames)[number];

/** True if a text is the name of a dialect. */
export function isDialectName(name: string): name is DialectName {
  return (dialectNames as readonly string[]).includes(name);
}

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
