import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { dropUnseen } from "./text.ts";

/** JSON data without unseen characters in texts and names; the very same where there are none. */
export function cleanData<T extends JsonValue>(data: T): T;
export function cleanData(data: JsonValue): Data {
  return clean(data, (member) => member);
}

/**
 * A schema by which a server is sent something, without unseen characters. A property or a choice
 * whose own name has some is left out: by another name the server would not know it.
 */
export function cleanSchema(schema: JsonObject): JsonObject {
  return clean(schema, offered) as JsonObject;
}

type Data = JsonValue | undefined;

function clean(data: Data, choose: (member: Data, name: string) => Data): Data {
  if (typeof data === "string") return dropUnseen(data);
  if (typeof data !== "object" || data === null) return data;
  if (Array.isArray(data)) {
    const items = data.map((item: JsonValue) => clean(item, choose));
    return items.every((item, index) => item === data[index]) ? data : (items as JsonValue);
  }
  const before = Object.entries(data as JsonObject);
  const after = before.map(([name, member]) => [dropUnseen(name), clean(choose(member, name), choose)] as const);
  const isSame = after.every(([name, member], index) => name === before[index]?.[0] && member === before[index]?.[1]);
  // fromEntries defines members, so that no name of the server's can be special.
  return isSame ? data : Object.fromEntries(after);
}

function offered(member: Data, name: string): Data {
  if (name === "properties" && isJsonObject(member)) {
    const properties = Object.entries(member).filter(([property]) => isSeen(property));
    return properties.length === Object.keys(member).length ? member : Object.fromEntries(properties);
  }
  if ((name === "required" || name === "enum") && Array.isArray(member)) {
    return member.every(isSeen) ? member : member.filter(isSeen);
  }
  return member;
}

function isSeen(value: unknown): boolean {
  return typeof value !== "string" || dropUnseen(value) === value;
}
