import { quoteText } from "@hostside/core/implement";
import type { ConfigImport, ConfigInput, HostSettings, ServeSettings } from "../host-settings.ts";
import { isConfigMap, nameOfData, type ConfigData } from "../parse/config-data.ts";
import type { ConfigEntry } from "./entry.ts";
import type { ServerReader } from "./server-reader.ts";
import { refuseUnknownKeys } from "./unknown-keys.ts";

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
