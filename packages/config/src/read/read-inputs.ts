import type { ConfigInput } from "../host-settings.ts";
import { dataAt, isConfigMap, nameOfData, type ConfigData, type ConfigPath } from "../parse/config-data.ts";
import type { ParsedConfig } from "../parse/parsed-config.ts";
import type { ProblemInit } from "../problem/problem-list.ts";

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
