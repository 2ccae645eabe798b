import { isConfigMap, type ConfigData } from "./config-data.ts";

/** Data as plain objects and arrays. Every member is its object's own, whatever it is called. */
export function toPlain(value: ConfigData): unknown {
  if (isConfigMap(value)) return Object.fromEntries([...value].map(([name, member]) => [name, toPlain(member)]));
  return Array.isArray(value) ? (value as readonly ConfigData[]).map(toPlain) : value;
}
