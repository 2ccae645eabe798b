import type { JsonObject, RemoteTool, ServerSpec } from "@hostside/core";
import { createRedactor, freezeData, isCredentialHeader, isSecretName } from "@hostside/core/implement";
import type { Registration } from "./registration.ts";
import { fingerprintReach } from "../catalog/fingerprint-reach.ts";
import { catalogVersion, type SavedCatalog, type SavedListing } from "../saved/read-saved-catalog.ts";

/**
 * Returns the latest listings of these servers, in the order of the registrations that have listed
 * anything.
 */
export function writeSavedCatalog(registrations: readonly Registration[], principal: string | undefined): SavedCatalog {
  const servers = registrations.flatMap((registration) => writeListing(registration, principal) ?? []);
  return freezeData({ version: catalogVersion, servers });
}

function writeListing(registration: Registration, principal: string | undefined): SavedListing | undefined {
  const { id, link, listing: latest, shownListing, saved: before, listedAt, provisional } = registration;
  // By this registration, or before it.
  const known =
    latest !== undefined && shownListing !== undefined ? { listing: latest, server: shownListing.server } : before;
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

function writeTool({ extras, ...tool }: RemoteTool): JsonObject {
  const members = Object.entries(extras ?? {});
  const absent = members.flatMap(([member, value]) => (value === undefined ? [member] : []));
  return {
    ...(tool as unknown as JsonObject),
    ...(extras !== undefined && { extras: Object.fromEntries(members.filter(([, value]) => value !== undefined)) }),
    ...(absent.length > 0 && { absent }),
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
