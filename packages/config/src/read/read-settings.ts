import { quoteText } from "@hostside/core/implement";
import type { ConfigImport, ConfigInput, HostSettings, ServeSettings } from "../drafts/host-settings.ts";
import { isConfigMap, nameOfData, dataAt, type ConfigData, type ConfigPath } from "../parse/config-data.ts";
import type { ConfigEntry } from "./entry.ts";
import type { ServerReader } from "./server-reader.ts";
import { refuseUnknownKeys } from "./unknown-keys.ts";
import type { ParsedConfig } from "../parse/parsed-config.ts";
import type { ProblemInit } from "../parse/problem-list.ts";
import type { ServerExtras } from "../drafts/configured-server.ts";
import type { DraftBuilder } from "./draft-builder.ts";

type Kind = "flag" | "number" | "texts";
type Shape = Readonly<Record<string, Kind | Readonly<Record<string, "flag" | "number">>>>;

const topFields: readonly string[] = ["$schema", "servers", "inputs", "imports", "settings", "serve"];
const shape: Shape = {
  enabled: "flag",
  resourceCache: { enabled: "flag", ttlMs: "number", maxEntries: "number" },
  allowedResourceUris: "texts",
  strictRootPaths: "flag",
  passContext: "flag",
  watch: { enabled: "flag", quietMs: "number" },
  allowServers: "texts",
  denyServers: "texts",
};

/** What `hostside.json` says of the host. */
export function readSettings(reader: ServerReader, inputs: readonly ConfigInput[]): HostSettings {
  const top = reader.entryAt([]);
  if (top === undefined) return {};
  refuseUnknownKeys(top, topFields, "hostside.json");
  const imports = readImports(top);
  const settings = top.entry("settings");
  const serve = readServe(top);
  return {
    ...(settings === undefined ? {} : readShape(settings, shape)),
    ...(imports.length === 0 ? {} : { imports }),
    ...(inputs.length === 0 ? {} : { inputs }),
    ...(serve === undefined ? {} : { serve }),
  };
}

