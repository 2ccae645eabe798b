import { HostsideError } from "@hostside/core";
import type { JsonObject, JsonValue } from "@hostside/core";

/** A JSON-RPC message, or a batch of them, with its ids as a recording writes them. */
export type RecordedMessage = JsonObject | readonly JsonValue[];

/** What a text or bytes are written as: bytes that are no UTF-8 as Base64. */
export type RecordedText = ({ readonly text: string } | { readonly base64: string }) & {
  /** How many bytes more there were, of which nothing was kept. */
  readonly omitted?: number;
};

/** Members of every event. */
interface Common {
  /** Which process, or which exchange of HTTP, counted from 1. */
  readonly run: number;
  /** The line of the file that it stands in; of events that were read. */
  readonly line?: number;
}

/** What the host did. */
export type HostEvent =
  | (Common & { readonly type: "start"; readonly server: string })
  | (Common & { readonly type: "sent"; readonly message: RecordedMessage })
  | (Common & { readonly type: "stdin-end" })
  | (Common & {
      readonly type: "request";
      readonly server: string;
      readonly method: string;
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly message?: RecordedMessage;
    })
  | (Common & { readonly type: "taken-back" });

/** What came of it. */
export type ServerEvent =
  | (Common & { readonly type: "start-failed"; readonly code: string })
  | (Common & { readonly type: "received"; readonly message: RecordedMessage; readonly isOpen?: boolean })
  | (Common & { readonly type: "stdout"; readonly isOpen?: boolean } & RecordedText)
  | (Common & { readonly type: "stderr"; readonly isOpen?: boolean } & RecordedText)
  | (Common & { readonly type: "stdout-end" })
  | (Common & { readonly type: "stdin-closed"; readonly code: string })
  | (Common & { readonly type: "exit"; readonly code: number | null; readonly signal: string | null })
  | (Common & {
      readonly type: "reply";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
    })
  | (Common & {
      readonly type: "event";
      readonly id?: string;
      readonly event?: string;
      readonly retry?: string;
      readonly message?: RecordedMessage;
      readonly text?: string;
    })
  | (Common & { readonly type: "body" } & RecordedText)
  | (Common & { readonly type: "body-end" })
  | (Common & { readonly type: "cut"; readonly code: string });

/** One line of a recording that something happened in. */
export type RecordedEvent = HostEvent | ServerEvent;

/** How a server was reached, without secrets. */
export type RecordedTransport =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args?: readonly string[];
    }
  | {
      readonly type: "http";
      readonly url: string;
      readonly mode?: "auto" | "streamable" | "sse";
    };

/** A server of a recording. */
export interface RecordedServer {
  readonly id: string;
  readonly transport: RecordedTransport;
}

/** A conversation between a host and its servers, as it was read. */
export interface Recording {
  readonly servers: readonly RecordedServer[];
  readonly events: readonly RecordedEvent[];
  /**
   * What is missing of it, in words: a last line that was cut off, an end that was never written,
   * lines that there was no room for.
   */
  readonly problems: readonly string[];
}

/** Whether a value is nested more than so deep; looks no deeper. */
export function isDeeperThan(value: unknown, deepest: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (deepest === 0) return true;
  return Object.values(value).some((member) => isDeeperThan(member, deepest - 1));
}

/** What is wrong with a recording. */
export function recordingError(message: string, cause?: unknown): HostsideError {
  return new HostsideError(message, { code: "invalid_recording", ...(cause !== undefined && { cause }) });
}
