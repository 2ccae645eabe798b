import { HostsideError } from "@hostside/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { createServerContext } from "../../test/server-context.ts";
import { ChangeStream, type ChangeFilter, type OpenedStream } from "./change-stream.ts";

const uris = ["note://a", "note://b", "note://c"] as const;

const step = fc.oneof(
  fc.record({ kind: fc.constant("add" as const), uri: fc.constantFrom(...uris) }),
  fc.record({ kind: fc.constant("remove" as const), uri: fc.constantFrom(...uris) }),
  fc.record({ kind: fc.constant("lose" as const), how: fc.constantFrom("graceful" as const, "remote" as const) }),
  fc.record({ kind: fc.constant("pass" as const), ms: fc.integer({ min: 0, max: 40_000 }) }),
);

it("a change stream ends up asking for just what is wanted, and leaves nobody waiting, whatever happens in which order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(step, { maxLength: 12 }),
      fc.array(fc.boolean()),
      async (scheduler, steps, refusals) => {
        const clock = useManualClock();
        const open = new Map<AbortSignal, { filter: ChangeFilter; end: (how: "graceful" | "remote") => void }>();
        let listens = 0;
        const stream = new ChangeStream({
          context: createServerContext(),
          async listen(filter, signal): Promise<OpenedStream> {
            const isRefused = refusals[listens] === true;
            listens += 1;
            await scheduler.schedule(Promise.resolve(), "listen");
            signal.throwIfAborted();
            if (isRefused) throw refusal(-32_602, "not now");
            const closed = new Promise<"local" | "graceful" | "remote">((resolve) => {
              open.set(signal, { filter, end: resolve });
              signal.addEventListener("abort", () => void open.delete(signal));
            });
            return { closed };
          },
          lists: { toolsListChanged: true },
          onGap: () => undefined,
        });
        const wanted = new Map<string, object>();
        const waiting = new Set<Promise<unknown>>();
        for (const each of steps) {
          switch (each.kind) {
            case "add":
              if (wanted.has(each.uri)) break;
              {
                const token = {};
                wanted.set(each.uri, token);
                track(waiting, stream.addResource(each.uri), () => {
                  if (wanted.get(each.uri) === token) wanted.delete(each.uri);
                });
              }
              break;
            case "remove":
              wanted.delete(each.uri);
              stream.removeResource(each.uri);
              break;
            case "lose":
              for (const [signal, { end }] of Array.from(open)) {
                open.delete(signal);
                end(each.how);
              }
              break;
            case "pass":
              clock.advance(each.ms);
          }
          if (scheduler.count() > 0) await scheduler.waitOne();
        }
        for (let round = 0; round < 40; round += 1) {
          await scheduler.waitIdle();
          await new Promise((resolve) => setImmediate(resolve));
          clock.advance(31_000);
        }
        expect([open.size, waiting.size]).toEqual([1, 0]);
        const [last] = open.values();
        expect(new Set(last?.filter.resourceSubscriptions ?? [])).toEqual(new Set(wanted.keys()));
        stream.close();
        expect([open.size, clock.pending()]).toEqual([0, 0]);
      },
    ),
    { numRuns: 200 },
  );
});

function track(waiting: Set<Promise<unknown>>, work: Promise<void>, onRefused: () => void): void {
  const settled = work.catch(onRefused).finally(() => waiting.delete(settled));
  waiting.add(settled);
}

function refusal(rpcCode: number, message: string): HostsideError {
  return new HostsideError(message, { code: "server_error", details: { rpcCode } });
}
