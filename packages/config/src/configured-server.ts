import type { HttpEntry, ServerSpec, StdioEntry } from "@hostside/core";
import type { DialectName } from "./dialects/dialect-name.ts";
import type { ConfigInput } from "./host-settings.ts";
import type { ConfigPath } from "./parse/config-data.ts";
import type { Position } from "./parse/parsed-config.ts";

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
  /** Whether the server cannot be used without it; otherwise the field is left out. */
  readonly required: boolean;
}

/** What a configuration says of one server, and a spec has no place for. */
export interface ServerExtras {
  /** A file with variables for the process, as it is written there. What `env` has wins. */
  readonly envFile?: string | undefined;
  /** What it says about signing in. A secret may have references in it. */
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
   * Whether somebody is asked before calls of its tools, for those that `tools` of the spec does
   * not name.
   */
  readonly approval?: "never" | "always" | undefined;
  /**
   * Whether this server gets the context of a call as `_meta`, whatever the settings of the host
   * say.
   */
  readonly passContext?: boolean | undefined;
  /** Whether nothing is sent to this server for a while after several failures in a row. */
  readonly breaker?: boolean | undefined;
  /** The folder that a process without a `cwd` starts in, where the dialect has one. */
  readonly defaultCwd?: "workspaceFolder" | undefined;
}

/**
 * One server of a configuration, before references in it are expanded. Plain data but for its maps.
 */
export interface ConfiguredServer {
  /** Byte for byte the name in the file. */
  readonly id: string;
  readonly dialect: DialectName;
  readonly file?: string | undefined;
  /** Of its entry, and where its name stands. */
  readonly path: ConfigPath;
  readonly position?: Position | undefined;
  /** Who the file says that the server is for, where one file says it of several. */
  readonly scope?: "user" | "project" | "local" | undefined;
  readonly draft: ServerDraft;
  /**
   * Where each field of the draft was read: `"env.TOKEN"` to its path, and the position of that.
   */
  readonly places: ReadonlyMap<string, FieldPlace>;
  readonly variables: readonly VariableField[];
  readonly extras: ServerExtras;
  /** The inputs that its file defines. */
  readonly inputs: readonly ConfigInput[];
}

/** Where a field of a spec was read. */
export interface FieldPlace {
  readonly path: ConfigPath;
  readonly position?: Position | undefined;
}
