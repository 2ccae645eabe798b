import { isHostsideError, type Subscription } from "@hostside/core";
import {
  assertKnownOptions,
  assertRequestOptions,
  isPlainObject,
  kindOf,
  quoteText,
  tell,
  type Fields,
} from "@hostside/core/implement";
import { removedError, type ResourceParts } from "./ask-server.ts";
import { isPart } from "./read-cache.ts";
import type { ResourceTarget } from "./read-resource.ts";
import { requestTimeoutMs } from "./resources-options.ts";

/** A resource that is subscribed to changed, or may have. */
export interface SubscribedUpdate {
  readonly serverId: string;
  /** What was subscribed to. */
  readonly uri: string;
  /** What the server named: the same, or a part of it. Untrusted. */
  readonly updatedUri: string;
  /**
   * The session was away, so that nobody knows whether and how often it changed: read it again.
   * `false` where the server said that it changed, or a stream on which it would have said so was
   * interrupted.
   */
  readonly maybeMissed: boolean;
}

/**
 * What hears of updates. One that throws is reported as uncaught, and stops nobody. Where it
 * returns a promise, nobody waits for that; one that rejects is a diagnostic.
 */
export type UpdateListener = (update: SubscribedUpdate) => unknown;

/** Options of `subscribe()`. */
export interface SubscribeOptions {
  readonly onUpdate: UpdateListener;
  /** Ends the wait for the server's agreement, with `aborted`; not the subscription. */
  readonly signal?: AbortSignal | undefined;
  /**
   * For the server to agree, connecting included, in milliseconds. Default: `requestTimeoutMs` of
   * `createResources`.
   */
  readonly timeoutMs?: number | undefined;
}

const fields: Fields<SubscribeOptions> = { onUpdate: true, signal: true, timeoutMs: true };

/** Reads what `subscribe()` was given. Throws a `TypeError` that names what cannot be used. */
export function readSubscribeOptions(given: UpdateListener | SubscribeOptions): SubscribeOptions {
  const options = typeof given === "function" ? { onUpdate: given } : given;
  if (!isPlainObject(options)) throw new TypeError(`subscribe() takes a listener or options, not ${kindOf(options)}`);
  assertKnownOptions("subscribe()", options, fields);
  const { onUpdate, signal, timeoutMs } = options;
  if (typeof onUpdate !== "function") throw new TypeError("subscribe(): onUpdate must be a function");
  assertRequestOptions({ signal, timeoutMs });
  return options;
}

/** Somebody who hears of a resource, or will when the server agrees. */
export interface Hearing {
  readonly serverId: string;
  /** Hears no more, and ends the subscription if there is one. Idempotent. */
  end(): void;
}

/** Subscribes, and is in `open` until that ends. */
export async function subscribe(
  { provider, asking, settings, open }: ResourceParts & { readonly open: Set<Hearing> },
  { serverId, uri }: ResourceTarget,
  { onUpdate, signal: given, timeoutMs = requestTimeoutMs }: SubscribeOptions,
): Promise<Subscription> {
  let agreed: Subscription | undefined;
  // Before the server agrees: the first update may come together with its word.
  const unhear = provider.onResourceUpdated((update) => {
    if (update.serverId !== serverId || !isPart(update.uri, uri)) return;
    const answer = onUpdate({ serverId, uri, updatedUri: update.uri, maybeMissed: update.maybeMissed === true });
    // A rejection that nobody takes would end the process.
    Promise.resolve(answer).catch((reason: unknown) => {
      const message = `a listener of resource ${quoteText(uri)} of server ${JSON.stringify(serverId)} rejected: ${nameOf(reason)}`;
      tell(settings.onDiagnostic, { kind: "defect", serverId, message });
    });
  });
  const end = (): void => {
    open.delete(hearing);
    unhear();
    agreed?.();
  };
  const hearing: Hearing = { serverId, end };
  open.add(hearing);
  const question = { serverId, operation: "resources/subscribe", timeoutMs, signal: given };
  let pending: Promise<Subscription> | undefined;
  try {
    agreed = await asking.run(question, ({ deadline: { signal }, sending }) => {
      sending();
      pending = provider.subscribeResource(serverId, uri, { signal });
      return pending;
    });
    if (!open.has(hearing)) throw removedError(serverId);
    return Object.assign(end, { [Symbol.dispose]: end });
  } catch (reason) {
    end();
    // What comes too late is ended at once.
    pending?.then(
      (late) => late(),
      () => undefined,
    );
    throw reason;
  }
}

/** Of what kind an error is. Its message may hold what nobody should read. */
function nameOf(reason: unknown): string {
  const name = isHostsideError(reason) ? reason.code : reason instanceof Error ? reason.name : "";
  return /^\w{1,40}$/.test(name) ? name : "an unknown reason";
}
