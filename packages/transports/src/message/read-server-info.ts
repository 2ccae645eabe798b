import type { JsonObject, JsonValue, ProtocolEra, ServerInfo, ServerLimits } from "@hostside/core";
import { isJsonObject, redactData, type Redactor } from "@hostside/core/implement";
import { safeExcerpt, toJson } from "../text/safe-excerpt.ts";

/**
 * The facts that a handshake found out about a server; everything in it is
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

/**
 * Bounds and cleans what a server says of itself, and masks the secrets of its connection. Names
 * are cut at 256 units, longer texts at `limits.maxServerTextLength`.
 */
export function readServerInfo(
  claimed: ClaimedServerInfo,
  { settings, redact }: { readonly settings: { readonly limits: ServerLimits }; readonly redact: Redactor },
): ServerInfo {
  const { maxServerTextLength } = settings.limits;
  const text = <Key extends string>(key: Key, value: unknown, maxLength: number): { readonly [K in Key]?: string } => {
    const clean = typeof value === "string" ? safeExcerpt(value, redact, maxLength) : "";
    // A computed key widens to an index signature.
    return clean === "" ? {} : ({ [key]: clean } as { readonly [K in Key]?: string });
  };
  const { name, title, version, description } = isJsonObject(claimed.implementation) ? claimed.implementation : {};
  return {
    era: claimed.era,
    protocolVersion: safeExcerpt(claimed.protocolVersion, redact, longestName),
    ...text("name", name, longestName),
    ...text("title", title, longestName),
    ...text("version", version, longestName),
    ...text("description", description, maxServerTextLength),
    ...text("instructions", claimed.instructions, maxServerTextLength),
    // A copy of an object is one.
    capabilities: redactData(boundCapabilities(claimed.capabilities, maxServerTextLength), redact) as JsonObject,
  };
}

// What decides how a server is spoken to; what it has to say of each is a few flags.
const decisive = ["tools", "resources", "prompts", "completions", "logging", "extensions", "experimental"];

// Capabilities are a small object of flags; one of megabytes is not kept for the life of a
// connection, but its decisive members, and of a large one of these the small members.
function boundCapabilities(claimed: unknown, room: number): JsonObject {
  if (!isJsonObject(claimed)) return {};
  if (lengthOf(claimed) <= room) return claimed;
  const kept = decisive.flatMap((name) => {
    const value = Object.hasOwn(claimed, name) ? claimed[name] : undefined;
    if (value === undefined) return [];
    return [[name, smallMembers(value)] as const];
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
