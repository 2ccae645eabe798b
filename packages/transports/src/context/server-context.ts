import {
  defaultLimits,
  defaultTimeouts,
  type Diagnostic,
  type Random,
  type ServerLimits,
  type ServerSpec,
  type ServerTimeouts,
} from "@hostside/core";
import { withDefaults, type Redactor } from "@hostside/core/implement";

/** What every part of a connection knows of the server at its other end, handed on as one. */
export interface ServerContext {
  readonly serverId: string;
  /** Its limits and timeouts, defaults filled in. */
  readonly settings: ServerSettings;
  readonly random: Random;
  /** Masks the secrets that the host gave this server. */
  readonly redact: Redactor;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/** A server's limits and timeouts with every default filled in. */
interface ServerSettings {
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
