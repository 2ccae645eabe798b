import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { HttpFrame, WireMessage } from "./wire-message.ts";

/** One message in a form that can be compared: what it is, and every value in it by its path. */
export interface Turn {
  /** `tools/call`, `result of tools/call`, `GET`, `HTTP 202`. */
  readonly label: string;
  readonly values: ReadonlyMap<string, string>;
}

/** A dialogue as the wire saw it. */
export interface Transcript {
  readonly client: readonly Turn[];
  readonly server: readonly Turn[];
}

const idLike = new Set(["requestId", "progressToken", "io.modelcontextprotocol/subscriptionId"]);

/**
 * Makes a transcript of what was recorded. Ids and progress tokens, which each side is free to
 * choose, are replaced by what they stand for; sessions, opaque states and a server's own text,
 * which differ from run to run, by a word.
 */
export function transcribe(messages: readonly WireMessage[], ownText = ""): Transcript {
  const requests = new Map<string, string>();
  const asked = new Map<string, string>();
  const tokens = new Map<string, string>();
  const counts = new Map<string, number>();

  function noteRequest({ from, message = {} }: WireMessage): void {
    const { id, method, params } = message;
    if (id === undefined || typeof method !== "string") return;
    const count = (counts.get(`${from} ${method}`) ?? 0) + 1;
    counts.set(`${from} ${method}`, count);
    (from === "client" ? requests : asked).set(JSON.stringify(id), `${method} #${count}`);
    const meta = isJsonObject(params) ? params["_meta"] : undefined;
    const token = isJsonObject(meta) ? meta["progressToken"] : undefined;
    if (from === "client" && token !== undefined) tokens.set(JSON.stringify(token), `the token of ${method} #${count}`);
  }

  function nameOf(key: string, value: JsonValue): string {
    const text = JSON.stringify(value);
    const known = (key === "progressToken" ? tokens.get(text) : undefined) ?? requests.get(text);
    return known === undefined ? text : `<${known}>`;
  }

  function flatten(value: JsonValue | undefined, path: string, into: Map<string, string>): void {
    if (value === undefined) return;
    const key = path.slice(path.lastIndexOf(" ") + 1);
    if (idLike.has(key)) into.set(path, nameOf(key, value));
    else if (key === "requestState") into.set(path, "<state>");
    else if (isJsonObject(value) && Object.keys(value).length > 0) {
      for (const [member, inner] of Object.entries(value))
        flatten(inner, path === "" ? member : `${path} ${member}`, into);
    } else into.set(path, ownText === "" ? JSON.stringify(value) : JSON.stringify(value).replaceAll(ownText, "<own>"));
  }

  function toTurn({ from, message, http }: WireMessage): Turn {
    const values = new Map<string, string>();
    if (http !== undefined) addFrame(http, from, values);
    if (message === undefined) return { label: from === "client" ? (http?.line ?? "") : `HTTP ${http?.line}`, values };
    const { id, jsonrpc, ...rest } = message;
    if (jsonrpc !== "2.0") values.set("jsonrpc", JSON.stringify(jsonrpc));
    flatten(rest, "", values);
    return { label: labelOf(message, (from === "client" ? asked : requests).get(JSON.stringify(id))), values };
  }

  for (const message of messages) noteRequest(message);
  const turnsOf = (from: WireMessage["from"]): readonly Turn[] =>
    messages.filter((message) => message.from === from).map(toTurn);
  return { client: turnsOf("client"), server: turnsOf("server") };
}

function labelOf({ method, error }: JsonObject, request: string | undefined): string {
  if (typeof method === "string") return method;
  const to = request?.replace(/ #\d+$/, "") ?? "nothing";
  return `${error === undefined ? "result of" : "error of"} ${to}`;
}

function addFrame({ line, headers }: HttpFrame, from: WireMessage["from"], values: Map<string, string>): void {
  values.set("HTTP", line);
  for (const [name, value] of Object.entries(headers)) {
    // Other headers of a response are between a server and its HTTP library.
    if (from === "server" && name !== "content-type" && name !== "mcp-session-id") continue;
    values.set(`header ${name}`, name === "mcp-session-id" ? "<session>" : value);
  }
}
