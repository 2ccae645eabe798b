import type { HostSettings } from "../host-settings.ts";
import { dataAt, type ConfigData, type ConfigPath } from "../parse/config-data.ts";
import type { ServerReader } from "./server-reader.ts";

const allowedKeys = ["allowedMcpServers", "allowed"];
const deniedKeys = ["deniedMcpServers", "disabledMcpjsonServers", "excluded"];

/** The lists of servers that may be used and that may not, of names or of objects with a name. */
export function readServerLists(reader: ServerReader, path: ConfigPath): HostSettings {
  const allowed = namesAt(reader, path, allowedKeys);
  const denied = namesAt(reader, path, deniedKeys);
  return {
    ...(allowed === undefined ? {} : { allowServers: allowed }),
    ...(denied === undefined ? {} : { denyServers: denied }),
  };
}

function namesAt(reader: ServerReader, path: ConfigPath, keys: readonly string[]): readonly string[] | undefined {
  const lists = keys.map((key) => ({ key, list: reader.listAt([...path, key]) }));
  if (lists.every(({ list }) => list === undefined)) return undefined;
  return lists.flatMap(({ key, list = [] }) =>
    list.flatMap((item, index) => {
      const name = nameOf(item);
      if (name !== undefined) return [name];
      const at = [...path, key, index];
      reader.problems.add({ path: at, severity: "warning", code: "unsupported", message: "names no server" });
      return [];
    }),
  );
}

function nameOf(item: ConfigData): string | undefined {
  if (typeof item === "string") return item;
  const name = dataAt(item, ["serverName"]) ?? dataAt(item, ["name"]);
  return typeof name === "string" ? name : undefined;
}
