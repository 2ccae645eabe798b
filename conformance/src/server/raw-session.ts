import type { JsonObject, JsonValue } from "@hostside/core";

/** A message as the server sent it, before anybody judged it. */
export type RawMessage = JsonObject;

/** How a request ended that was sent over a raw session. */
export type Answer =
  | { readonly kind: "result"; readonly result: JsonValue | undefined; readonly message: RawMessage }
  | {
      readonly kind: "error";
      readonly code: JsonValue | undefined;
      readonly text: JsonValue | undefined;
      readonly message: RawMessage;
    }
  /** Nothing came in time; `instead` says what came that is almost an answer. */
  | { readonly kind: "silence"; readonly afterMs: number; readonly instead?: string }
  /** The process ended or the connection broke first. */
  | { readonly kind: "gone"; readonly reason: string }
  /**
   * HTTP only: a response that carries no JSON-RPC answer to this request; `instead` says what it
   * carries that is almost one.
   */
  | {
      readonly kind: "http";
      readonly instead?: string;
      readonly status: number;
      readonly contentType: string | undefined;
      readonly excerpt: string;
      /** Its `WWW-Authenticate`. */
      readonly challenge?: string;
    };

/** How a request is sent. */
export interface SendRequest {
  /** Default: a new number. Any JSON value, so that odd ids can be tried. */
  readonly id?: JsonValue;
  /** In milliseconds. Default: the target's answer time. */
  readonly timeoutMs?: number;
  /**
   * HTTP headers of this one request; they replace those of the session. An empty value removes
   * one.
   */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * One connection to the server under test that does exactly what it is told: no handshake, no
 * repair, no validation. Every byte in either direction is in the trace under its {@linkcode id}.
 */
export interface RawSession {
  /** Such as `"#2"`: the session of the trace events. */
  readonly id: string;
  /**
   * Sends any JSON-RPC request and waits for its answer. Never rejects for what the server does.
   */
  request(method: string, params?: JsonObject, options?: SendRequest): Promise<Answer>;
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Sends a message object as it is, and waits for nothing. */
  send(message: JsonValue): Promise<void>;
  /**
   * Messages of the server that answered no request of ours: notifications, requests, answers to
   * nobody.
   */
  readonly unsolicited: readonly RawMessage[];
  /** Answers that came when the time of their requests was up, oldest first. */
  readonly lateAnswers: readonly Answer[];
  /**
   * The first unsolicited message, past or future, for which `matches` holds; `undefined` when none
   * came within `timeoutMs`.
   */
  waitFor(matches: (message: RawMessage) => boolean, timeoutMs: number): Promise<RawMessage | undefined>;
  /** Ends the session and everything that belongs to it. Never rejects. */
  close(): Promise<void>;
}

/** Bytes on stdout that are no JSON-RPC message. */
export interface StdoutAnomaly {
  /** Offset of the first of them in the stream. */
  readonly offset: number;
  /** A bounded excerpt, as text. */
  readonly text: string;
  /** What had been sent last, such as `tools/call "echo"`; `undefined`: nothing. */
  readonly after: string | undefined;
}

/** How a process ended. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A raw session with a process of its own. */
export interface StdioSession extends RawSession {
  readonly pid: number;
  readonly anomalies: readonly StdoutAnomaly[];
  /** How the process ended by itself, before the kit ended it, in words; if it did. */
  readonly death: string | undefined;
  /** Whether the process has ended by itself, in whatever way. */
  readonly hasEnded: boolean;
  /** The last lines of stderr, redacted. */
  stderrTail(): string;
  readonly stderrBytes: number;
  /** Writes bytes to the server's stdin exactly as given, each chunk in a write of its own. */
  writeBytes(chunks: readonly (string | Uint8Array)[]): Promise<void>;
  /** Ends the server's stdin. */
  endInput(): void;
  kill(signal: "SIGTERM" | "SIGKILL"): void;
  /** How the process ended, or `undefined` if it still runs after `timeoutMs`. */
  ended(timeoutMs: number): Promise<ProcessEnd | undefined>;
  /**
   * Processes that are alive of the server's process group, and of those that it had started when
   * its input ended; the server itself left out.
   */
  leftBehind(): readonly number[];
}

/** A raw session over Streamable HTTP. */
export interface HttpSession extends RawSession {
  /** The `Mcp-Session-Id` that the server gave, if any. */
  readonly sessionId: string | undefined;
  /**
   * Any HTTP request to the endpoint; the body of the response is bounded. Rejects when nothing
   * came in time.
   */
  fetch(init: HttpRequest): Promise<HttpResponse>;
  /** Breaks all its connections, as a client does that ends. */
  hangUp(): void;
}

/** A raw session over HTTP+SSE of 2024-11-05. */
export interface SseSession extends RawSession {
  /** Names of the events that messages came in. */
  readonly eventNames: ReadonlySet<string>;
  /**
   * Opens the stream if it is not open yet: what its `endpoint` event said, and the response that
   * makes it of no use.
   */
  stream(timeoutMs: number): Promise<{
    readonly endpoint: string | undefined;
    readonly instead: HttpResponse | undefined;
  }>;
  /** Any HTTP request to the address that the stream named. Rejects when nothing came in time. */
  fetch(init: HttpRequest): Promise<HttpResponse>;
}

/** An HTTP request that the kit makes. */
export interface HttpRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * Over HTTP+SSE: in place of the address that the stream named. Default: that one, or the
   * endpoint.
   */
  readonly url?: URL;
  /** Default: the time of an answer. */
  readonly timeoutMs?: number | "never";
  /**
   * `true`: hangs up when the headers are there, because a stream does not end by itself. Default
   * `false`.
   */
  readonly headersOnly?: boolean;
}

/** What came back. `status` 0: nothing did; `body` says why. */
export interface HttpResponse {
  /** Nothing came in time, which says nothing of the server: the machine may be busy. */
  readonly isLate?: true;
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** What kept the rest of it from coming: the connection broke amid it. */
  readonly brokeOff?: string;
}
