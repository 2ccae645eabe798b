import { HostsideError, type JsonValue } from "@hostside/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { settle, specOf } from "./scripted-world.ts";
import { watch } from "./watch.ts";

describe("races of lists", () => {
  it("an older listing cannot overwrite a newer one, whether it works or fails", async () => {
    for (const isError of [false, true]) {
      const { resources, server, shown } = watch();
      const answers: ((value: JsonValue) => void)[] = [];
      const failures: ((error: Error) => void)[] = [];
      server("a").answer = () =>
        new Promise((resolve, reject) => {
          answers.push(resolve);
          failures.push(reject);
        });
      const works = [resources.list(), resources.list()];
      await settle();
      answers[1]?.({ resources: [{ uri: "new", name: "n" }] });
      await settle();
      if (isError) failures[0]?.(new HostsideError("no", { code: "server_error", serverId: "a" }));
      else answers[0]?.({ resources: [{ uri: "old", name: "n" }] });
      const [old] = await Promise.all(works);
      expect(old).toMatchObject(
        isError ? { resources: [], failures: [{ serverId: "a" }] } : { resources: [{ uri: "old" }] },
      );
      expect(shown()).toEqual(["a new"]);
      expect(resources.snapshot().servers).toEqual([{ serverId: "a", stale: false }]);
    }
  });

  it.each([0, 1000])(
    "a server that is removed while it is listed shows nothing more, with drainMs %i",
    async (drainMs) => {
      const { resources, server, provider, shown, changes } = watch();
      let answer = (): void => {};
      server("a").answer = () =>
        new Promise((resolve) => (answer = () => resolve({ resources: [{ uri: "late", name: "n" }] })));
      const work = resources.list();
      await settle();
      const removing = provider.removeServer("a", { drainMs });
      answer();
      expect(await work).toMatchObject({
        resources: [],
        failures: [{ serverId: "a", error: { code: "server_removed" } }],
      });
      await removing;
      expect([shown(), changes, resources.snapshot().servers]).toEqual([[], [], []]);
    },
  );

  it("a server that is removed between two pages shows nothing of the first", async () => {
    const { resources, server, provider, shown, changes } = watch();
    server("a").answer = ({ params }) =>
      params["cursor"] === undefined
        ? { resources: [{ uri: "note://page", name: "n" }], nextCursor: "2" }
        : new Promise(() => {});
    const work = resources.list();
    await settle();
    await provider.removeServer("a");
    await provider.addServer(specOf("a"));
    expect(await work).toMatchObject({ resources: [{ uri: "note://page" }], failures: [{ serverId: "a" }] });
    expect([shown(), changes]).toEqual([[], []]);
  });

  it("never show an older listing over a newer one, nor anything of a server that is gone", async () => {
    let stales = 0;
    const step = fc.constantFrom("change", "change", "list", "list", "announce", "remove", "crash", "advance");
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(step, { maxLength: 14 }), async (s, steps) => {
        const pause = (id: string): Promise<void> => s.schedule(Promise.resolve(), id);
        const { resources, server, provider, clock, announce, shown, changes } = watch({ servers: ["a", "b"], pause });
        let version = 0;
        server("a").answer = () => ({ resources: [{ uri: "v", name: String(version) }] });
        let latest = -1;
        let isGone = false;
        let atEnd = 0;
        const look = (): void => {
          const entry = resources.snapshot().entries.find(({ serverId }) => serverId === "a");
          const late = changes.slice(atEnd).filter(({ serverId, added, changed }) => {
            return serverId === "a" && added.length + changed.length > 0;
          });
          expect(isGone && (entry !== undefined || late.length > 0)).toBe(false);
          if (entry === undefined) return;
          expect(Number(entry.name)).toBeGreaterThanOrEqual(latest);
          latest = Number(entry.name);
        };
        const works: Promise<unknown>[] = [resources.list()];
        for (const each of steps) {
          if (each === "change") {
            version += 1;
            if (server("a").sessions > 0 && !isGone) announce();
          } else if (each === "announce" && server("a").sessions > 0 && !isGone) announce();
          else if (each === "list") works.push(resources.list());
          else if (each === "advance") clock.advance(150);
          else if (each === "crash" && server("a").sessions > 0 && !isGone) server("a").crash();
          else if (each === "remove" && !isGone) {
            isGone = true;
            atEnd = changes.length;
            works.push(provider.removeServer("a"));
          }
          look();
          if (s.count() > 0) await s.waitOne();
          await settle(1);
          look();
        }
        const drain = async (): Promise<void> => {
          for (let turn = 0; turn < 60; turn += 1) {
            while (s.count() > 0) await s.waitOne();
            clock.advance(100);
            await settle(1);
            look();
          }
        };
        await drain();
        await Promise.all(works.map((work) => work.catch(() => undefined)));
        expect(shown().includes("a v")).toBe(!isGone);
        // Everything that was announced is shown in the end.
        const isStale = resources.snapshot().servers.some(({ stale }) => stale);
        const isCertain = !isGone && !isStale && !steps.includes("crash");
        expect(isCertain ? latest : version).toBe(version);
        stales += isStale ? 1 : 0;
        await resources.close();
        await provider.close();
        expect(clock.pending()).toBe(0);
      }),
      { numRuns: 30 },
    );
    expect(stales).toBeLessThan(15);
  });
});
