import type { ServerLimits, ServerTimeouts } from "./limits.ts";
import type { ToolEffect } from "./tool.ts";
import type { Given } from "./options.ts";

/**
 * Which calls to one server may overlap: none, only those of tools that declare themselves
 * read-only, or all.
 */
type Concurrency = "serial" | "read-only-parallel" | "parallel";

/**
 * The callers who may share one connection to a server: all, those of one principal, or only the
 * calls of one conversation.
 */
export type ServerSharing = "shared" | "principal" | "conversation";

/** The host's own words on one tool, in place of its server's. */
export interface ToolOverride {
  /** Wins over the server's hints, trusted or not. */
  readonly effect?: ToolEffect | undefined;
  /** Whether a human is to be asked before each call; for interceptors, nothing here asks. */
  readonly requireApproval?: boolean | undefined;
  /** Shown instead of the server's title. */
  readonly title?: string | undefined;
  /** The text that a model reads instead of the server's description. */
  readonly description?: string | undefined;
}

/** The settings of every entry, whatever the type of its server. */
export interface EntrySettings {
  /** Shown to people and models instead of the title that the server claims. */
  readonly title?: string | undefined;
  /**
   * Protocol era: `"auto"` (default) finds out and remembers; `"legacy"` is 2024-11-05 to
   * 2025-11-25.
   */
  readonly era?: "auto" | "legacy" | "2026-07-28" | undefined;
  /** Remote tool names to offer, exact and case-sensitive. Empty or absent: all. */
  readonly allow?: readonly string[] | undefined;
  /** Remote tool names to hide, exact and case-sensitive. Wins over {@linkcode allow}. */
  readonly deny?: readonly string[] | undefined;
  /**
   * The host's own words on single tools, by remote name, exact and case-sensitive. A name that the
   * server does not list is a diagnostic.
   */
  readonly tools?: Readonly<Record<string, ToolOverride>> | undefined;
  /**
   * The host's own marks, for whoever decides about the server's tools:
   * `{ scope: "project", trust: "vendor" }`. At most 32, each a name of up to 64 characters with a
   * value of up to 256.
   */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /**
   * `true`: the server's hints say what its tools do, where `tools` does not. Default `false`: its
   * hints decide nothing, and the effect of a tool that is not in `tools` is `"external"`.
   */
  readonly trustAnnotations?: boolean | undefined;
  /** `true`: no process, no request, status `disabled`. Default `false`. */
  readonly disabled?: boolean | undefined;
  /**
   * `true`: `init()` rejects when this server cannot be reached. Default `false`: its failure is a
   * status.
   */
  readonly required?: boolean | undefined;
  /**
   * When the server is started. `"init"` (default): `init()` starts it and waits for it.
   * `"background"`: `init()` starts it and waits for nothing of it; its tools arrive by event.
   * `"call"`: `init()` leaves it alone; it starts when somebody needs it, by `refresh()`,
   * `connection()` or a toolbox's call with `wait: "servers"`. A `required` server starts with
   * `"init"`.
   */
  readonly startup?: "init" | "background" | "call" | undefined;
  /**
   * `false`: the server may ask no human, whatever handler the host has; elicitation is not even
   * offered to it. Default `true`: it may, where there is a handler.
   */
  readonly elicitation?: boolean | undefined;
  /**
   * The callers who may share one connection to it, where a host keeps conversations apart.
   * Default: `"principal"` for a server with credentials, of whatever kind, else `"shared"`. A
   * server that remembers what it was asked, such as a process with a notebook, wants
   * `"conversation"`.
   */
  readonly sharing?: ServerSharing | undefined;
  /**
   * Default `"parallel"`, because most servers answer out of order without trouble and one slow
   * call should not hold the others.
   */
  readonly concurrency?: Concurrency | undefined;
  readonly timeouts?: Given<ServerTimeouts> | undefined;
  readonly limits?: Given<ServerLimits> | undefined;
}

/**
 * A program that speaks newline-delimited JSON-RPC on stdin and stdout. No shell is ever involved.
 */
export interface StdioEntry extends EntrySettings {
  /** May be left out beside {@linkcode command}. */
  readonly type?: "stdio" | undefined;
  /** The program, as a path or a name on `PATH`. */
  readonly command: string;
  /** Arguments, passed verbatim. Default none. */
  readonly args?: readonly string[] | undefined;
  /** Variables added to the child's environment; they win over inherited ones. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * The part of this process's environment that the child inherits: `"safe"` (default) a short list
   * without secrets (`PATH`, `HOME`, `LANG`, `TMPDIR` and their like, proxies and certificates, the
   * settings of npm), `"all"` everything, `"none"` nothing.
   */
  readonly inheritEnv?: "safe" | "all" | "none" | undefined;
  /** Working directory of the child. Default: that of this process. */
  readonly cwd?: string | undefined;
  readonly url?: undefined;
}

