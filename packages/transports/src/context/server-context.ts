import {
  defaultLimits,
  defaultTimeouts,
  type Diagnostic,
  type ServerLimits,
  type ServerLog,
  type ServerSpec,
  type ServerTimeouts,
} from "@hostside/core";
import {
  createSecretMemory,
  withDefaults,
  type Given,
  type Redactor,
  type SecretMemory,
} from "@hostside/core/implement";
import { Pauses } from "../time/pauses.ts";

/**
 * Everything that the parts of a connection know of its server, as long as the connection lives.
 */
export interface ServerContext {
  readonly serverId: string;
  /** Its limits and timeouts, defaults filled in. */
  readonly settings: ServerSettings;
  /** Masks the secrets that the host gave this server, and those in `secrets`. */
  readonly redact: Redactor;
  /** Is told each secret that a transport sends and no spec names. */
  readonly secrets: SecretMemory;
  /** The times in which deadlines stand still, because a person is asked. */
  readonly pauses: Pauses;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
  readonly onLog: (log: ServerLog) => void;
  /** True if a user waits who may be shown an authorization page right now. */
  readonly isInteractive: () => boolean;
  /** For whom the connection is, where the host says so. */
  readonly principal: string | undefined;
}

/** The input of every opener of a transport, besides the spec: `open(spec, context)`. */
export interface TransportContext extends ServerContext {
  /** The part that is kept when the transport is open: without the deadline behind `signal`. */
  readonly lasting: ServerContext;
  /**
   * Aborts the opening. Everything that is already open is torn down before the opener's promise
   * settles.
   */
  readonly signal: AbortSignal;
  /**
   * For processes: told of the first byte on stdout. The program is loaded by then, and what comes
   * now is its own business.
   */
  readonly onStarted: () => void;
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

/** Makes a context; its memory of secrets begins with those of the spec. */
export function createTransportContext(
  spec: ServerSpec,
  init: Pick<TransportContext, "onDiagnostic" | "onLog" | "signal"> &
    Given<Partial<Pick<TransportContext, "isInteractive" | "onStarted" | "principal">>>,
): TransportContext {
  const { signal, onDiagnostic, onLog } = init;
  const { onStarted = () => undefined, isInteractive = () => false, principal } = init;
  const secrets = createSecretMemory(spec);
  const lasting = {
    serverId: spec.id,
    settings: resolveSettings(spec),
    redact: secrets.redact,
    secrets,
    pauses: new Pauses(),
    onDiagnostic,
    onLog,
    isInteractive,
    principal,
  };
  return { ...lasting, lasting, signal, onStarted };
}

// A banner has a few lines, and what makes no sense once may make none for ever.
const reportedEach = 10;

/**
 * Reports what happens again and again, unless that has become too frequent: `say` is given what to
 * end the message with, and called only then.
 */
export type SeldomReport = (say: (soFar: string) => string) => void;

/**
 * Reports the first 10, then the hundredth, the thousandth and so on. `noun` is what there are many
 * of, for the count.
 */
export function createSeldomReport(
  { serverId, onDiagnostic }: Pick<ServerContext, "onDiagnostic" | "serverId">,
  { kind, noun }: { readonly kind: Diagnostic["kind"]; readonly noun: string },
): SeldomReport {
  let count = 0;
  let nextReported = 1;
  return (say) => {
    count += 1;
    if (count !== nextReported) return;
    nextReported = count < reportedEach ? count + 1 : count * 10;
    const soFar = count > reportedEach ? ` (${count} such ${noun} so far)` : "";
    onDiagnostic({ kind, serverId, message: `server ${JSON.stringify(serverId)} ${say(soFar)}` });
  };
}
