import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/client";
import type { Diagnostic, ServerLog, ToolportError } from "@toolport/core";
import type { SecretMemory } from "@toolport/core/implement";

/** What can be said about one message on its way out. Names follow the SDK's `TransportSendOptions`. */
export interface HostSendOptions {
  /** Aborting it takes the request back: on Streamable HTTP the response stream is closed, which is the cancel of 2026-07-28. */
  readonly requestSignal?: AbortSignal | undefined;
  /** Headers of this one request, such as `Mcp-Param-…`; only for transports with one HTTP request per message. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * A way to one server. Shaped like the SDK's `Transport`, so that one can be plugged in, with what a host needs besides: the failure of a
 * single request without the loss of the connection, and evidence. Every kind of transport is one of these; `open-stdio.ts`,
 * `open-http.ts`, `open-memory.ts` and `open-custom.ts` make them.
 *
 * Rules for implementers:
 * - `onclose` fires exactly once, after `onrequestfailed` fired for nothing more; nothing fires after it.
 * - `send()` rejects with a `ToolportError` whose `outcome` is honest: `not-sent` only if no byte of the message can have arrived.
 * - `close()` is idempotent, never rejects, and leaves no process, socket or timer behind.
 */
export interface HostTransport extends Omit<Transport, "onmessage" | "send"> {
  /** Messages arrive in the order in which they are sent, without waiting for one another; not so where each is a request of its own. */
  readonly isOrdered?: boolean | undefined;
  send(message: JSONRPCMessage, options?: HostSendOptions): Promise<void>;
  /**
   * Takes a request back as the abort of its `requestSignal` does, without the cost of a signal per request: nothing is waited for on
   * its behalf any more. Only where each message is an HTTP request of its own. Ids of no request under way are ignored.
   */
  readonly takeBack?: ((id: RequestId) => void) | undefined;
  /** Something came in; `relatedId` is the request of ours on whose own exchange it came, where there is such a thing. */
  onmessage?: ((message: JSONRPCMessage, relatedId?: RequestId) => void) | undefined;
  /** An answer to this request will never come, though the connection lives: its stream ended, its answer was too large or unusable. */
  onrequestfailed?: ((id: RequestId, error: ToolportError) => void) | undefined;
  /** A stream for unsolicited messages was interrupted: notifications may have been missed. */
  oninterrupted?: (() => void) | undefined;
  /** Why the transport closed by itself; set before `onclose` fires. Absent after `close()`. */
  readonly closeReason?: ToolportError | undefined;
  /** For the old HTTP+SSE: its stream was open, so that this is what the server speaks. */
  readonly hasStream?: boolean | undefined;
  /** For processes: the last lines on stderr so far, bounded and without secrets, as evidence for an error about silence. */
  readonly stderr?: string | undefined;
}

/** What every opener gets from the connector. */
export interface TransportContext {
  /** Aborts the opening. What is open already is torn down before the opener's promise settles. */
  readonly signal: AbortSignal;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
  readonly onLog: (log: ServerLog) => void;
  /**
   * Masks the secrets of the connection, and is told each one that the transport sends and no spec names. Default: one that knows the
   * spec's.
   */
  readonly secrets?: SecretMemory | undefined;
  /** For processes: told of the first byte on stdout. The program is loaded by then, and what comes now is its own business. */
  readonly onStarted?: (() => void) | undefined;
  /** Whether a user waits who may be shown an authorization page right now. Default: never. */
  readonly isInteractive?: (() => boolean) | undefined;
}
