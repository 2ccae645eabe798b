import { HostsideError } from "@hostside/core";
import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createFetchExchange, type Fetch } from "./fetch-exchange.ts";
import type { HttpCall } from "./http-exchange.ts";
import { createDefaultExchange } from "./portable-exchange.ts";
import { readBody } from "./read-body.ts";

const url = new URL("https://mcp.example.com/mcp");
const msw = setupServer();
beforeAll(() => msw.listen({ onUnhandledRequest: "error" }));
afterEach(() => msw.resetHandlers());
afterAll(() => msw.close());

function post(fetch: Fetch = (input, init) => globalThis.fetch(input, init), body = "{}"): HttpCall {
  const exchange = createFetchExchange(fetch, { serverId: "web" });
  return exchange.start({ method: "POST", url, headers: { "x-team": "a" }, body });
}

const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => error,
  );

const enough = new HostsideError("enough", { code: "aborted" });
const noLimit = (): Error => new RangeError("too large");

describe("createFetchExchange()", () => {
  it("ends a body that is being read when it is given up, also with a fetch that is deaf to its signal", async () => {
    let aborted = false;
    const endless: Fetch = async (_url, { signal }) => {
      signal?.addEventListener("abort", () => (aborted = true));
      return new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array([1])) }));
    };
    const reply = await post(endless).reply;
    const reading = thrownBy(
      reply.read(() => {
        queueMicrotask(() => reply.cancel());
      }),
    );
    expect(await reading).toMatchObject({ code: "connection_closed" });
    expect(aborted).toBe(true);
  });

  it.each([
    [
      "throws",
      () => {
        throw Object.assign(new Error("no route"), { code: "ECONNREFUSED" });
      },
    ],
    ["rejects", () => Promise.reject(Object.assign(new Error("no route"), { code: "ECONNREFUSED" }))],
  ])("says what kept a request from being sent, also of a fetch that %s", async (_how, fetch: Fetch) => {
    expect(await thrownBy(post(fetch).reply)).toMatchObject({
      code: "unreachable",
      serverId: "web",
      outcome: "not-sent",
    });
  });

  it.each(["EHOSTUNREACH", "ECONNREFUSED", "ENOTFOUND", "EPROTO"])(
    "never says of a request with a reply that it was not sent, also when its body fails with %s",
    async (code) => {
      const failure = Object.assign(new Error(code), { code, syscall: "connect" });
      const replying: Fetch = async () => new Response(new ReadableStream({ pull: (body) => body.error(failure) }));
      const reply = await post(replying).reply;
      expect(await thrownBy(readBody(reply, 1000, noLimit))).toMatchObject({
        code: "connection_closed",
        outcome: "unknown",
        retryable: false,
      });
    },
  );

  it("sends a request as it was given, and reads the reply", async () => {
    msw.use(
      http.post(url.href, async ({ request }) =>
        HttpResponse.text(`${request.headers.get("x-team")} ${await request.text()} größe`, {
          headers: { "x-one": "1" },
        }),
      ),
    );
    const reply = await post().reply;
    expect([reply.status, reply.header("x-one"), reply.header("x-two")]).toEqual([200, "1", undefined]);
    expect(await readBody(reply, 1000, noLimit)).toBe("a {} größe");
  });

  it("shows a redirect instead of following it", async () => {
    msw.use(
      http.post(url.href, () => HttpResponse.redirect("https://other.example/", 307)),
      http.all("https://other.example/", () => expect.unreachable("it was followed")),
    );
    const reply = await post().reply;
    expect([reply.status, reply.header("location")]).toEqual([307, "https://other.example/"]);
  });

  it("takes the opaque redirect of a browser for what it is", async () => {
    const response = Object.defineProperties(new Response(null), {
      type: { value: "opaqueredirect" },
      status: { value: 0 },
    });
    expect((await post(async () => response).reply).status).toBe(302);
  });

  it("is connection_closed and unknown when the fetch fails without a reason", async () => {
    msw.use(http.post(url.href, () => HttpResponse.error()));
    expect(await thrownBy(post().reply)).toMatchObject({ code: "connection_closed", outcome: "unknown" });
  });

  it("is connection_closed when the body breaks off, and the error says where", async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from("{"));
        controller.error(new TypeError("terminated"));
      },
    });
    const reply = await post(async () => new Response(body)).reply;
    const error = await thrownBy(readBody(reply, 1000, noLimit));
    expect(error).toMatchObject({ code: "connection_closed", outcome: "unknown" });
    expect(String(error)).toContain("https://mcp.example.com/mcp");
  });

  it("reads a response without a body", async () => {
    const reply = await post(async () => new Response(null, { status: 204 })).reply;
    expect(await readBody(reply, 1000, noLimit)).toBe("");
  });

  it("throws what the reader throws, and gives up the body", async () => {
    let pulled = 0;
    let cancelled = false;
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.alloc(1000, (pulled += 1))),
      cancel: () => void (cancelled = true),
    });
    const reply = await post(async () => new Response(body)).reply;
    expect(await thrownBy(readBody(reply, 2500, noLimit))).toMatchObject({ message: "too large" });
    expect(cancelled).toBe(true);
    expect(pulled).toBeLessThan(6);
  });
});

describe("cancel() of a fetch", () => {
  it("rejects at once and aborts the fetch, also one that is deaf to its signal", async () => {
    let signal: AbortSignal | null | undefined;
    const call = post((_url, init) => {
      signal = init.signal;
      return new Promise(() => undefined);
    });
    call.cancel(enough);
    expect(await thrownBy(call.reply)).toBe(enough);
    expect(signal?.aborted).toBe(true);
  });

  it("rejects the reading of a body that stalls", async () => {
    const call = post(async () => new Response(new ReadableStream()));
    const reading = (await call.reply).read(() => undefined);
    call.cancel(enough);
    expect(await thrownBy(reading)).toBe(enough);
  });

  it("rejects a body that is about to be read", async () => {
    const call = post(async () => new Response("x"));
    const reply = await call.reply;
    call.cancel(enough);
    expect(await thrownBy(reply.read(() => expect.unreachable()))).toBe(enough);
  });
});

describe("the exchange of other runtimes", () => {
  it("uses the global fetch of the moment of the request", async () => {
    msw.use(http.get(url.href, () => HttpResponse.text("hello")));
    const exchange = createDefaultExchange({ serverId: "web" });
    const reply = await exchange.start({ method: "GET", url, headers: {} }).reply;
    expect(await readBody(reply, 1000, noLimit)).toBe("hello");
    exchange.close();
  });
});
