import { isJsonObject, type JsonObject } from "@toolport/core";

/** A result that the SDK's client accepts, or what is missing for it to be one. */
export type InitializeReading =
  | { readonly result: JsonObject; readonly fault?: undefined }
  | { readonly result?: undefined; readonly fault: string };

/**
 * Reads the result of `initialize` leniently. The SDK's client refuses a server for any member of the wrong type, even one that
 * nobody needs, such as its version: those are left out. Only the revision and the capabilities have to be there.
 */
export function repairInitialize(result: JsonObject): InitializeReading {
  const { protocolVersion, capabilities, serverInfo, instructions } = result;
  if (typeof protocolVersion !== "string") return { fault: "it names no protocol revision" };
  if (!isJsonObject(capabilities)) return { fault: "it names no capabilities" };
  const { name, title, version, description } = isJsonObject(serverInfo) ? serverInfo : {};
  return {
    result: {
      protocolVersion,
      capabilities: repairCapabilities(capabilities),
      serverInfo: {
        name: typeof name === "string" ? name : "",
        version: typeof version === "string" ? version : "",
        ...(typeof title === "string" && { title }),
        ...(typeof description === "string" && { description }),
      },
      ...(typeof instructions === "string" && { instructions }),
    },
  };
}

const flags: ReadonlySet<string> = new Set(["listChanged", "subscribe"]);

function repairCapabilities(capabilities: JsonObject): JsonObject {
  const entries = Object.entries(capabilities).map(([name, value]) => [name, value === true ? {} : value] as const);
  const objects = entries.filter((entry): entry is readonly [string, JsonObject] => isJsonObject(entry[1]));
  // fromEntries defines properties, so that no name of the server's can be special.
  return Object.fromEntries(objects.map(([name, value]) => [name, withoutBadFlags(value)]));
}

function withoutBadFlags(capability: JsonObject): JsonObject {
  const good = Object.entries(capability).filter(([name, value]) => !flags.has(name) || typeof value === "boolean");
  return Object.fromEntries(good);
}
