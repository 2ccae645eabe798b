import {
  defaultLimits,
  defaultTimeouts,
  type ServerLimits,
  type ServerSpec,
  type ServerTimeouts,
} from "@toolport/core";

/** A server's limits and timeouts with every default filled in. */
export interface ServerSettings {
  readonly limits: ServerLimits;
  readonly timeouts: ServerTimeouts;
}

/** Fills in the defaults; a member that is explicitly `undefined` counts as absent. */
export function resolveSettings(spec: ServerSpec): ServerSettings {
  return {
    limits: { ...defaultLimits, ...defined(spec.limits) },
    timeouts: { ...defaultTimeouts, ...defined(spec.timeouts) },
  };
}

function defined<T extends object>(members: T | undefined): Partial<T> {
  // Object.fromEntries cannot express that it keeps the keys of its source.
  return Object.fromEntries(Object.entries(members ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>;
}
