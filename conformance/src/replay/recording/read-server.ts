import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { EventProblem } from "./read-event.ts";
import type { RecordedServer, RecordedTransport } from "./recorded-event.ts";

/** Reads a line that introduces a server, or says what is known of it by now. */
export function readServer(value: JsonObject, known: RecordedServer | undefined): EventProblem | RecordedServer {
  const { id, era, protocolVersion, name, version } = value;
  if (typeof id !== "string" || id === "") return { member: "id", rule: "must be a text that is not empty" };
  const transport = value["type"] === "about" ? known?.transport : readTransport(value["transport"]);
  if (transport === undefined)
    return value["type"] === "about"
      ? { member: "id", rule: "was not introduced before" }
      : { member: "transport", rule: 'must be of the type "stdio" with a command, or of the type "http" with a URL' };
  return {
    ...known,
    id,
    transport,
    ...((era === "legacy" || era === "modern") && { era }),
    ...(typeof protocolVersion === "string" && { protocolVersion }),
    ...(typeof name === "string" && { name }),
    ...(typeof version === "string" && { version }),
  };
}

function readTransport(value: JsonValue | undefined): RecordedTransport | undefined {
  if (!isJsonObject(value)) return undefined;
  const { type, command, args, url, mode } = value;
  if (type === "stdio" && typeof command === "string" && command !== "") {
    const texts = Array.isArray(args) ? args.filter((arg): arg is string => typeof arg === "string") : [];
    return { type, command, ...(texts.length > 0 && { args: texts }) };
  }
  if (type === "http" && typeof url === "string" && URL.canParse(url)) {
    const isMode = mode === "auto" || mode === "streamable" || mode === "sse";
    return { type, url, ...(isMode && { mode }) };
  }
  return undefined;
}
