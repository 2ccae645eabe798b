import { isJsonObject, type JsonObject } from "@toolport/core";
import type { Elicitor } from "../connection/elicitor.ts";
import type { HostTransport } from "../host-transport.ts";
import { toJson } from "../quote-json.ts";
import type { WireContext } from "./wire-context.ts";

/** Serves what a legacy server asks of the host: `ping`, and elicitations if somebody answers them. */
export interface ServerRequests {
  /** Answers, soon or when a human did. At most 32 at once; more are refused, and silently dropped when 32 refusals are under way. */
  receive(request: { readonly id: unknown; readonly method: string; readonly params: unknown }): void;
  /** Stops working on a request that the server took back; it gets no answer. */
  cancel(id: unknown): void;
  /** Stops working on all of them. */
  close(): void;
}

/** What {@linkcode ServerRequests} are made from. */
export interface ServerRequestsInit {
  readonly host: HostTransport;
  readonly context: WireContext;
  /** Absent when nobody answers elicitations. */
  readonly elicitor: Elicitor | undefined;
}

type Reply = { readonly result: JsonObject } | { readonly error: { readonly code: number; readonly message: string } };

const mostAtOnce = 32;
const methodNotFound = -32_601;
const invalidParams = -32_602;
const internalError = -32_603;

/** Makes an empty set of requests. */
export function createServerRequests({ host, context, elicitor }: ServerRequestsInit): ServerRequests {
  const underWay = new Map<number | string, AbortController>();
  // Those that the server took back count until whoever works on them has stopped.
  let working = 0;
  let refusing = 0;
  const send = async (id: number | string, reply: Reply): Promise<void> => {
    try {
      await host.send({ jsonrpc: "2.0", id, ...reply });
    } catch {
      // A server that cannot be told is about to be lost anyway, and that is told elsewhere.
    }
  };
  return {
    receive({ id, method, params }) {
      // What has no usable id cannot be answered, and one that is in use already would be answered twice.
      if ((typeof id !== "number" && typeof id !== "string") || underWay.has(id)) return;
      if (working >= mostAtOnce) {
        if (refusing >= mostAtOnce) return;
        refusing += 1;
        void send(id, refusal(internalError, "Too many requests at once")).finally(() => (refusing -= 1));
        return;
      }
      const controller = new AbortController();
      underWay.set(id, controller);
      working += 1;
      void serve(method, { params, elicitor, signal: controller.signal })
        .then((reply) => (controller.signal.aborted ? undefined : send(id, writable(reply, context))))
        .finally(() => {
          working -= 1;
          // Another one may have its id by now.
          if (underWay.get(id) === controller) underWay.delete(id);
        });
    },
    cancel(id) {
      if (typeof id !== "number" && typeof id !== "string") return;
      underWay.get(id)?.abort();
      underWay.delete(id);
    },
    close() {
      for (const controller of underWay.values()) controller.abort();
      underWay.clear();
    },
  };
}

interface Question {
  readonly params: unknown;
  readonly elicitor: Elicitor | undefined;
  readonly signal: AbortSignal;
}

// Never rejects: an elicitor does not, and the rest cannot.
async function serve(method: string, { params, elicitor, signal }: Question): Promise<Reply> {
  if (method === "ping") return { result: {} };
  if (method !== "elicitation/create" || elicitor === undefined) return refusal(methodNotFound, "Method not found");
  if (!isElicitation(params)) return refusal(invalidParams, "Invalid params");
  return { result: await elicitor.ask(params, signal) };
}

// A form without fields, or a page without an address, is nothing that a human could answer.
function isElicitation(params: unknown): params is JsonObject {
  if (!isJsonObject(params) || typeof params["message"] !== "string") return false;
  const { mode = "form" } = params;
  return mode === "url"
    ? typeof params["url"] === "string"
    : mode === "form" && isJsonObject(params["requestedSchema"]);
}

// What a human or a host answers need not be JSON.
function writable(reply: Reply, { serverId, onDiagnostic }: WireContext): Reply {
  if (toJson(reply) !== undefined) return reply;
  const message = `the answer to an elicitation of server ${JSON.stringify(serverId)} cannot be written as JSON`;
  onDiagnostic({ kind: "protocol-noise", serverId, message });
  return refusal(internalError, "The answer cannot be written as JSON");
}

function refusal(code: number, message: string): Reply {
  return { error: { code, message } };
}
