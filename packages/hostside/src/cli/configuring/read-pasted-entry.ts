import {
  formatProblem,
  parseConfig,
  readConfig,
  type ConfigData,
  type ConfigInput,
  type ConfiguredServer,
} from "@hostside/config";
import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { usageError } from "../exit-codes.ts";

/** The entry of a server as it stands in a README, made one of `hostside.json`. */
export interface PastedEntry {
  readonly entry: JsonObject;
  /** Inputs to ask a user for, as VS Code writes them beside its servers. */
  readonly inputs: readonly ConfigInput[];
  /** Lines about parts that have no place there. */
  readonly notes: readonly string[];
}

/**
 * Reads an entry, or a file with it in it, in JSON as people paste it, with comments, trailing
 * commas, or without the outermost braces: `{ "command": … }`, `{ "mcpServers": { NAME: … } }`,
 * `"servers": { NAME: … }`, `NAME: { … }`. Throws a usage error that says what is wrong with it.
 * Pure.
 */
export function readPastedEntry(name: string, text: string): PastedEntry {
  const data = parse(text);
  const entry = findEntry(name, data);
  const file = Object.fromEntries([[name, entry]]);
  const ours = readConfig({ servers: file }, { dialect: "hostside" });
  const isOurs = ours.problems.length === 0;
  const { servers, problems } = isOurs ? ours : readConfig({ mcpServers: file }, { dialect: "mcp-json" });
  const [server] = servers;
  if (server === undefined) throw usageError(problems.map(formatProblem).join("\n"), "nothing was written");
  const written = isOurs ? entry : toEntry(server);
  return { entry: written, inputs: inputsFor(written, data), notes: problems.map(formatProblem) };
}

function parse(text: string): JsonObject {
  const whole = /^\s*"/.test(text) ? `{${text}\n}` : text;
  const { data, problems } = parseConfig(whole, { format: "json" });
  const fault = problems.find(({ severity }) => severity === "error");
  if (fault !== undefined) {
    // What a parser says may quote the text, and there may be a secret in it.
    const { line, column } = fault;
    throw usageError(
      `--json-entry is no JSON${line === undefined ? "" : `: see line ${line}, column ${column}`}`,
      "copy all of it, with its braces",
    );
  }
  const json = toJson(data ?? null);
  if (isJsonObject(json)) return json;
  throw usageError("--json-entry is no object", 'such as {"command": "npx", "args": ["-y", "PACKAGE"]}');
}

function toJson(data: ConfigData): JsonValue {
  if (data instanceof Map) return Object.fromEntries([...data].map(([name, value]) => [name, toJson(value)]));
  return Array.isArray(data) ? (data as readonly ConfigData[]).map(toJson) : (data as JsonValue);
}

function findEntry(name: string, data: JsonObject): JsonObject {
  const roots = [data["mcpServers"], data["servers"], settingsOf(data)["servers"], data["context_servers"]];
  const entries = roots.find(isJsonObject) ?? asEntries(data);
  if (entries === undefined) return data;
  const names = Object.keys(entries);
  const own: JsonValue | undefined = Object.hasOwn(entries, name) ? entries[name] : undefined;
  const entry = own ?? (names.length === 1 ? Object.values(entries)[0] : undefined);
  if (isJsonObject(entry)) return entry;
  throw usageError(
    `--json-entry has ${names.length} servers, and none of them is called ${JSON.stringify(name)}`,
    names.length === 0 ? undefined : `hostside add NAME takes one of ${names.join(", ")}`,
  );
}

/** The part about servers of the settings of VS Code. */
function settingsOf({ mcp }: JsonObject): JsonObject {
  return isJsonObject(mcp) ? mcp : {};
}

// `NAME: { … }` without what is around it.
function asEntries(data: JsonObject): JsonObject | undefined {
  const members = Object.values(data);
  const isEntry = ["transport", "command", "url", "serverUrl", "httpUrl"].some((key) => Object.hasOwn(data, key));
  return !isEntry && members.length > 0 && members.every(isJsonObject) ? data : undefined;
}

function inputsFor(entry: JsonObject, data: JsonObject): readonly ConfigInput[] {
  const text = JSON.stringify(entry);
  const inputs = data["inputs"] ?? settingsOf(data)["inputs"];
  const { settings } = readConfig({ servers: {}, inputs }, { dialect: "hostside" });
  return (settings.inputs ?? []).filter(({ id }) => text.includes(`\${input:${id}}`));
}

// A draft is what a spec is, and those of `hostside.json` are specs.
function toEntry({ draft, extras }: ConfiguredServer): JsonObject {
  const { id: _id, type: _type, ...spec } = draft;
  const { breaker: _breaker, defaultCwd: _folder, ...others } = extras;
  return JSON.parse(JSON.stringify({ ...spec, ...others })) as JsonObject;
}
