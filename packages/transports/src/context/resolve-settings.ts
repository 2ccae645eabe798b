import {
  defaultLimits,
  defaultTimeouts,
  type ServerLimits,
  type ServerSpec,
  type ServerTimeouts,
} from "@toolport/core";
import { withDefaults } from "@toolport/core/implement";

/** A server's limits and timeouts with every default filled in. */
export interface ServerSettings {
  readonly limits: ServerLimits;
  readonly timeouts: ServerTimeouts;
}

/** Fills in the defaults; a member that is explicitly `undefined` counts as absent. */
export function resolveSettings(spec: ServerSpec): ServerSettings {
  return {
    limits: withDefaults(defaultLimits, spec.limits),
    timeouts: withDefaults(defaultTimeouts, spec.timeouts),
  };
}
