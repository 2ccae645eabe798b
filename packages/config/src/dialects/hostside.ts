import { assertServerSpec, isHostsideError } from "@hostside/core";
import { copySpec } from "@hostside/core/implement";
import type { FieldPlace } from "../drafts/configured-server.ts";
import { isConfigMap, type ConfigData, type ConfigPath } from "../parse/config-data.ts";
import type { ParsedConfig } from "../parse/config-problem.ts";
import { faultInWords, innermostPlace } from "../drafts/spec-fault.ts";
import type { ConfigEntry } from "../read/entry.ts";
import { warnDockerRm } from "../read/unknown-keys.ts";
import { extraFields, readExtras, readSettings } from "../read/read-settings.ts";
import { createServerReader, type ReadServer, type ConfigDialect } from "../read/server-reader.ts";

/** `hostside.json`: specs as they are, by id, and all that a host is configured with. */
export const hostside: ConfigDialect = {
  name: "hostside",
  title: "Hostside",
  format: "json",
  syntax: { forms: ["braces", "default", "env", "file", "input", "folders"], unset: () => "error" },
  read(parsed) {
    const reader = createServerReader(parsed, { dialect: "hostside", inputsAt: [["inputs"]] });
    const settings = readSettings(reader);
    reader.readAll(["servers"], {}, (entry, id) => readSpec(entry, id, parsed));
    return reader.result(settings);
  },
};

function readSpec(entry: ConfigEntry, id: string, parsed: ParsedConfig): ReturnType<ReadServer> {
  const extras = readExtras(entry);
  const places = new Map<string, FieldPlace>();
  const fields: [string, unknown][] = [];
  for (const name of entry.names) {
    const value = entry.get(name);
    if (value === undefined || extraFields.includes(name)) continue;
    fields.push([name, toPlain(value)]);
    placeAll(places, { field: name, path: entry.at(name), value, parsed });
  }
  const spec: unknown = { ...Object.fromEntries(fields), id };
  try {
    assertServerSpec(spec);
  } catch (error) {
    if (!isHostsideError(error)) throw error;
    const place = innermostPlace(places, error.details["field"] ?? "");
    const message = faultInWords(error, id);
    entry.error(place?.path.slice(entry.path.length) ?? [], { code: "invalid_spec", message });
    return undefined;
  }
  if (spec.command !== undefined) warnDockerRm(entry, spec.command, spec.args ?? []);
  const draft = copySpec(spec);
  if (draft.command === undefined && draft.url === undefined) {
    const message = `a server of type ${draft.type} needs code, and cannot be in a file`;
    entry.error("type", { code: "unsupported", message });
    return undefined;
  }
  return entry.failed() ? undefined : { draft, places, variables: [], extras };
}

interface Placing {
  readonly field: string;
  readonly path: ConfigPath;
  readonly value: ConfigData;
  readonly parsed: ParsedConfig;
}

function placeAll(places: Map<string, FieldPlace>, { field, path, value, parsed }: Placing): void {
  places.set(field, { path, position: parsed.positionOf(path) });
  if (isConfigMap(value)) {
    for (const [name, member] of value) {
      const inner = field === "tools" || field === "labels" ? `${field}[${JSON.stringify(name)}]` : `${field}.${name}`;
      placeAll(places, { field: inner, path: [...path, name], value: member, parsed });
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly ConfigData[]).entries()) {
      placeAll(places, { field: `${field}[${index}]`, path: [...path, index], value: item, parsed });
    }
  }
}

/** Data as plain objects and arrays. Every member is its object's own, whatever it is called. */
function toPlain(value: ConfigData): unknown {
  if (isConfigMap(value)) return Object.fromEntries([...value].map(([name, member]) => [name, toPlain(member)]));
  return Array.isArray(value) ? (value as readonly ConfigData[]).map(toPlain) : value;
}
