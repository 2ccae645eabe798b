import {
  cleanText,
  isJsonObject,
  type JsonObject,
  type ProtocolEra,
  type ServerInfo,
  type ServerLimits,
} from "@toolport/core";

import { toJson } from "../quote-json.ts";

/** What a handshake, or a client of somebody else's, found out about a server; everything in it is the server's. */
export interface ClaimedServerInfo {
  readonly era: ProtocolEra;
  readonly protocolVersion: string;
  /** The `Implementation` that the server named itself by. */
  readonly implementation: unknown;
  readonly instructions: unknown;
  readonly capabilities: unknown;
}

const longestName = 256;

/** Bounds and cleans what a server says of itself. Names are cut at 256 units, longer texts at `limits.maxServerTextLength`. */
export function readServerInfo(claimed: ClaimedServerInfo, limits: ServerLimits): ServerInfo {
  const { name, title, version, description } = isJsonObject(claimed.implementation) ? claimed.implementation : {};
  return {
    era: claimed.era,
    protocolVersion: cleanText(claimed.protocolVersion, longestName),
    ...text("name", name, longestName),
    ...text("title", title, longestName),
    ...text("version", version, longestName),
    ...text("description", description, limits.maxServerTextLength),
    ...text("instructions", claimed.instructions, limits.maxServerTextLength),
    capabilities: readCapabilities(claimed.capabilities, limits),
  };
}

function text<Key extends string>(key: Key, value: unknown, maxLength: number): { readonly [K in Key]?: string } {
  if (typeof value !== "string") return {};
  const clean = cleanText(value, maxLength);
  // A computed key widens to an index signature.
  return clean.trim() === "" ? {} : ({ [key]: clean } as { readonly [K in Key]?: string });
}

// Capabilities are a small object of flags; one of megabytes is not kept for the life of a connection.
function readCapabilities(claimed: unknown, limits: ServerLimits): JsonObject {
  if (!isJsonObject(claimed)) return {};
  if ((toJson(claimed)?.length ?? Infinity) <= limits.maxServerTextLength) return claimed;
  const { tools } = claimed;
  return isJsonObject(tools) ? { tools: { listChanged: tools["listChanged"] === true } } : {};
}
