import type { RequestId } from "./transport.ts";

/** Text at either end of a message; they may overlap. */
export interface MessageEnds {
  readonly head: string;
  readonly tail: string;
}

/** The ends of a whole message, as far as an id is looked for. */
export function endsOf(message: string): MessageEnds {
  return { head: message.slice(0, 1024), tail: message.slice(-1024) };
}

/**
 * Which request an answer that cannot be parsed belongs to, being too long or broken, read from its
 * two ends: servers write `{"jsonrpc":"2.0","id":7,"result":…` or
 * `{"result":…,"jsonrpc":"2.0","id":7}`. `undefined` when neither end shows it, or when the line is
 * no answer: a request of the server has an id, too, but of the server's own.
 */
export function recoverRequestId({ head, tail }: MessageEnds): RequestId | undefined {
  const members = readFirstMembers(head);
  if (!members.has("result") && !members.has("error")) return undefined;
  return asRequestId(members.get("id") ?? lastId.exec(tail)?.[1]);
}

// The text right before the brace that ends a line is a member of the outermost object, whatever
// precedes it.
const lastId =
  /[,{]\s{0,8}"id"\s{0,8}:\s{0,8}(-?\d{1,16}|"[^"\\]{0,256}")\s{0,8}(?:,\s{0,8}"jsonrpc"\s{0,8}:\s{0,8}"2\.0"\s{0,8})?\}\s{0,8}$/;

/**
 * The members at the start of an object, as JSON text, up to the first one whose value is an object
 * or array: that one is the last, with an empty value.
 */
function readFirstMembers(text: string): Map<string, string> {
  const members = new Map<string, string>();
  const opening = /^\uFEFF?\s{0,8}\{/.exec(text);
  if (!opening) return members;
  const member =
    /\s{0,8}"([^"\\]{0,64})"\s{0,8}:\s{0,8}(?:("(?:[^"\\]|\\.){0,256}"|[-+.\w]{1,32})\s{0,8}([,}])|[{["])/y;
  member.lastIndex = opening[0].length;
  for (let match = member.exec(text); match?.[1] !== undefined; match = member.exec(text)) {
    members.set(match[1], match[2] ?? "");
    if (match[3] !== ",") break;
  }
  return members;
}

function asRequestId(json: string | undefined): RequestId | undefined {
  if (json === undefined || json === "") return undefined;
  let id: unknown;
  try {
    id = JSON.parse(json);
  } catch {
    // No id after all; the caller reports the line.
    return undefined;
  }
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
