import type { GatewayLimits, HttpHandler, GatewayHttpOptions } from "@hostside/gateway";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveTools, tool } from "./static-world.ts";

const limits = { maxIncomingBytes: 4000, maxBodyBytes: 500 };
const byName: GatewayHttpOptions = { auth: { verifyToken: (token) => ({ principal: token }) } };

function serve(http: GatewayHttpOptions, given: Partial<GatewayLimits> = limits): HttpHandler {
  const { gateway } = serveTools([tool("echo", () => "hi")], { limits: given });
  onTestFinished(() => gateway.close());
  return gateway.http(http);
}

/** Posts so many bytes of a body that goes on; the function ends it. */
function begin(handler: HttpHandler, token: string, bytes: number) {
  let end: () => void = () => {};
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(" ".repeat(bytes)));
      end = () => {
        controller.enqueue(new TextEncoder().encode("{}"));
        controller.close();
      };
    },
  });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const request = new Request("http://127.0.0.1/mcp", { method: "POST", headers, body, duplex: "half" });
  let status: number | undefined;
  const answered = handler.fetch(request).then((response) => (status = response.status));
  return { end, answered, status: () => status };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("bodies that come in", () => {
  it("of one principal take a quarter of the room for all, so that others have theirs", async () => {
    const handler = serve(byName);
    const mine = [begin(handler, "ann", 490), begin(handler, "ann", 490)];
    await turn();
    expect(await begin(handler, "ann", 490).answered).toBe(503);
    const other = begin(handler, "bob", 490);
    other.end();
    expect(await other.answered).toBe(400);
    for (const one of mine) one.end();
    expect(await Promise.all(mine.map(({ answered }) => answered))).toEqual([400, 400]);
    const next = begin(handler, "ann", 490);
    next.end();
    expect(await next.answered).toBe(400);
  });

  it("may be as long as one may be, where a quarter is less", async () => {
    const handler = serve(byName, { maxIncomingBytes: 4000, maxBodyBytes: 2000 });
    const long = begin(handler, "ann", 1900);
    await turn();
    expect(long.status()).toBe(undefined);
    long.end();
    expect(await long.answered).toBe(400);
  });

  it("have all the room where nobody is told from another", async () => {
    const handler = serve({ auth: "none" });
    const all = Array.from({ length: 8 }, () => begin(handler, "", 490));
    await turn();
    expect(all.map(({ status }) => status())).toEqual(all.map(() => undefined));
    expect(await begin(handler, "", 490).answered).toBe(503);
    for (const one of all) one.end();
    await Promise.all(all.map(({ answered }) => answered));
  });
});
