import type { JsonObject, JsonValue, ProtocolEra, ServerInfo, ServerLimits } from "@hostside/core";
import { isJsonObject, redactData, type Redactor } from "@hostside/core/implement";
import { safeExcerpt, toJson } from "../text/safe-excerpt.ts";

/**
 * What a handshake, or a client of somebody else's, found out about a server; everything in it is
 * the server's.
 */
export interface ClaimedServerInfo {
  readonly era: ProtocolEra;
  readonly protocolVersion: string;
  /** The `Implementation` that the server named itself by. */
  readonly implementation: unknown;
  readonly instructions: unknown;
  readonly capabilities: unknown;
}

const longestName = 256;

/** How what a server says of itself is made fit to be shown. */
export interface ServerInfoReading {
  readonly limits: ServerLimits;
  readonly redact: Redactor;
}

/**
 * Bounds and cleans what a server says of itself, and masks the secrets of its connection. Names
 * are cut at 256 units, longer texts at `limits.maxServerTextLength`.
 */
export function readServerInfo(claimed: ClaimedServerInfo, { limits, redact }: ServerInfoReading): ServerInfo {
  const short = { maxLength: longestName, redact };
  const long = { maxLength: limits.maxServerTextLength, redact };
  const { name, title, version, description } = isJsonObject(claimed.implementation) ? claimed.implementation : {};
  return {
    era: claimed.era,
    protocolVersion: safeExcerpt(claimed.protocolVersion, redact, longestName),
    ...text("name", name, short),
    ...text("title", title, short),
    ...text("version", version, short),
    ...text("description", description, long),
    ...text("instructions", claimed.instructions, long),
    capabilities: readCapabilities(claimed.capabilities, { limits, redact }),
  };
}

interface BoundedText {
  readonly maxLength: number;
  readonly redact: Redactor;
}

function text<Key extends string>(
  key: Key,
  value: unknown,
  { maxLength, redact }: BoundedText,
): { readonly [K in Key]?: string } {
  if (typeof value !== "string") return {};
  const clean = safeExcerpt(value, redact, maxLength);
  // A computed key widens to an index signature.
  return clean === "" ? {} : ({ [key]: clean } as { readonly [K in Key]?: string });
}

// Capabilities are a small object of flags; one of megabytes is not kept for the life of a
// connection.
function readCapabilities(claimed: unknown, { limits, redact }: ServerInfoReading): JsonObject {
  if (!isJsonObject(claimed)) return {};
  const kept =
    lengthOf(claimed) <= limits.maxServerTextLength ? claimed : cutMembers(claimed, limits.maxServerTextLength);
  // A copy of an object is one.
  return redactData(kept, redact) as JsonObject;
}

// What decides how a server is spoken to; what it has to say of each is a few flags.
const decisive = ["tools", "resources", "prompts", "completions", "logging", "extensions", "experimental"];

/** Of capabilities that are too large: those that decide, and of a large one its small members. */
function cutMembers(claimed: JsonObject, room: number): JsonObject {
  const kept = decisive.flatMap((name) => {
    const value = Object.hasOwn(claimed, name) ? claimed[name] : undefined;
    if (value === undefined) return [];
    return [[name, lengthOf(value) <= room / decisive.length ? value : smallMembers(value)] as const];
  });
  return Object.fromEntries(kept);
}

function smallMembers(value: JsonValue): JsonObject {
  if (!isJsonObject(value)) return {};
  const small = Object.entries(value).filter(([name, member]) => name.length + lengthOf(member) <= 128);
  // fromEntries defines members, so that no name of the server's can be special.
  return Object.fromEntries(small.slice(0, 32));
}

function lengthOf(value: unknown): number {
  return toJson(value)?.length ?? Infinity;
}
