import { formatProblem, readConfig, type ConfigProblem, type ConfiguredServer } from "@toolport/config";
import type { JsonObject, JsonValue } from "@toolport/core";
import { isJsonObject } from "@toolport/core/implement";
import { usageError } from "../usage-error.ts";

/** The entry of a server as it stands in a README, made one of `toolport.json`. */
export interface PastedEntry {
  readonly entry: JsonObject;
  /** What of it has no place there, as lines. */
  readonly notes: readonly string[];
}

const roots = ["mcpServers", "servers"] as const;

/** Reads an entry, or a file with it in it: `{ "command": … }`, `{ "mcpServers": { NAME: … } }`. Throws a usage error that says what is wrong with it. Pure. */
export function readPastedEntry(name: string, text: string): PastedEntry {
  const entry = findEntry(name, parse(text));
  const isOurs = isJsonObject(entry["transport"]);
  const file = Object.fromEntries([[name, entry]]);
  const { servers, problems } = isOurs
    ? readConfig({ servers: file }, { dialect: "toolport" })
    : readConfig({ mcpServers: file }, { dialect: "mcp-json" });
  const [server] = servers;
  if (server === undefined) throw usageError(inLines(problems), "nothing was written");
  return { entry: isOurs ? entry : toEntry(server), notes: problems.map(formatProblem) };
}

function parse(text: string): JsonObject {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    // What the parser says quotes the text, and there may be a secret in it.
    const [place = ""] = /position \d+|line \d+ column \d+/.exec(error instanceof Error ? error.message : "") ?? [];
    throw usageError(
      `--json-entry is no JSON${place === "" ? "" : `: see ${place}`}`,
      "copy all of it, with its braces",
    );
  }
  if (isJsonObject(data)) return data;
  throw usageError("--json-entry is no object", 'such as {"command": "npx", "args": ["-y", "PACKAGE"]}');
}

function findEntry(name: string, data: JsonObject): JsonObject {
  const root = roots.find((key) => isJsonObject(data[key]));
  const entries = root === undefined ? undefined : data[root];
  if (!isJsonObject(entries)) return data;
  const names = Object.keys(entries);
  const own: JsonValue | undefined = Object.hasOwn(entries, name) ? entries[name] : undefined;
  const [only] = names.length === 1 ? Object.values(entries) : [];
  const entry = own ?? only;
  if (isJsonObject(entry)) return entry;
  throw usageError(
    `--json-entry has ${names.length} servers, and none of them is called ${JSON.stringify(name)}`,
    names.length === 0 ? undefined : `toolport add NAME takes one of ${names.join(", ")}`,
  );
}

// A draft is what a spec is, and those of `toolport.json` are specs.
function toEntry({ draft, extras }: ConfiguredServer): JsonObject {
  const { id: _id, ...spec } = draft;
  const { assumed: _assumed, defaultCwd: _folder, ...others } = extras;
  return JSON.parse(JSON.stringify({ ...spec, ...others })) as JsonObject;
}

function inLines(problems: readonly ConfigProblem[]): string {
  return problems.map(formatProblem).join("\n");
}
