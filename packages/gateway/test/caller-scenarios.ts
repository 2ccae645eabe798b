import { describe, expect, it } from "vitest";
import { startSubject, type TransportRow } from "../../provider/test/processes/transport-rows.ts";
import { openBehindGateway } from "./lifecycle-host.ts";
import { connectSession } from "./raw-client.ts";
import { textOf } from "./static-world.ts";

const slow = { timeout: 60_000 };
const append = (text: string) => ({ name: "mcp_s_append", arguments: { text } });
const echo = (text: string) => ({ name: "mcp_s_echo", arguments: { text } });

/**
 * What becomes of callers of a gateway, and of nobody else, with the server's ledger to say what
 * ran.
 */
export function describeCallers(rows: readonly TransportRow[]): void {
  describe.each(rows)("callers of a gateway in front of a server over $name", (row) => {
    it(
      "that crash in the middle of a call are given up at the server; nothing runs twice, and nobody else notices",
      slow,
      async () => {
        await using subject = await startSubject(row, {
          rules: [
            {
              on: "tools/call",
              where: { "params.name": "append" },
              do: [{ type: "execute" }, { type: "hold", barrier: "append" }],
            },
          ],
        });
        await using host = await openBehindGateway(subject);
        const crashing = await connectSession(host.gateway);
        await using other = await connectSession(host.gateway);
        void crashing.request("tools/call", append("once"));
        await subject.control.reached("append");
        const before = host.gateway.stats();
        await crashing[Symbol.asyncDispose]();
        expect(host.gateway.stats()).toMatchObject({ clients: before.clients - 1, busy: before.busy - 1 });
        // In 2026-07-28 over HTTP the end of the response stream is the cancel.
        if (row.transport !== "http" || row.era === "legacy") await subject.control.occurred("notifications/cancelled");
        subject.control.open("append");
        expect(textOf(await other.request("tools/call", echo("after")))).toContain("after");
        expect(subject.control.ledger().map(({ tool }) => tool)).toEqual(["append", "echo"]);
        expect(host.upstream.statuses()[0]).toMatchObject({ state: "ready", inFlight: 0, waiting: 0, attempts: 1 });
      },
    );

    it("that read nothing hold up nobody, and their calls run once", slow, async () => {
      await using subject = await startSubject(row);
      await using host = await openBehindGateway(subject);
      const silent = await connectSession(host.gateway);
      await using other = await connectSession(host.gateway);
      silent.stall();
      for (let index = 0; index < 30; index += 1) void silent.request("tools/call", append(`silent-${index}`));
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, index) => other.request("tools/call", append(`other-${index}`))),
      );
      expect(answers.filter(({ error }) => error !== undefined)).toEqual([]);
      await expect.poll(() => subject.control.ledger().length).toBe(60);
      expect(new Set(subject.control.ledger().map(({ args }) => args["text"])).size).toBe(60);
      await silent[Symbol.asyncDispose]();
      expect(textOf(await other.request("tools/call", echo("after")))).toContain("after");
    });
  });
}
