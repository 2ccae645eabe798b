import { isPlainObject, kindOf } from "@hostside/core/implement";
import { createProblemList, type ProblemList } from "./problem-list.ts";
import type { ConfigData, ConfigPath } from "./config-data.ts";
import type { ParsedConfig } from "./parsed-config.ts";

const maxDepth = 64;
const maxEntries = 200_000;
const mostBroken = 1000;

interface Walk {
  readonly problems: ProblemList;
  /** What could not be taken over. */
  readonly broken: ConfigPath[];
  entries: number;
}

/**
 * A configuration that a product has as a value: plain objects, arrays, texts, numbers, booleans,
 * `null`. Nothing has a line or a column.
 */
export function fromData(value: unknown, file?: string): ParsedConfig {
  const walk: Walk = { problems: createProblemList({ file, positionOf: () => undefined }), broken: [], entries: 0 };
  const data = convertAll(value, walk);
  return {
    ...(file === undefined ? {} : { file }),
    format: "data",
    data,
    problems: walk.problems.all,
    liberties: [],
    positionOf: () => undefined,
    positionAt: () => undefined,
    isWhole: (path) =>
      walk.broken.length < mostBroken &&
      !walk.broken.some((broken) => path.every((part, index) => broken[index] === part)),
  };
}

function convertAll(value: unknown, walk: Walk): ConfigData | undefined {
  try {
    return convert(value, [], walk);
  } catch {
    // A getter of somebody's, which has nothing to do in data.
    return refuse(walk, [], { code: "wrong_type", message: "cannot be read as data" });
  }
}

function convert(value: unknown, path: ConfigPath, walk: Walk): ConfigData | undefined {
  walk.entries++;
  if (walk.entries > maxEntries)
    return refuse(walk, path, { code: "too_many_entries", message: `has more than ${maxEntries} values` });
  if (path.length > maxDepth)
    return refuse(walk, path, { code: "too_deep", message: `is nested more than ${maxDepth} deep` });
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return value;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => convert(item, [...path, index], walk) ?? null);
  }
  const members = value instanceof Map ? [...value] : isPlainObject(value) ? Object.entries(value) : undefined;
  if (members === undefined) return refuse(walk, path, { code: "wrong_type", message: `cannot be ${kindOf(value)}` });
  const data = new Map<string, ConfigData>();
  for (const [name, member] of members) {
    // As in JSON.
    if (member === undefined) continue;
    const converted = convert(member, [...path, String(name)], walk);
    if (converted !== undefined) data.set(String(name), converted);
  }
  return data;
}

interface Refusal {
  readonly code: "too_deep" | "too_many_entries" | "wrong_type";
  readonly message: string;
}

function refuse({ problems, broken }: Walk, path: ConfigPath, { code, message }: Refusal): undefined {
  if (broken.length < mostBroken) broken.push(path);
  // One is enough of what a whole tree can have.
  if (code !== "wrong_type" && problems.all.some((known) => known.code === code)) return;
  problems.add({ path, severity: "error", code, message });
}
