import {
  cleanText,
  createDeadline,
  isJsonObject,
  type Clock,
  type Diagnostic,
  type ElicitationRequest,
  type ElicitationResult,
  type JsonObject,
} from "@toolport/core";
import { untilAborted } from "../until-aborted.ts";
import { applyDefaults } from "./apply-defaults.ts";

/** Asks a human on a server's behalf: the same way for a legacy server's request and for a round of 2026-07-28. */
export interface Elicitor {
  /**
   * Resolves with the wire result. A human who does not answer in time, and a handler that fails, count as `cancel`. Never rejects.
   */
  ask(params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}

/** What an {@linkcode Elicitor} is made from. */
export interface ElicitorInit {
  readonly serverId: string;
  readonly onElicit: (request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationResult>;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
  /** For a human to answer, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Stops the deadlines of calls until the returned function is called. */
  readonly pause: () => () => void;
}

const longestMessage = 8192;

/** Makes an elicitor. */
export function createElicitor(init: ElicitorInit): Elicitor {
  return { ask: (params, signal) => ask(init, params, signal) };
}

async function ask(init: ElicitorInit, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
  const { serverId, onElicit, onDiagnostic, timeoutMs, clock, pause } = init;
  const { mode, message } = params;
  const request: ElicitationRequest = {
    serverId,
    mode: mode === "url" ? "url" : "form",
    message: cleanText(typeof message === "string" ? message : "", longestMessage),
    params,
  };
  const resume = pause();
  const deadline = createDeadline({ timeoutMs, signal, onTimeout: () => new Error("nobody answered in time"), clock });
  try {
    return toWire(await untilAborted(onElicit(request, deadline.signal), deadline.signal), request);
  } catch (error) {
    // What went wrong in the host's handler is not the server's business, and may hold what it should not see.
    const reason = error instanceof Error ? cleanText(error.message, 200) : "it threw";
    onDiagnostic({
      kind: "protocol-noise",
      serverId,
      message: `an elicitation of server ${JSON.stringify(serverId)} was cancelled: ${reason}`,
    });
    return { action: "cancel" };
  } finally {
    deadline.dispose();
    resume();
  }
}

function toWire({ action, content }: ElicitationResult, { mode, params }: ElicitationRequest): JsonObject {
  if (action !== "accept" || mode === "url") return { action };
  return { action, content: applyDefaults(params["requestedSchema"], isJsonObject(content) ? content : {}) };
}
