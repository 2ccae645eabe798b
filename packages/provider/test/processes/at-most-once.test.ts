import { HostsideError, type ServerCredentials, type ServerEntry } from "@hostside/core";
import { createProvider } from "@hostside/provider";
import { createConnector, type ConnectorOptions } from "@hostside/transports";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createCallCount,
  createCountingFetch,
  serveCounting,
  type CallCount,
  type ServerKind,
} from "./counting-server.ts";
import { listen } from "./listen.ts";
import { oddAnswer, oddMessage } from "./odd-answers.ts";
import { useTestClock } from "../../../../test/manual-clock.ts";

// Short waits are over at once, as that before a stream is resumed. Deadlines come a little later,
// those of calls and of probes alike, because some answers name no request, and so answer none. The
// others never come, and neither does that of a socket: a busy machine connects late.
const callMs = 90_000;
const socketMs = 15_000;
const patient = 1_000_000;
function useHastyClock(): void {
  let now = 0;
  useTestClock({
    now: () => now,
    schedule(delayMs, task) {
      if (delayMs > callMs || delayMs === socketMs) return () => {};
      const isDeadline = delayMs >= 10_000;
      const due = now + delayMs;
      const pass = (): void => {
        now = Math.max(now, due);
        task();
      };
      const timer = setTimeout(pass, isDeadline ? 50 : 0);
      return () => clearTimeout(timer);
    },
  });
}
const timeouts = {
  connectMs: patient,
  probeMs: patient,
  listMs: patient,
  callMs,
  requestMs: patient,
  closeMs: patient,
};
const kinds: readonly ServerKind[] = ["legacy", "legacy-with-session", "modern"];

interface Run {
  readonly transport: ServerEntry;
  readonly options?: ConnectorOptions;
  readonly count: CallCount;
  /** How many calls go out together. */
  readonly calls: number;
}

/** Calls several times at once, then once more, and looks how often each call ran. */
async function callAll({ transport, options, count, calls }: Run): Promise<void> {
  useHastyClock();
  const connector = createConnector(options);
  const servers = [{ id: "s", timeouts, ...transport }];
  await using provider = createProvider({ connector, servers });
  await provider.init({ timeoutMs: patient });
  expect(provider.has("mcp_s_echo")).toBe(true);
  const call = (text: string) => provider.call("mcp_s_echo", { text });
  await Promise.allSettled(Array.from({ length: calls }, (_, i) => call(`${i}`)));
  // Whatever happened before: a connection that was lost is there again, and what comes next runs
  // as often.
  await Promise.allSettled([call("last")]);
  for (const [text, times] of count.times) {
    expect({ text, times }).toEqual({ text, times: Math.min(times, 1 + (count.allowed.get(text) ?? 0)) });
  }
}

const long = { timeout: 600_000 };
// `pnpm proof properties` looks at more.
const runs = Number(process.env["HOSTSIDE_RUNS"] ?? 8);

describe("a call that reached its server", () => {
  it.each(kinds)("is not sent again for anything that a %s server answers to a fetch", long, async (kind) => {
    const property = fc.asyncProperty(
      fc.array(oddAnswer, { minLength: 1, maxLength: 4 }),
      fc.constantFrom("none", "credentials"),
      async (answers, means) => {
        const count = createCallCount();
        const fetch = createCountingFetch(kind, count, (text) => answers[Number(text)]);
        let token = "old";
        const credentials: ServerCredentials = {
          headersFor: async () => ({ authorization: `Bearer ${token}` }),
          async onRefused({ status, challenge, sent }) {
            const isScope = challenge?.includes("insufficient_scope") === true;
            if (sent["authorization"] !== "Bearer old" || (status === 403 && !isScope))
              throw new HostsideError("there are no others", { code: "auth_required" });
            token = "new";
          },
        };
        await callAll({
          transport: { type: "http", url: "http://127.0.0.1/mcp", ...(means !== "none" && { auth: "oauth" }) },
          options: { fetch, authProvider: () => credentials },
          count,
          calls: answers.length,
        });
      },
    );
    await expect(fc.check(property, { numRuns: runs })).resolves.toMatchObject({ counterexample: null });
  });

  it.each(kinds)("is not sent again for anything that a %s server answers over a socket", long, async (kind) => {
    const property = fc.asyncProperty(fc.array(oddAnswer, { minLength: 1, maxLength: 4 }), async (answers) => {
      const count = createCallCount();
      await using server = await listen(createCountingFetch(kind, count, (text) => answers[Number(text)]));
      await callAll({ transport: { type: "http", url: server.url }, count, calls: answers.length });
    });
    await expect(fc.check(property, { numRuns: Math.ceil(runs / 3) })).resolves.toMatchObject({ counterexample: null });
  });

  it.each(kinds)("is not sent again for anything that a %s server answers over one channel", long, async (kind) => {
    const answer = fc.oneof({ weight: 4, arbitrary: oddMessage }, fc.constant("end" as const));
    const property = fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 4 }), async (answers) => {
      const count = createCallCount();
      const serve = serveCounting(kind, count, (text) => answers[Number(text)]);
      await callAll({ transport: { type: "memory", serve }, count, calls: answers.length });
    });
    await expect(fc.check(property, { numRuns: runs })).resolves.toMatchObject({ counterexample: null });
  });
});
