import type { JsonObject } from "@hostside/core";
import { isJsonObject, resultWithin } from "@hostside/core/implement";
import type { DriverReply, DriverVerb, DriverVerbs } from "./driver-protocol.ts";

/** A way to a driver. */
export interface DriverLink {
  /**
   * Asks, and resolves with the reply, right or wrong. Rejects with {@linkcode DriverFailure} when
   * the driver dies, writes what is no reply, or does not answer in time.
   */
  ask<Verb extends DriverVerb>(
    verb: Verb,
    params: DriverVerbs[Verb]["params"],
    timeoutMs: number,
  ): Promise<DriverReply>;
  /** The number of the driver's process; absent when it has none of its own. */
  readonly pid?: number | undefined;
  /** Whether the driver can still be asked. */
  readonly alive: boolean;
  /** Ends the driver and what it left. Idempotent. */
  end(): Promise<void>;
}

/** The driver itself failed, not the host behind it. */
export class DriverFailure extends Error {
  override readonly name: string = "DriverFailure";
  readonly kind: "died" | "rubbish" | "silent";

  constructor(kind: DriverFailure["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Requests that wait for their replies. */
export interface PendingReplies {
  /** Registers a request. */
  wait(verb: string, timeoutMs: number): { readonly id: number; readonly reply: Promise<DriverReply> };
  /** Takes what the driver said. Returns what is wrong with it, if anything. */
  settle(message: JsonObject): string | undefined;
  /** Fails everything that waits. */
  fail(failure: DriverFailure): void;
}

/** Makes an empty set. */
export function createPendingReplies(): PendingReplies {
  const waiting = new Map<number, { resolve: (reply: DriverReply) => void; reject: (error: DriverFailure) => void }>();
  let last = 0;
  return {
    wait(verb, timeoutMs) {
      last += 1;
      const id = last;
      const answered = new Promise<DriverReply>((resolve, reject) => waiting.set(id, { resolve, reject }));
      const inTime = async (): Promise<DriverReply> => {
        const reply = await resultWithin(answered, timeoutMs).finally(() => waiting.delete(id));
        if (reply === undefined) throw new DriverFailure("silent", `no answer to ${verb} within ${timeoutMs} ms`);
        return reply;
      };
      return { id, reply: inTime() };
    },
    settle(message) {
      const { id } = message;
      if (typeof id !== "number") return "a reply without the id of a request";
      const waiter = waiting.get(id);
      // Late: what it answers was given up.
      if (waiter === undefined)
        return id > 0 && id <= last ? undefined : `a reply to request ${id}, which was never sent`;
      const reply = readReply(id, message);
      if (typeof reply === "string") return reply;
      waiter.resolve(reply);
      return undefined;
    },
    fail(failure) {
      for (const { reject } of Array.from(waiting.values())) reject(failure);
    },
  };
}

function readReply(id: number, { ok, value, error }: JsonObject): DriverReply | string {
  if (ok === true)
    return isJsonObject(value) ? { id, ok, value } : "a reply that is ok, but has no object as its value";
  if (ok !== false) return "a reply without ok, which must be true or false";
  if (!isJsonObject(error) || typeof error["message"] !== "string")
    return "a reply that is not ok, but has no error.message";
  const { message, code, outcome } = error;
  return {
    id,
    ok,
    error: {
      message,
      ...(typeof code === "string" && { code }),
      ...((outcome === "not-sent" || outcome === "unknown" || outcome === "failed") && { outcome }),
    },
  };
}
