import { isJsonObject } from "./json.ts";
import { redacted, type Redactor } from "./redacted.ts";

/**
 * A copy of JSON data with the secrets masked in each of its texts, names of members and numbers
 * included; the same object when there were none.
 */
export function redactData(data: unknown, redact: Redactor): unknown {
  if (typeof data === "string") return redact(data);
  if (typeof data === "number") return redact(String(data)) === String(data) ? data : redacted;
  if (Array.isArray(data)) {
    const items = data.map((item) => redactData(item, redact));
    return items.every((item, index) => item === data[index]) ? data : items;
  }
  if (!isJsonObject(data)) return data;
  const entries = Object.entries(data).map(([name, member]) => [redact(name), redactData(member, redact)] as const);
  const isSame = Object.entries(data).every(
    ([name, member], index) => entries[index]?.[0] === name && entries[index]?.[1] === member,
  );
  return isSame ? data : Object.fromEntries(entries);
}
