import { freezeData } from "@hostside/core/implement";
import type { ProviderParts } from "../provider-parts.ts";
import type { Registration } from "../servers/registration.ts";
import type { ServerSet } from "../servers/server-set.ts";
import { listingOriginOf } from "../servers/take-listing.ts";
import { readSavedCatalog, type RecalledListing } from "./read-saved-catalog.ts";

/**
 * Shows what servers listed before they were registered, marked stale, in one step. Throws
 * `invalid_catalog`.
 */
export function recallCatalog(saved: unknown, { settings, observers }: ProviderParts, serverSet: ServerSet): void {
  const registrations = serverSet.all();
  const specs = registrations.map(({ link }) => link.spec);
  const { listings, problems } = readSavedCatalog(saved, { specs, principal: settings.principal });
  for (const problem of problems) observers.diagnostic.emit(problem);
  const recalled = registrations.filter((registration) => recall(registration, listings.get(registration.id)));
  serverSet.show(recalled);
}

function recall(registration: Registration, saved: RecalledListing | undefined): boolean {
  if (saved === undefined) return false;
  const { link } = registration;
  const { listing, server, listedAt } = saved;
  registration.saved = saved;
  registration.listedAt = listedAt;
  registration.listed = {
    origin: listingOriginOf(registration),
    spec: link.spec,
    server: freezeData({ ...server }),
    tools: listing.tools,
  };
  return true;
}
