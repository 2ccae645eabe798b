import { createPendingReplies, DriverFailure, type DriverLink } from "./driver-link.ts";
import type { DriverReply, DriverRequest } from "./driver-protocol.ts";
import { createAnswer, type ServeDriverOptions } from "./serve-driver.ts";

/**
 * A driver in this process: the same host, without a pipe between it and the kit. For test suites
 * in TypeScript.
 */
export function localDriver(options: Omit<ServeDriverOptions, "input" | "output">): DriverLink {
  const answer = createAnswer(options);
  const pending = createPendingReplies();
  let ended = false;
  async function take(reply: Promise<DriverReply>): Promise<void> {
    // Through JSON, as over a pipe: what cannot be written down is not told.
    const wrong = pending.settle(JSON.parse(JSON.stringify(await reply)));
    if (wrong !== undefined) pending.fail(new DriverFailure("rubbish", `the driver gave ${wrong}`));
  }

  return {
    ask(verb, params, timeoutMs) {
      if (ended) return Promise.reject(new DriverFailure("died", "the driver was ended"));
      const { id, reply } = pending.wait(verb, timeoutMs);
      // The members of a request are those of its verb.
      void take(answer({ id, verb, ...params } as DriverRequest));
      return reply;
    },
    get alive() {
      return !ended;
    },
    async end() {
      if (ended) return;
      ended = true;
      pending.fail(new DriverFailure("died", "the driver was ended"));
      // A host that is broken may never close.
      await Promise.race([options.host.close?.({}), new Promise((resolve) => setTimeout(resolve, 500).unref())]);
    },
  };
}
