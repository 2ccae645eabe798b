import type { ServerExtras } from "@hostside/config";
import { assertServerSpec, isHostsideError, type ServerEntry, type ServerSpec } from "@hostside/core";
import { copySpec, isPlainObject, kindOf, specError } from "@hostside/core/implement";

/** Members of an entry that concern the whole host, as `hostside.json` has them. */
export interface HostEntryExtras extends Pick<ServerExtras, "approval" | "oauth" | "passContext"> {}

/**
 * A server in `createHost({ servers })`, `host.servers.add()` and `createSharedServers()`: the
 * entry of `mcpServers` files, and the members that `hostside.json` has. Values are used as they
 * are: `${NAME}` is expanded in files alone.
 */
export type HostServerEntry = ServerEntry & HostEntryExtras;

/** A checked entry. */
export interface ReadEntry {
  readonly spec: ServerSpec;
  readonly extras: HostEntryExtras;
}

/**
 * Reads an entry of code. Throws `invalid_spec` with the member and the rule, never with a value.
 */
export function readServerEntry(name: string, entry: unknown): ReadEntry {
  if (!isPlainObject(entry)) throw specError(name, "", `must be an object, not ${kindOf(entry)}`);
  const { approval, oauth, passContext, id: _id, ...members }: Record<string, unknown> = { ...entry };
  if ("id" in entry) throw specError(name, "id", "is unknown: the name of the entry is the id");
  for (const member of ["source", "perCaller"]) {
    if (member in entry) throw specError(name, member, "is unknown: the host sets it");
  }
  if (approval !== undefined && approval !== "always" && approval !== "never") {
    throw specError(name, "approval", 'must be one of "always", "never"');
  }
  if (passContext !== undefined && typeof passContext !== "boolean") {
    throw specError(name, "passContext", "must be a boolean");
  }
  if (oauth !== undefined) assertOauth(name, oauth);
  const given: unknown = { ...members, id: name };
  assertServerSpec(given);
  const spec = copySpec(given);
  if (oauth !== undefined && (spec.type !== "http" || spec.bearerToken !== undefined)) {
    throw specError(name, "oauth", "needs a server with a url, and no bearerToken");
  }
  return {
    spec: approval === "always" ? { ...spec, labels: { ...spec.labels, approval } } : spec,
    extras: {
      ...(approval !== undefined && { approval }),
      ...(oauth !== undefined && { oauth }),
      ...(passContext !== undefined && { passContext }),
    },
  };
}

const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";
const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one: unknown) => typeof one === "string");
const isPort = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535;
const isUrl = (value: unknown): boolean => typeof value === "string" && URL.canParse(value);
const text = [isText, "must be a non-empty string"] as const;
const url = [isUrl, "must be an absolute URL"] as const;

const oauthRules: Readonly<
  Record<keyof NonNullable<HostEntryExtras["oauth"]>, readonly [check: (value: unknown) => boolean, rule: string]>
> = {
  clientId: text,
  clientSecret: text,
  scopes: [isTextList, "must be an array of strings"],
  callbackPort: [isPort, "must be a port: a whole number from 1 to 65535"],
  redirectUri: url,
  metadataUrl: url,
  resource: [(value) => value === false || isText(value), "must be a non-empty string"],
  flow: [(value) => value === "client_credentials", 'must be "client_credentials"'],
};

function assertOauth(name: string, oauth: unknown): asserts oauth is NonNullable<HostEntryExtras["oauth"]> {
  if (!isPlainObject(oauth)) throw specError(name, "oauth", `must be an object, not ${kindOf(oauth)}`);
  const rules = new Map(Object.entries(oauthRules));
  for (const [member, value] of Object.entries(oauth)) {
    const rule = rules.get(member);
    const field = `oauth.${member}`;
    if (rule === undefined) throw specError(name, field, `is unknown; known are ${[...rules.keys()].join(", ")}`);
    if (value !== undefined && !rule[0](value)) throw specError(name, field, rule[1]);
  }
  if (oauth["flow"] !== undefined && (oauth["clientId"] === undefined || oauth["clientSecret"] === undefined))
    throw specError(name, "oauth.flow", "needs a clientId and a clientSecret");
}

/**
 * Reads the entries of `createHost({ servers })`. Throws a `TypeError` that names the member as it
 * was written: `servers.files.comand`.
 */
export function readServerEntries(servers: unknown): readonly ReadEntry[] {
  if (Array.isArray(servers)) {
    throw new TypeError('servers must be entries by their names, as in { files: { command: "npx" } }, not an array');
  }
  if (!isPlainObject(servers)) {
    throw new TypeError(`servers must be entries by their names, not ${kindOf(servers)}`);
  }
  return Object.entries(servers).map(([name, entry]) => {
    try {
      return readServerEntry(name, entry);
    } catch (error) {
      if (!isHostsideError(error)) throw error;
      throw new TypeError(`${placeOf(name)}${ruleOf(name, error.details["field"] ?? "", error.rawMessage)}`, {
        cause: error,
      });
    }
  });
}

function placeOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `servers.${name}` : `servers[${JSON.stringify(name)}]`;
}

// `.comand is unknown` of `server "files": comand is unknown`.
function ruleOf(name: string, field: string, message: string): string {
  const text = message.slice(`server ${JSON.stringify(name)}: `.length);
  return field === "" ? text.replace(/^the spec/, "") : `.${text}`;
}
