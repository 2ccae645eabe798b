import { quoteText } from "@hostside/core/implement";
import type { ConfigImport, HostSettings, ServeSettings, ServerExtras } from "../drafts/configured-server.ts";
import { isConfigMap, dataAt, type ConfigData } from "../parse/config-data.ts";
import type { ConfigEntry } from "./entry.ts";
import type { ServerReader } from "./server-reader.ts";
import { refuseUnknownKeys } from "./unknown-keys.ts";
import type { DraftBuilder } from "./draft-builder.ts";

/** The kind of a member: one of these words, an object of members, or read by a function. */
type Kind =
  | "flag"
  | "amount"
  | "number"
  | "text"
  | "texts"
  | readonly string[]
  | { readonly members: Shape }
  | ((entry: ConfigEntry, name: string) => unknown);
/** The members of an object, and their kinds. */
export type Shape = Readonly<Record<string, Kind>>;

const topFields: readonly string[] = ["$schema", "servers", "inputs", "imports", "settings", "serve"];
const shape: Shape = {
  enabled: "flag",
  resourceCache: { members: { enabled: "flag", ttlMs: "amount", maxEntries: "amount" } },
  allowedResourceUris: "texts",
  strictRootPaths: "flag",
  passContext: "flag",
  watch: { members: { enabled: "flag", quietMs: "amount" } },
  allowServers: "texts",
  denyServers: "texts",
};
const serveShape: Shape = {
  expose: ["all", "groups", "search"],
  tools: "texts",
  readOnly: "flag",
  requireApproval: "flag",
  redact: "flag",
};
const extrasShape: Shape = {
  envFile: "text",
  oauth: {
    members: {
      flow: readFlow,
      clientId: "text",
      clientSecret: "text",
      scopes: "texts",
      callbackPort: "amount",
      redirectUri: "text",
      metadataUrl: "text",
      resource: (oauth, name) => (oauth.get(name) === false ? false : oauth.text(name)),
    },
  },
  approval: ["never", "always"],
  passContext: "flag",
};

/** Members of a server in `hostside.json` that are no fields of a spec. */
export const extraFields: readonly string[] = Object.keys(extrasShape);

/** Reads {@linkcode extraFields}. */
export const readExtras = (entry: ConfigEntry): ServerExtras => readShape(entry, extrasShape);

/** Reads the settings of the host in `hostside.json`. */
export function readSettings(reader: ServerReader): HostSettings {
  const { top } = reader;
  if (top === undefined) return {};
  refuseUnknownKeys(top, topFields, "hostside.json");
  const imports = readImports(top);
  const settings = top.entry("settings");
  const serve = readServe(top);
  return {
    ...(settings === undefined ? {} : readShape(settings, shape, "hostside.json")),
    ...(imports.length === 0 ? {} : { imports }),
    ...(serve === undefined ? {} : { serve }),
  };
}

/** Reads members, and refuses others where `title` says of what. */
export function readShape(entry: ConfigEntry, members: Shape, title?: string): Record<string, unknown> {
  if (title !== undefined) refuseUnknownKeys(entry, Object.keys(members), title);
  const read = Object.entries(members).map(([name, kind]) => [name, readKind(entry, name, kind)] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

function readKind(entry: ConfigEntry, name: string, kind: Kind): unknown {
  if (typeof kind === "function") return kind(entry, name);
  if (typeof kind === "object" && "members" in kind) {
    const inner = entry.entry(name);
    return inner && readShape(inner, kind.members, "hostside.json");
  }
  if (kind === "flag" || kind === "number" || kind === "texts") return entry[kind](name);
  if (kind === "amount") {
    const amount = entry.number(name);
    if (amount === undefined || amount > 0) return amount;
    entry.error(name, { code: "out_of_range", message: "must be above 0" });
    return undefined;
  }
  const text = entry.text(name);
  if (text === undefined || kind === "text" || kind.includes(text)) return text;
  const words = kind
    .map((word) => JSON.stringify(word))
    .join(", ")
    .replace(/, (?=[^,]*$)/, " or ");
  entry.error(name, { code: "wrong_type", message: `must be ${words}, and is ${quoteText(text, 40)}` });
  return undefined;
}

function readServe(top: ConfigEntry): ServeSettings | undefined {
  if (!top.has("serve")) return undefined;
  const serve = top.entry("serve");
  const read = serve && readShape(serve, serveShape, "serve");
  // What cannot be read offers nothing: a list that was meant to narrow must not vanish.
  return serve === undefined || serve.failed() ? { tools: [] } : read;
}

function readImports(top: ConfigEntry): readonly ConfigImport[] {
  return (top.list("imports") ?? []).flatMap((item, index) => {
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
 * Reads a server's `oauth`, in the spellings of several tools. `false`, `enabled: false` or no
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
function readFlow(oauth: ConfigEntry): OauthSettings["flow"] {
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

const allowedKeys = ["allowedMcpServers", "allowed"];
const deniedKeys = ["deniedMcpServers", "disabledMcpjsonServers", "excluded"];

/** The lists of servers that may be used and that may not, of names or of objects with a name. */
export function readServerLists(owner: ConfigEntry | undefined): HostSettings {
  return owner === undefined
    ? {}
    : { allowServers: namesAt(owner, allowedKeys), denyServers: namesAt(owner, deniedKeys) };
}

function namesAt(owner: ConfigEntry, keys: readonly string[]): readonly string[] | undefined {
  const lists = keys.map((key) => ({ key, list: owner.list(key) }));
  if (lists.every(({ list }) => list === undefined)) return undefined;
  return lists.flatMap(({ key, list = [] }) =>
    list.flatMap((item, index) => {
      const name = nameOf(item);
      if (name !== undefined) return [name];
      owner.warn([key, index], { code: "unsupported", message: "names no server" });
      return [];
    }),
  );
}

function nameOf(item: ConfigData): string | undefined {
  if (typeof item === "string") return item;
  const name = dataAt(item, ["serverName"]) ?? dataAt(item, ["name"]);
  return typeof name === "string" ? name : undefined;
}
