import type { ToolListing } from "@toolport/core";
import type { CallLane } from "../calls/call-lane.ts";
import type { ServerListing } from "../catalog/catalog.ts";
import type { Link } from "../link/link.ts";

/** One server under its id, from registration to removal. What replaces it under the same id is another registration. */
export interface Registration {
  readonly id: string;
  readonly number: number;
  readonly link: Link;
  readonly lane: CallLane;
  /** The latest good listing, as it came. */
  listing?: ToolListing;
  /** The same as the catalogue takes it; at first perhaps that of the registration which this one replaces. */
  listed?: ServerListing;
  /** Being added: nothing of it is shown before it is known to work. */
  held: boolean;
}
