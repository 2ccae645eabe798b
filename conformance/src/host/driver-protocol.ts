import type { JsonObject, JsonValue } from "@hostside/core";

/**
 * The version of the driver protocol that this kit speaks. A driver that names another one is not
 * started.
 */
export const driverProtocol = 1;

/**
 * What a host can do, as its driver says. A scenario that needs a feature the host does not have
 * does not apply.
 *
 * `stdio`, `http` (Streamable HTTP), `sse` (the HTTP+SSE transport of 2024-11-05): transports.
 * `legacy` (2024-11-05 to 2025-11-25), `2026-07-28`: protocol eras. `headers`: sends headers of its
 * configuration. `clientCredentials`: signs in as the client of its configuration, a program
 * without a user. `dpop`: binds the tokens that it gets so to a key of its own (RFC 9449).
 * `localNames`: gives tools names for models. `addServer`, `removeServer`, `refresh`, `cancel`,
 * `meta`, `stats`: the verb, or the parameter, of this name.
 */
export const driverFeatures = [
  "stdio",
  "http",
  "sse",
  "legacy",
  "2026-07-28",
  "headers",
  "clientCredentials",
  "dpop",
  "localNames",
  "addServer",
  "removeServer",
  "refresh",
  "cancel",
  "meta",
  "stats",
] as const;

/** One of {@linkcode driverFeatures}. */
export type DriverFeature = (typeof driverFeatures)[number];

/** A server as a driver gets it. */
export interface DriverServer {
  readonly id: string;
  readonly transport:
    | { readonly type: "stdio"; readonly command: string; readonly args: readonly string[]; readonly cwd?: string }
    | {
        readonly type: "http";
        readonly url: string;
        /** `sse`: the HTTP+SSE transport of 2024-11-05. */
        readonly mode: "streamable" | "sse";
        readonly headers?: Readonly<Record<string, string>>;
        /**
         * What the host is registered as at the server's authorization server, which the server
         * names. For hosts with `clientCredentials` alone.
         */
        readonly client?: DriverClient;
      };
  /** How long a connection attempt may take, in milliseconds. */
  readonly connectMs: number;
  /** How long each step of a shutdown may take, in milliseconds. */
  readonly closeMs: number;
}

/** A client that signs in as itself (RFC 6749, 4.4). */
export interface DriverClient {
  readonly grant: "client_credentials";
  readonly id: string;
  readonly secret: string;
}

/** What a driver says of itself. */
export interface DriverHello {
  readonly protocol: number;
  readonly name: string;
  readonly version: string;
  readonly features: readonly string[];
}

/** A tool as the host offers it. */
export interface DriverTool {
  /** What a model, and the verb `call`, call it by. */
  readonly name: string;
  readonly serverId: string;
  /** The name that its server knows it by. */
  readonly remoteName: string;
}

/** What the host offers at one moment. */
export interface DriverSnapshot {
  readonly tools: readonly DriverTool[];
  /**
   * Servers that are registered. `state` and `error` are for people, except that no secret may be
   * in them.
   */
  readonly servers: readonly { readonly id: string; readonly state?: string; readonly error?: string }[];
}

/** What a call brought back: the members of the server's result. */
export interface DriverResult {
  readonly content: readonly JsonValue[];
  readonly structuredContent?: JsonValue;
  readonly isError?: boolean;
}

/** A failure, as the host tells it. */
export interface DriverError {
  readonly message: string;
  /** The host's own code. */
  readonly code?: string;
  /**
   * What the host knows of a call's effect: it never left, it may have run, or the server says that
   * it did not.
   */
  readonly outcome?: "not-sent" | "unknown" | "failed";
}

/** The verbs: what the kit sends with each, and what the driver answers. */
export interface DriverVerbs {
  /** The first request. Starts nothing. */
  hello: { params: { readonly protocol: number }; result: DriverHello };
  /**
   * Makes a host with these servers, and connects to them. A server that fails is not an error of
   * this verb.
   */
  init: { params: { readonly servers: readonly DriverServer[] }; result: JsonObject };
  /** Adds a server while the host runs. An error means that it was not added. */
  addServer: { params: { readonly spec: DriverServer }; result: JsonObject };
  removeServer: { params: { readonly serverId: string }; result: JsonObject };
  /** What the host offers now. Asks no server. */
  snapshot: { params: JsonObject; result: DriverSnapshot };
  /** Calls a tool. Answered when the call is over; other requests are answered meanwhile. */
  call: {
    params: {
      readonly callId: string;
      readonly name: string;
      readonly args: JsonObject;
      readonly timeoutMs: number;
      /** Sent as `_meta` beside the arguments. */
      readonly meta?: JsonObject;
    };
    result: DriverResult;
  };
  /** Gives a call up; the answer to `call` is then an error. */
  cancel: { params: { readonly callId: string }; result: JsonObject };
  /** Lists the tools of every server again. */
  refresh: { params: JsonObject; result: JsonObject };
  /** What happened since the last time it was asked, as texts for people. */
  events: { params: JsonObject; result: { readonly events: readonly string[] } };
  /** What the host holds now, as far as it knows. */
  stats: { params: JsonObject; result: { readonly children?: number } };
  /**
   * Ends the host, not the driver: another `init` may follow. Answered when nothing of the host is
   * left.
   */
  close: { params: JsonObject; result: JsonObject };
}

/** The name of a verb. */
export type DriverVerb = keyof DriverVerbs;

/** What the kit writes, one in a line. */
export type DriverRequest = {
  [Verb in DriverVerb]: { readonly id: number; readonly verb: Verb } & DriverVerbs[Verb]["params"];
}[DriverVerb];

/** What the driver writes, one in a line, in any order. */
export type DriverReply =
  | { readonly id: number; readonly ok: true; readonly value: JsonObject }
  | { readonly id: number; readonly ok: false; readonly error: DriverError };
