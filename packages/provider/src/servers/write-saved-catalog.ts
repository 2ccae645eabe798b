import type { JsonObject, RemoteTool, ServerInfo, ServerSpec, ToolListing } from "@hostside/core";
import { createRedactor, freezeData, isCredentialHeader, isSecretName } from "@hostside/core/implement";
import type { Registration } from "./registration.ts";
import { fingerprintReach } from "../catalog/fingerprint-reach.ts";
import { catalogVersion, type SavedCatalog, type SavedListing } from "../saved/read-saved-catalog.ts";

/**
 * What these servers listed last, those in the order of the registrations that have listed
 * anything.
 */
export function writeSavedCatalog(registrations: readonly Registration[], principal: string | undefined): SavedCatalog {
  const servers = registrations.flatMap((registration) => writeListing(registration, principal) ?? []);
  return freezeData({ version: catalogVersion, servers });
}

function writeListing(registration: Registration, principal: string | undefined): SavedListing | undefined {
  const { id, link, listedAt, provisional } = registration;
  const known = latestOf(registration);
  if (known === undefined || listedAt === undefined || provisional) return undefined;
  const { listing, server } = known;
  const { ttlMs = 0, cacheScope = "private", truncated } = listing;
  const saved: SavedListing = {
    serverId: id,
    reachedBy: fingerprintReach(link.spec, cacheScope === "private" ? principal : undefined),
    listedAt,
    ttlMs,
    cacheScope,
    ...(truncated !== undefined && { truncated }),
    server: { ...server },
    tools: listing.tools.map(writeTool),
  };
  return isClean(saved, registration) ? saved : undefined;
}

/** What was listed last, by this registration or before it. */
function latestOf({
  listing,
  listed,
  saved,
}: Registration): { readonly listing: ToolListing; readonly server: ServerInfo } | undefined {
  return listing !== undefined && listed !== undefined ? { listing, server: listed.server } : saved;
}

function writeTool({ extras, ...tool }: RemoteTool): JsonObject {
  const { title, description, inputSchema, outputSchema, annotations, meta, flags, name } = tool;
  const members = Object.entries(extras ?? {});
  const absent = members.flatMap(([member, value]) => (value === undefined ? [member] : []));
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations: { ...annotations } }),
    ...(meta !== undefined && { meta }),
    ...(extras !== undefined && { extras: Object.fromEntries(members.filter(([, value]) => value !== undefined)) }),
    ...(absent.length > 0 && { absent }),
    ...(flags !== undefined && { flags: [...flags] }),
  };
}

// Of a server that echoes the credentials it was given, or lists what no JSON can be made of,
// nothing is kept.
function isClean(saved: SavedListing, { link }: Registration): boolean {
  try {
    const text = JSON.stringify([saved.server, saved.tools]);
    return createRedactor(credentialsOf(link.spec))(text) === text;
  } catch {
    return false;
  }
}

// A word that a variable or a header happens to hold is no secret wherever it stands.
function credentialsOf(spec: ServerSpec): ServerSpec {
  if (spec.command !== undefined) return { ...spec, env: only(spec.env, isSecretName) };
  return spec.url === undefined ? spec : { ...spec, headers: only(spec.headers, isCredentialHeader) };
}

function only(
  values: Readonly<Record<string, string>> = {},
  isWanted: (name: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)));
}
