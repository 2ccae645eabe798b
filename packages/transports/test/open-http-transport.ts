import type { Diagnostic, HttpEntry, JsonObject, ServerSpec, HostsideError, EntrySettings } from "@hostside/core";
import type { RequestId, SendOptions, Transport } from "../src/message/transport.ts";
import type { HttpOptions } from "../src/http/http-options.ts";
import { openSse, openStreamableHttp } from "../src/http/open-http.ts";
import { createTransportContext } from "../src/context/server-context.ts";

/** An HTTP transport, and all that it said. */
export interface OpenedHttp extends AsyncDisposable {
  readonly transport: Transport;
  readonly messages: readonly JsonObject[];
  readonly failures: readonly { readonly id: RequestId; readonly error: HostsideError }[];
  readonly diagnostics: readonly Diagnostic[];
  readonly interruptions: number;
  readonly closes: number;
  /** Sends a request of the legacy eras. */
  request(id: RequestId, method?: string, options?: SendOptions): Promise<void>;
  notify(method: string): Promise<void>;
  /** Sends `initialize` and `notifications/initialized`. */
  handshake(): Promise<void>;
}

/** What to open. */
export interface OpenHttpInit extends HttpOptions {
  readonly url: string;
  readonly channel?: "sse" | "streamable";
  readonly transport?: Partial<HttpEntry>;
  readonly spec?: Partial<EntrySettings>;
  /** Whether a user waits. Default `true`. */
  readonly isInteractive?: boolean;
  /** Aborts the opening. */
  readonly signal?: AbortSignal;
}

/** Opens a transport that is closed when the test ends. It is not started. */
export async function openHttpTransport(init: OpenHttpInit): Promise<OpenedHttp> {
  const { url, channel = "streamable", transport: members, signal, isInteractive = true, ...rest } = init;
  const { spec: specMembers, ...options } = rest;
  const messages: JsonObject[] = [];
  const failures: { id: RequestId; error: HostsideError }[] = [];
  const diagnostics: Diagnostic[] = [];
  let interruptions = 0;
  let closes = 0;
  const open = channel === "sse" ? openSse : openStreamableHttp;
  const spec: ServerSpec = { id: "web", ...specMembers, type: "http", url, ...members };
  const context = createTransportContext(spec, {
    signal: signal ?? new AbortController().signal,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    onLog: () => undefined,
    isInteractive: () => isInteractive,
  });
  const transport = await open(spec, { ...context, options });
  transport.onmessage = (message) => void messages.push(message);
  transport.onrequestfailed = (id, error) => void failures.push({ id, error });
  transport.oninterrupted = () => void (interruptions += 1);
  transport.onclose = () => void (closes += 1);
  const request = (id: RequestId, method = "tools/call", sendOptions?: SendOptions): Promise<void> =>
    transport.send({ jsonrpc: "2.0", id, method, params: {} }, sendOptions);
  const notify = (method: string): Promise<void> => transport.send({ jsonrpc: "2.0", method });
  return {
    transport,
    messages,
    failures,
    diagnostics,
    get interruptions() {
      return interruptions;
    },
    get closes() {
      return closes;
    },
    request,
    notify,
    async handshake() {
      await request(0, "initialize");
      transport.setProtocolVersion?.("2025-11-25");
      await notify("notifications/initialized");
    },
    [Symbol.asyncDispose]: () => transport.close(),
  };
}

/** What a promise rejects with. */
export async function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new TypeError("it did not fail");
}
