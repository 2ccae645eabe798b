import type { HttpEntry, ServerSpec, StdioEntry } from "@hostside/core";
import type { ConfigInput } from "./host-settings.ts";
import type { ConfigPath } from "../parse/config-data.ts";
import type { Position } from "../parse/parsed-config.ts";

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
  /** The folder that a process without a `cwd` starts in, where the dialect has one. */
  readonly defaultCwd?: "workspaceFolder" | undefined;
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
