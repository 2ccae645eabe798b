import {
  defaultLimits,
  defaultTimeouts,
  type ServerLimits,
  type ServerSpec,
  type ServerTimeouts,
} from "@hostside/core";
import { withDefaults } from "@hostside/core/implement";

/** A server's limits and timeouts with every default filled in. */
export interface ServerSettings {
  readonly limits: ServerLimits;
  readonly timeouts: ServerTimeouts;
}

// Most servers have these.
const defaults: ServerSettings = { limits: defaultLimits, timeouts: defaultTimeouts };

/** Fills in the defaults; a member that is explicitly `undefined` counts as absent. */
export function resolveSettings({ limits, timeouts }: ServerSpec): ServerSettings {
  if (limits === undefined && timeouts === undefined) return defaults;
  return { limits: withDefaults(defaultLimits, limits), timeouts: withDefaults(defaultTimeouts, timeouts) };
}
