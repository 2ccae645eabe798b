import { HostsideError, type Cancel, type Clock } from "@hostside/core";
import { formatMs, quoteText, settleWithin } from "@hostside/core/implement";
import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { RedirectExpectation, RedirectListener } from "../oauth-options.ts";
import { showPage, type CallbackPage } from "./callback-page.ts";
import type { CallbackRequest } from "./callback-server.ts";

/** Waits for one user. */
export interface CallbackWaiter {
  /** Takes a callback that is for it, and answers whether it was. */
  take(callback: CallbackRequest): boolean;
}

/** What a listener for one user needs. */
export interface RedirectListenerInit {
  readonly redirectUri: string;
  /** Where it waits among others. */
  readonly waits: Set<CallbackWaiter>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Lets go of what listens. */
  readonly leave: () => Promise<void>;
}

// Tokens are there by then, or something is wrong; and a browser must not seem to hang.
const longestHeldMs = 15_000;
const longestFarewellMs = 1000;

/** Waits for one user at a redirect URI that is listened at already. */
export function createRedirectListener(expected: RedirectExpectation, init: RedirectListenerInit): RedirectListener {
  const { serverId, title, signal } = expected;
  const { redirectUri, waits, timeoutMs, clock, leave } = init;
  const answer = createAnswer();
  let wanted: Buffer | undefined;
  let held: ServerResponse | undefined;
  let taken = false;
  let cancelTimer: Cancel = () => {};
  let closing: Promise<void> | undefined;

  const wait: CallbackWaiter = {
    take({ url, state, response }) {
      if (wanted === undefined || !timingSafeEqual(wanted, digestOf(state))) return false;
      if (taken) {
        showPage(response, "answered");
        return true;
      }
      taken = true;
      held = response;
      cancelTimer();
      cancelTimer = clock.schedule(longestHeldMs, () => void end("received"));
      answer.resolve(url);
      return true;
    },
  };
  const finish = async (page: CallbackPage): Promise<void> => {
    cancelTimer();
    signal.removeEventListener("abort", onAbort);
    waits.delete(wait);
    if (held !== undefined && !held.destroyed) {
      const closed = once(held, "close");
      showPage(held, page, title);
      await settleWithin(closed, longestFarewellMs, clock);
    }
    await leave();
  };
  const end = (page: CallbackPage): Promise<void> => (closing ??= finish(page));
  const giveUp = (reason: unknown): void => {
    answer.reject(reason);
    void end("received");
  };
  const onAbort = (): void => {
    // Once there is an answer, whoever has it ends this, with the truth for the user.
    if (!taken) giveUp(signal.reason);
  };
  const onTimeout = (): void => giveUp(nobodyCame(expected, redirectUri, timeoutMs));
  signal.addEventListener("abort", onAbort, { once: true });
  waits.add(wait);

  return {
    redirectUri,
    async receive(state) {
      if (typeof state !== "string" || state === "") throw new TypeError("receive() takes a state that is not empty");
      if (wanted !== undefined) throw new TypeError("receive() may be called once");
      wanted = digestOf(state);
      if (closing === undefined) cancelTimer = clock.schedule(timeoutMs, onTimeout);
      return answer.promise;
    },
    close(how) {
      const message = `server ${quoteText(serverId)}: nobody waits for this sign-in any more`;
      answer.reject(new HostsideError(message, { code: "aborted", serverId }));
      return end(how ?? "received");
    },
  };
}

/** Of one length, so that a comparison takes as long for any state. */
function digestOf(state: string): Buffer {
  return createHash("sha256").update(state).digest();
}

function nobodyCame({ serverId }: RedirectExpectation, redirectUri: string, timeoutMs: number): HostsideError {
  const place = `${redirectUri} within ${formatMs(timeoutMs)}`;
  return new HostsideError(`server ${quoteText(serverId)}: nobody came back from the authorization page to ${place}`, {
    code: "auth_required",
    serverId,
    details: { operation: "sign in", timeoutMs, reason: "no-answer" },
  });
}

interface Answer {
  readonly promise: Promise<URL>;
  readonly resolve: (url: URL) => void;
  readonly reject: (reason: unknown) => void;
}

function createAnswer(): Answer {
  let resolve: Answer["resolve"] = () => {};
  let reject: Answer["reject"] = () => {};
  const promise = new Promise<URL>((onUrl, onError) => {
    resolve = onUrl;
    reject = onError;
  });
  // It may never be asked for.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