function readShape(entry: ConfigEntry, members: Shape): HostSettings {
  refuseUnknownKeys(entry, Object.keys(members), "hostside.json");
  const read: [string, unknown][] = [];
  for (const [name, kind] of Object.entries(members)) {
    const inner = typeof kind === "string" ? undefined : entry.entry(name);
    if (typeof kind === "string") read.push([name, readKind(entry, name, kind)]);
    else if (inner !== undefined) read.push([name, readShape(inner, kind)]);
  }
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

function readKind(entry: ConfigEntry, name: string, kind: Kind): unknown {
  if (kind === "flag") return entry.flag(name);
  if (kind === "texts") return entry.texts(name);
  const amount = entry.number(name);
  if (amount === undefined || amount > 0) return amount;
  entry.error(name, { code: "out_of_range", message: "must be above 0" });
  return undefined;
}

const exposures: readonly unknown[] = ["all", "groups", "search"] satisfies ServeSettings["expose"][];
const serveFields: readonly string[] = ["expose", "tools", "readOnly", "requireApproval", "redact"];

function readServe(top: ConfigEntry): ServeSettings | undefined {
  // What cannot be read offers nothing: a list that was meant to narrow must not vanish.
  const closed: ServeSettings = { tools: [] };
  if (!top.has("serve")) return undefined;
  const serve = top.entry("serve");
  if (serve === undefined) return closed;
  refuseUnknownKeys(serve, serveFields, "serve");
  const expose = serve.text("expose");
  if (expose !== undefined && !exposures.includes(expose)) {
    serve.error("expose", {
      code: "wrong_type",
      message: `must be "all", "groups" or "search", and is ${quoteText(expose, 40)}`,
    });
  }
  const given = {
    expose: expose as ServeSettings["expose"],
    tools: serve.texts("tools"),
    readOnly: serve.flag("readOnly"),
    requireApproval: serve.flag("requireApproval"),
    redact: serve.flag("redact"),
  };
  return serve.failed() ? closed : Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function readImports(top: ConfigEntry): readonly ConfigImport[] {
  const list = top.get("imports");
  if (list === undefined) return [];
  if (!Array.isArray(list)) {
    top.error("imports", { code: "wrong_type", message: `must be a list, and is ${nameOfData(list)}` });
    return [];
  }
  return (list as readonly ConfigData[]).flatMap((item, index) => {
    const from = isConfigMap(item) ? item.get("from") : item;
    const dialect = isConfigMap(item) ? item.get("dialect") : undefined;
    if (typeof from === "string" && from !== "") return [{ from, ...(typeof dialect === "string" ? { dialect } : {}) }];
    top.error("imports", {
      code: "wrong_type",
      message: `item ${index} must be a dialect, a path, or an object with from`,
    });
    return [];
  });
}

const types: ReadonlySet<string> = new Set(["promptString", "pickString", "command"]);
const mostInputs = 1000;

/** The inputs that a file defines, in the shape of VS Code. */
export function readInputs(
  parsed: ParsedConfig,
  path: ConfigPath,
): { readonly inputs: readonly ConfigInput[]; readonly problems: readonly ProblemInit[] } {
  const list = dataAt(parsed.data, path) ?? undefined;
  const problems: ProblemInit[] = [];
  const refuse = (at: ConfigPath, message: string): void =>
    void problems.push({ path: at, severity: "error", code: "wrong_type", message });
  if (list === undefined) return { inputs: [], problems };
  if (!Array.isArray(list)) {
    refuse(path, `must be a list, and is ${nameOfData(list)}`);
    return { inputs: [], problems };
  }
  const inputs: ConfigInput[] = [];
  for (const [index, item] of (list as readonly ConfigData[]).slice(0, mostInputs).entries()) {
    const id = dataAt(item, ["id"]);
    const type = dataAt(item, ["type"]) ?? "promptString";
    if (!isConfigMap(item) || typeof id !== "string") refuse([...path, index], "must be an object with an id");
    else if (typeof type !== "string" || !types.has(type)) refuse([...path, index, "type"], "is no type of an input");
    else inputs.push(readInput(item, id, type as ConfigInput["type"]));
  }
  return { inputs, problems };
}

function readInput(item: ReadonlyMap<string, ConfigData>, id: string, type: ConfigInput["type"]): ConfigInput {
  const description = item.get("description");
  const fallback = item.get("default");
  const options = item.get("options");
  return {
    id,
    type,
    ...(typeof description === "string" ? { description } : {}),
    ...(typeof fallback === "string" ? { default: fallback } : {}),
    ...(item.get("password") === true ? { password: true } : {}),
    ...(Array.isArray(options)
      ? { options: (options as readonly ConfigData[]).filter((one) => typeof one === "string") }
      : {}),
  };
}

type OauthSettings = NonNullable<ServerExtras["oauth"]>;

const spellings = {
  clientId: ["clientId", "client_id", "CLIENT_ID"],
  clientSecret: ["clientSecret", "client_secret", "CLIENT_SECRET"],
  metadataUrl: ["authServerMetadataUrl"],
  redirectUri: ["redirectUri", "redirect_uri", "redirectURI"],
} as const;
const known: ReadonlySet<string> = new Set([
  ...Object.values(spellings).flat(),
  "flow",
  "callbackPort",
  "scopes",
  "scope",
  "enabled",
]);

/**
 * What a server's `oauth` says, in the spellings of several tools. `false`, `enabled: false` or no
 * object: nothing.
 */
export function readOauth(entry: ConfigEntry, draft: DraftBuilder, key: string = "oauth"): OauthSettings | undefined {
  const oauth = typeof entry.get(key) === "boolean" ? undefined : entry.entry(key);
  if (oauth === undefined || oauth.flag("enabled") === false) return undefined;
  const settings = new Map<string, unknown>();
  for (const [field, names] of Object.entries(spellings)) {
    const name = names.find((one) => oauth.has(one));
    if (name === undefined) continue;
    settings.set(field, oauth.text(name));
    draft.place(`oauth.${field}`, oauth.at(name));
  }
  settings.set("flow", readFlow(oauth));
  settings.set("callbackPort", oauth.number("callbackPort"));
  const scopesKey = oauth.has("scopes") ? "scopes" : "scope";
  const written = oauth.get(scopesKey);
  settings.set(
    "scopes",
    typeof written === "string" ? written.split(/[\s,]+/).filter(Boolean) : oauth.texts(scopesKey),
  );
  for (const name of oauth.names) {
    if (!known.has(name)) oauth.warn(name, { code: "unsupported", message: "is not used here when signing in" });
  }
  const found = Object.fromEntries([...settings].filter(([, setting]) => setting !== undefined));
  draft.extra("oauth", found);
  return found;
}

/** The word for the way of signing in. Without a client there is nothing to sign in as. */
export function readFlow(oauth: ConfigEntry): OauthSettings["flow"] {
  const flow = oauth.text("flow");
  if (flow === undefined || flow === "authorization_code") return undefined;
  if (flow !== "client_credentials") {
    oauth.error("flow", { code: "wrong_type", message: 'must be "authorization_code" or "client_credentials"' });
    return undefined;
  }
  const has = (names: readonly string[]): boolean => names.some((name) => oauth.has(name));
  if (!has(spellings.clientId) || !has(spellings.clientSecret)) {
    oauth.error("flow", { code: "missing_field", message: "client_credentials needs a client id and a client secret" });
  }
  return flow;
}
