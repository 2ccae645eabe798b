import type { JsonObject } from "@hostside/core";

/**
 * What stands around a message over HTTP, and all there is of a request or response without one.
 */
export interface HttpFrame {
  /** `POST`, `GET`, `DELETE`; of a response its status. */
  readonly line: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One thing that went over the wire, in the order in which it was seen. */
export interface WireMessage {
  readonly from: "client" | "server";
  readonly message?: JsonObject;
  readonly http?: HttpFrame;
}

/** A server with a recorder in front of it. */
export interface RecordedServer {
  /** What a client is told. */
  readonly address:
    | { readonly type: "stdio"; readonly command: string; readonly args: readonly string[] }
    | { readonly type: "http"; readonly url: string };
  /** A text that is another one each time, such as the folder that it was given. */
  readonly ownText?: string;
  /** What was seen so far. */
  seen(): readonly WireMessage[];
  close(): Promise<unknown>;
}
