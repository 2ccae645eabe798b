import { type ServerLimits, type ServerTimeouts, defaultLimits, defaultTimeouts, longestTimeoutMs } from "./limits.ts";
import { type ToolEffect, toolEffects } from "./tool.ts";
import type { Given } from "./options.ts";
import { findMeant, hintForUnknown } from "./find-meant.ts";
import { isJsonObject, isPlainObject, kindOf } from "./json.ts";
import { quoteText } from "./text.ts";
import { HostsideError } from "./hostside-error.ts";

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

/** A fault of a value: `at` is a path below it, and empty for the value itself. */
interface Fault {
  readonly at?: string;
  readonly rule: string;
}
type Check = (value: unknown) => Fault | undefined;
type Checks<T> = Readonly<Record<keyof T, Check>>;

const isAnything: Check = () => undefined;
const isText = must("must be a string", (value) => typeof value === "string");
const isFlag = must("must be a boolean", (value) => typeof value === "boolean");
const isFunction = must("must be a function", (value) => typeof value === "function");
const areTexts = must(
  "must be an array of strings",
  (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
);
const isCount = must("must be a positive integer", (value) => Number.isSafeInteger(value) && Number(value) > 0);
const isDuration = must(
  `must be a positive number of milliseconds, at most ${longestTimeoutMs}`,
  (value) => typeof value === "number" && value > 0 && value <= longestTimeoutMs,
);
// Of a value that may be a secret, its type alone is said.
const isTextRecord = recordOf("must be an object of strings", (name, value) => {
  const kind = value === null || value === undefined ? String(value) : `a ${typeof value}`;
  return typeof value === "string" ? undefined : { at: `.${name}`, rule: `must be a string, and is ${kind}` };
});

const mostLabels = 32;
const longestLabel = 64;
const longestLabelValue = 256;

function areLabels(labels: unknown): Fault | undefined {
  const fault = isTextRecord(labels);
  if (fault !== undefined || !isJsonObject(labels)) return fault;
  const entries = Object.entries(labels);
  if (entries.length > mostLabels) return { rule: `must have at most ${mostLabels} labels` };
  for (const [label, value] of entries) {
    const at = `[${quoteText(label, 80)}]`;
    if (label.trim() === "" || label.length > longestLabel) {
      return { at, rule: `must have a name of 1 to ${longestLabel} characters` };
    }
    if (typeof value === "string" && value.length > longestLabelValue) {
      return { at, rule: `must have at most ${longestLabelValue} characters` };
    }
  }
  return undefined;
}

const isOverride = objectOf<ToolOverride>({
  effect: oneOf(...toolEffects),
  requireApproval: isFlag,
  title: isText,
  description: isText,
});
const timeoutChecks: Checks<ServerTimeouts> = {
  ...checkEach(defaultTimeouts, isDuration),
  callIdleMs: isDuration,
};

/** The members that every entry may have. */
export const settingFields: Checks<EntrySettings> = {
  title: isText,
  era: oneOf("auto", "legacy", "2026-07-28"),
  concurrency: oneOf("serial", "read-only-parallel", "parallel"),
  disabled: isFlag,
  required: isFlag,
  startup: oneOf("init", "background", "call"),
  elicitation: isFlag,
  sharing: oneOf("shared", "principal", "conversation"),
  allow: areTexts,
  deny: areTexts,
  tools: recordOf("must be an object of objects", (name, override) => {
    const fault = isOverride(override);
    return fault && { ...fault, at: `[${quoteText(name, 80)}]${fault.at ?? ""}` };
  }),
  labels: areLabels,
  trustAnnotations: isFlag,
  timeouts: objectOf(timeoutChecks),
  limits: objectOf(checkEach(defaultLimits, isCount)),
};
/** The members that an entry may have, by the type of its server. */
const serverEntryFields: {
  readonly stdio: Checks<Omit<StdioEntry, "url">>;
  readonly http: Checks<Omit<HttpEntry, "command">>;
  readonly memory: Checks<Omit<MemoryEntry, "command" | "url">>;
  readonly custom: Checks<Omit<CustomEntry, "command" | "url">>;
} = {
  stdio: {
    type: isAnything,
    command: isGiven,
    args: areTexts,
    env: isTextRecord,
    inheritEnv: oneOf("safe", "all", "none"),
    cwd: isText,
    ...settingFields,
  },
  http: {
    type: isAnything,
    url: isGiven,
    headers: isTextRecord,
    bearerToken: isText,
    auth: oneOf(...httpAuths),
    mode: oneOf("auto", "streamable", "sse"),
    tls: objectOf<ServerTls>({ ca: (value) => isText(value) && areTexts(value), cert: isText, key: isText }),
    ...settingFields,
  },
  memory: { type: isAnything, serve: isFunction, ...settingFields },
  custom: { type: isAnything, open: isFunction, ...settingFields },
};
// These are checked even where they are absent.
const needed: ReadonlySet<string> = new Set(["command", "url", "serve", "open"]);

/**
 * Checks everything about a spec that needs no knowledge of a transport: shape, blank or unknown
 * fields, kinds, ranges. Rules that only a connector knows (header rules, credentials on plain
 * HTTP) is in its `check`.
 *
 * Throws `invalid_spec`, naming the server, the field and the rule; never the value of a field that
 * may hold a secret.
 *
 * @example
 * assertServerSpec({ id: "files", command: "npx", args: ["-y", "some-server"] });
 */
export function assertServerSpec(spec: unknown): asserts spec is ServerSpec {
  if (!isJsonObject(spec)) throw specError("?", "", "must be an object");
  const members: Readonly<Record<string, unknown>> = spec;
  const { id, required, startup = "init" } = members;
  if (typeof id !== "string") throw specError("?", "id", "must be a string");
  if (id.trim() === "") throw specError(id, "id", "must not be blank");
  const checks: Readonly<Record<string, Check>> = {
    id: isAnything,
    source: isText,
    perCaller: isFlag,
    ...serverEntryFields[readType(id, members)],
  };
  const fault = findFault(members, checks);
  if (fault !== undefined) throw specError(id, fault.at.slice(1), fault.rule);
  if (required === true && startup !== "init") {
    throw specError(id, "startup", 'must be "init" for a server that is required: init() waits for it');
  }
}

/** An `invalid_spec` error: `server "<id>": <field> <rule>`. */
export function specError(serverId: string, field: string, rule: string): HostsideError {
  return new HostsideError(`server ${JSON.stringify(serverId)}: ${field === "" ? "the spec" : field} ${rule}`, {
    code: "invalid_spec",
    serverId,
    details: { field },
  });
}

function must(rule: string, holds: (value: unknown) => boolean): Check {
  return (value) => (holds(value) ? undefined : { rule });
}

function oneOf(...values: readonly unknown[]): Check {
  const known = values.map((value) => JSON.stringify(value)).join(", ");
  return must(`must be one of ${known}`, (value) => values.includes(value));
}

function isGiven(value: unknown): Fault | undefined {
  if (value !== undefined && typeof value !== "string") return { rule: `must be a string, not ${kindOf(value)}` };
  return value === undefined || value.trim() === "" ? { rule: "must not be blank" } : undefined;
}

function recordOf(rule: string, check: (name: string, value: unknown) => Fault | undefined): Check {
  return (value) => {
    // A Map has no members of its own: what is in it would be lost.
    if (!isPlainObject(value)) return { rule };
    for (const [name, member] of Object.entries(value)) {
      const fault = check(name, member);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

function objectOf<T>(checks: Checks<T>): Check {
  return (value) =>
    isPlainObject(value) ? findFault(value, checks) : { rule: `must be an object, not ${kindOf(value)}` };
}

function checkEach<T extends object>(members: T, check: Check): Checks<T> {
  return Object.fromEntries(Object.keys(members).map((name) => [name, check])) as Checks<T>;
}

// One letter too many in `deny` would offer what was meant to be hidden.
function findFault(
  owner: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, Check>>,
): Required<Fault> | undefined {
  const unknown = Object.keys(owner).find((name) => owner[name] !== undefined && !Object.hasOwn(checks, name));
  if (unknown !== undefined) {
    return { at: `.${unknown}`, rule: `is unknown; ${hintForUnknown(unknown, Object.keys(checks))}` };
  }
  for (const [name, check] of Object.entries(checks)) {
    const fault = owner[name] === undefined && !needed.has(name) ? undefined : check(owner[name]);
    if (fault !== undefined) return { at: `.${name}${fault.at ?? ""}`, rule: fault.rule };
  }
  return undefined;
}

function readType(id: string, spec: Readonly<Record<string, unknown>>): ServerType {
  const { type, command, url, mode } = spec;
  if (isJsonObject(spec["transport"])) {
    throw specError(id, "transport", "is unknown: its members belong in the entry itself, as in { command, args }");
  }
  if (command !== undefined && url !== undefined) throw specError(id, "url", "cannot be set together with command");
  switch (type) {
    case undefined:
      if (command !== undefined) return "stdio";
      if (url !== undefined) return "http";
      throw missingProgram(id, spec);
    case "sse":
    case "streamable-http": {
      const meant = httpModes[type];
      if (mode === undefined || mode === meant) return "http";
      throw specError(id, "mode", `must be ${JSON.stringify(meant)} beside type: ${JSON.stringify(type)}`);
    }
    case "stdio":
    case "http":
    case "memory":
    case "custom":
      return type;
    default:
      throw specError(id, "type", `must be "stdio", "http", "memory" or "custom"${hintForType(type)}`);
  }
}

/** The modes of HTTP that a type of `mcpServers` files stands for. */
const httpModes = { sse: "sse", "streamable-http": "streamable" } as const;

function missingProgram(id: string, spec: Readonly<Record<string, unknown>>): HostsideError {
  for (const name of Object.keys(spec)) {
    if (name in settingFields) continue;
    const [meant] = findMeant(name, ["command", "url"], (one) => [one]);
    if (meant !== undefined) return specError(id, name, `is unknown; did you mean ${meant}?`);
  }
  return specError(id, "", "must have a command, a url, or a type");
}

// As other products write it.
function hintForType(type: unknown): string {
  return typeof type === "string" && /^(?:streamable[-_]?)?https?$/i.test(type) ? '; here it is "http"' : "";
}

/**
 * Copies a spec that has passed `assertServerSpec`, and freezes the copy: later changes to the
 * original have no effect. The copy has its `type`, and for `"sse"` and `"streamable-http"` it has
 * type `"http"` and a `mode`. Functions, and objects of a class, are kept as they are.
 */
export function copySpec(spec: ServerSpec): ServerSpec {
  return copyData(normalize(spec));
}

/**
 * Picks the members that say how a server is reached, its settings left out; equal for equal
 * servers.
 */
export function reachOf(entry: ServerEntry): Readonly<Record<string, unknown>> {
  const type = serverTypeOf(entry);
  const members = Object.entries(normalize(entry)).filter(
    ([name, value]) => value !== undefined && name in serverEntryFields[type] && !(name in settingFields),
  );
  return Object.fromEntries(members);
}

// With a type, and one way to write a mode.
function normalize<Entry extends ServerEntry>(entry: Entry): Entry {
  if (entry.url === undefined) return { ...entry, type: serverTypeOf(entry) };
  const { type = "http" } = entry;
  return { ...entry, type: "http", ...(type !== "http" && { mode: httpModes[type] }) };
}

// Bounded by the shape of a spec, which has no place for anything deeper.
function copyData<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  // A copy has the type of what it is a copy of.
  if (Array.isArray(value)) return Object.freeze(value.map(copyData)) as T;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  // fromEntries defines members, so that a header called "__proto__" is one like any other.
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyData(member)])),
  ) as T;
}
