import type { FaultEra, FaultTransport } from "@hostside/fixtures";
import type { DriverFeature } from "./driver-protocol.ts";

/** How host and servers talk in one run of a scenario; the last part of a check's id. */
export type HostVenue = "stdio" | "stdio-2026" | "http" | "http-2026" | "sse";

/** What a venue is. */
export interface VenueTraits {
  readonly transport: FaultTransport;
  readonly era: FaultEra;
  /** What a host must be able to do. */
  readonly uses: readonly DriverFeature[];
}

/** All venues. */
export const hostVenues: Readonly<Record<HostVenue, VenueTraits>> = {
  stdio: { transport: "stdio", era: "legacy", uses: ["stdio", "legacy"] },
  "stdio-2026": { transport: "stdio", era: "modern", uses: ["stdio", "2026-07-28"] },
  http: { transport: "http", era: "legacy", uses: ["http", "legacy"] },
  "http-2026": { transport: "http", era: "modern", uses: ["http", "2026-07-28"] },
  sse: { transport: "sse", era: "legacy", uses: ["sse", "legacy"] },
};

/** Every venue. */
export const everywhere: readonly HostVenue[] = ["stdio", "stdio-2026", "http", "http-2026", "sse"];

/** Every venue with processes that the host starts. */
export const overStdio: readonly HostVenue[] = ["stdio", "stdio-2026"];

/** Streamable HTTP, both eras. */
export const overHttp: readonly HostVenue[] = ["http", "http-2026"];

/** One venue of each type of transport, for what does not depend on the era. */
export const stdioAndHttp: readonly HostVenue[] = ["stdio", "http"];
