import type { Subscription } from "@toolport/core";
import { assertKnownOptions, assertRequestOptions, type Fields } from "@toolport/core/implement";
import { isPart } from "../reading/read-cache.ts";
import type { ResourceTarget } from "../reading/read-resource.ts";
import type { ResourceParts } from "../resource-parts.ts";
import type { ResourceUpdate } from "../resource-provider.ts";

/** A resource that is subscribed to changed, or may have. */
export interface SubscribedUpdate {
  readonly serverId: string;
  /** What was subscribed to. */
  readonly uri: string;
  /** What the server named: the same, or a part of it. Untrusted. */
  readonly updatedUri: string;
  /**
   * The session was away, so that nobody knows whether and how often it changed: read it again. `false` where the server said that it changed,
   * or a stream on which it would have said so was interrupted.
   */
  readonly maybeMissed: boolean;
}

/** What hears of updates. One that throws is reported as uncaught, and stops nobody. */
export type UpdateListener = (update: SubscribedUpdate) => void;

/** Options of `subscribe()`. */
export interface SubscribeOptions {
  readonly onUpdate: UpdateListener;
  /** Ends the wait for the server's agreement, with `aborted`; not the subscription. */
  readonly signal?: AbortSignal | undefined;
  /** For the server to agree, connecting included, in milliseconds. Default: `requestTimeoutMs` of `createResources`. */
  readonly timeoutMs?: number | undefined;
}

const fields: Fields<SubscribeOptions> = { onUpdate: true, signal: true, timeoutMs: true };

/** Reads what `subscribe()` was given. Throws a `TypeError` that names what cannot be used. */
export function readSubscribeOptions(given: UpdateListener | SubscribeOptions): SubscribeOptions {
  const options = typeof given === "function" ? { onUpdate: given } : given;
  assertKnownOptions("subscribe()", options, fields);
  const { onUpdate, signal, timeoutMs } = options;
  if (typeof onUpdate !== "function") throw new TypeError("subscribe(): onUpdate must be a function");
  assertRequestOptions({ signal, timeoutMs });
  return options;
}

/** The subscriptions of one `createResources`. */
export interface Subscriptions {
  subscribe(target: ResourceTarget, options: SubscribeOptions): Promise<Subscription>;
  close(): void;
}

/** Makes none at first. */
export function createSubscriptions({ provider, asking, settings }: ResourceParts): Subscriptions {
  const open = new Set<Subscription>();
  return {
    async subscribe({ serverId, uri }, options) {
      const { onUpdate, signal: given, timeoutMs = settings.requestTimeoutMs } = options;
      const hear = (update: ResourceUpdate): void => {
        if (update.serverId !== serverId || !isPart(update.uri, uri)) return;
        onUpdate({ serverId, uri, updatedUri: update.uri, maybeMissed: update.maybeMissed === true });
      };
      // Before the server agrees: the first update may come together with its word.
      const unhear = provider.onResourceUpdated(hear);
      const question = { serverId, operation: "resources/subscribe", timeoutMs, signal: given };
      let pending: Promise<Subscription> | undefined;
      try {
        const agreed = await asking.run(question, ({ deadline: { signal }, sending }) => {
          sending();
          pending = provider.subscribeResource(serverId, uri, { signal });
          return pending;
        });
        const end = (): void => {
          open.delete(subscription);
          unhear();
          agreed();
        };
        const subscription: Subscription = Object.assign(end, { [Symbol.dispose]: end });
        open.add(subscription);
        return subscription;
      } catch (reason) {
        unhear();
        // What comes too late is ended at once.
        pending?.then(
          (late) => late(),
          () => undefined,
        );
        throw reason;
      }
    },
    close() {
      for (const end of Array.from(open)) end();
    },
  };
}