/** A server behind a URL. */
export interface HttpEntry extends EntrySettings {
  /**
   * May be left out beside {@linkcode url}. `"sse"` and `"streamable-http"`, as `mcpServers` files
   * have them, mean `"http"` with {@linkcode mode} `"sse"` or `"streamable"`.
   */
  readonly type?: "http" | "sse" | "streamable-http" | undefined;
  /** `https:` or `http:`, without user info and fragment. */
  readonly url: string;
  /**
   * Headers for every request. A header that carries credentials (`authorization`, `cookie`,
   * `proxy-authorization`, `x-api…`, `x-auth…`) needs `https:` or a loopback address. Headers that
   * belong to the protocol (`mcp-…`, `host`, …) are refused.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as `Authorization: Bearer …`; trimmed, ignored when blank. */
  readonly bearerToken?: string | undefined;
  /**
   * The connector's authorization provider is asked for credentials: `"oauth"` a user signs in for
   * them, `"api-key"` the host has keys or tokens of its own, which it may replace at any time.
   * Excludes {@linkcode bearerToken} and an `authorization` header.
   */
  readonly auth?: HttpAuth | undefined;
  /**
   * `"auto"` (default) tries Streamable HTTP and falls back to the old HTTP+SSE on 400, 404, 405 or
   * 415, never after 401 or 403.
   */
  readonly mode?: "auto" | "streamable" | "sse" | undefined;
  /** TLS of this server alone. On Node, and not together with a `fetch` of the connector's. */
  readonly tls?: ServerTls | undefined;
  readonly command?: undefined;
}

/** TLS of one server. Texts are PEM; in a file they may be paths of files with PEM. */
export interface ServerTls {
  /** Authorities that are trusted beside those of the process, also at its authorization server. */
  readonly ca?: string | readonly string[] | undefined;
  /** The host's own certificate, shown to the origin of the server alone. Needs `key`. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** A server inside this process, for tests and for embedding. */
export interface MemoryEntry extends EntrySettings {
  readonly type: "memory";
  /**
   * Called once per connection with the server's end of a linked pair of transports; typically
   * `(transport) => new McpServer(…).connect(transport)`. The type is opaque here, because core
   * knows no SDK.
   */
  readonly serve: (serverTransport: never) => unknown;
  readonly command?: undefined;
  readonly url?: undefined;
}

/**
 * A transport of your own. The connector defines what `open` may return.
 */
export interface CustomEntry extends EntrySettings {
  readonly type: "custom";
  /** Called once per connection attempt. */
  readonly open: (context: { readonly serverId: string; readonly signal: AbortSignal }) => unknown;
  readonly command?: undefined;
  readonly url?: undefined;
}

/**
 * A server as a product or a file configures it: the entry of `mcpServers` files, and more. Plain
 * data, JSON-able but for memory and custom entries; nothing starts and nothing is read from the
 * environment by making one.
 */
export type ServerEntry = StdioEntry | HttpEntry | MemoryEntry | CustomEntry;

/** The entry of a server with its id. */
export type ServerSpec = ServerEntry & {
  /**
   * The product's own name of the server; compared byte for byte, part of every local tool name.
   * Never the name a server claims.
   */
  readonly id: string;
  /**
   * The place of the entry: the path of a file, for example. Part of the identity of the server:
   * the same id and program from another source is another server. Default: none.
   */
  readonly source?: string | undefined;
  /**
   * `true`: requests carry more of their caller than the connection does, such as `_meta` or
   * headers of their own. No answer of the server is then kept for another request. Default
   * `false`.
   */
  readonly perCaller?: boolean | undefined;
};

/** How a server is reached. */
export type ServerType = "stdio" | "http" | "memory" | "custom";

/** Says of which type a server is, with or without a `type` in its entry. */
export function serverTypeOf(entry: ServerEntry): ServerType {
  if (entry.command !== undefined) return "stdio";
  return entry.url === undefined ? entry.type : "http";
}

/** The source of a server's credentials, beside those of its spec. */
export const httpAuths = ["oauth", "api-key"] as const;

/** One of {@linkcode httpAuths}. */
export type HttpAuth = (typeof httpAuths)[number];

/**
 * `legacy` is 2024-11-05 to 2025-11-25: a handshake and a session. `modern` is 2026-07-28:
 * stateless.
 */
export type ProtocolEra = "legacy" | "modern";
