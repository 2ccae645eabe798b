import type { Connection, ReplySink, ResponseHead } from "../sockets/connection.ts";
import type { HttpReply } from "./http-exchange.ts";
import { readNodeBody, type BodyContext, type BodyReading } from "./node-body.ts";

/** What a reply is made from. */
export interface NodeReplyInit {
  readonly head: ResponseHead;
  readonly connection: Connection;
  readonly context: BodyContext;
}

/** A reply, and what its connection and its caller tell it. */
export interface NodeReply extends Pick<ReplySink, "onBody" | "onEnd" | "onError"> {
  readonly reply: HttpReply;
  /** Gives it up: a reading rejects with `reason`, also one that has not begun. */
  stop(reason: unknown): void;
}

// More than most bodies have, so that the connection need not be stopped for them.
const mostEarlyBytes = 65_536;

/** Makes one. Until somebody reads its body, little more than 64 KiB of it are taken from the connection. */
export function createNodeReply({ head, connection, context }: NodeReplyInit): NodeReply {
  let early: Buffer[] = [];
  let earlyBytes = 0;
  let reading: BodyReading | undefined;
  /** After its end, the connection is somebody else's. */
  let isConnected = true;
  let broken: { readonly error: unknown } | undefined;
  let stopped: { readonly reason: unknown } | undefined;
  const source = {
    pause: () => void (isConnected && connection.pause()),
    resume: () => void (isConnected && connection.resume()),
    destroy: () => void (isConnected && connection.destroy()),
  };
  const stop = (reason: unknown): void => {
    stopped ??= { reason };
    if (reading !== undefined) reading.stop(reason);
    else source.destroy();
  };
  const begin = (onChunk: (chunk: Uint8Array) => void, onSettled: (error?: unknown) => void): void => {
    if (stopped !== undefined) return onSettled(stopped.reason);
    reading = readNodeBody(head.header("content-encoding"), { context, source, onChunk, onSettled });
    const arrived = early;
    early = [];
    for (const bytes of arrived) reading.take(bytes);
    if (broken !== undefined) reading.fail(broken.error);
    else if (!isConnected) reading.end();
    else source.resume();
  };
  return {
    onBody(bytes) {
      if (reading !== undefined) return reading.take(bytes);
      early.push(bytes);
      earlyBytes += bytes.length;
      if (earlyBytes > mostEarlyBytes) source.pause();
    },
    onEnd() {
      isConnected = false;
      reading?.end();
    },
    onError(error) {
      isConnected = false;
      broken = { error };
      reading?.fail(error);
    },
    stop,
    reply: {
      status: head.status,
      header: head.header,
      read: (onChunk) =>
        new Promise((resolve, reject) => {
          begin(onChunk, (error) => (error === undefined ? resolve() : reject(error)));
        }),
      cancel: () => stop(context.toError(undefined)),
    },
  };
}
