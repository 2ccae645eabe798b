import { once } from "node:events";
import { connect } from "node:net";
import { PassThrough } from "node:stream";
import { listen, serveStdio } from "@hostside/gateway/node";
import { describe, expect, it } from "vitest";
import { useManualClock } from "../../../test/manual-clock.ts";
import { serveTools, tool } from "./static-world.ts";

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});

function httpText(port: number, body: string, more: string = ""): string {
  const head = `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\naccept: application/json\r\n${more}`;
  return `${head}content-length: ${body.length}\r\n\r\n${body}`;
}

describe("a client that does not read its answer", () => {
  it("loses its connection after slowReaderMs, which the limits of the gateway say", async () => {
    const clock = useManualClock();
    const { gateway } = serveTools([tool("long", () => "x".repeat(32_000_000))], { limits: { slowReaderMs: 5000 } });
    const server = await listen(gateway, { auth: "none" });
    const opened = await fetch(server.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: initialize,
    });
    const socket = connect(server.port, "127.0.0.1");
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => {});
    socket.pause();
    const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "long" } });
    socket.write(httpText(server.port, call, `mcp-session-id: ${opened.headers.get("mcp-session-id")}\r\n`));
    await expect.poll(() => clock.delays()).toContain(5000);
    clock.advance(5000);
    expect(clock.delays()).not.toContain(5000);
    socket.resume();
    await closed;
    expect(socket.bytesRead).toBeLessThan(32_000_000);
    await gateway.close();
    await server.close();
  });
});

/** Writes to a socket, and resolves with all that came, once it is closed. */
async function exchange(port: number, ...texts: readonly string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk) => (answer += chunk.toString()));
  for (const text of texts) socket.write(text);
  await once(socket, "close");
  return answer;
}

describe("a request whose target is a whole URL", () => {
  it.each([
    ["http://127.0.0.1/mcp", "200"],
    ["HTTP://LOCALHOST:7/mcp?x=/y", "200"],
    ["https://[::1]/mcp", "200"],
    ["http://127.0.0.1/other", "404"],
    ["http://127.0.0.1", "404"],
    ["http://evil.example/mcp", "403"],
    ["http://127.0.0.1@evil.example/mcp", "403"],
    ["http://evil.example@127.0.0.1/mcp", "403"],
  ])("%s is answered %s, by its host and its path", async (target, status) => {
    const { gateway } = serveTools([tool("echo", () => "hi")]);
    await using server = await listen(gateway, { auth: "none" });
    const text = httpText(server.port, initialize, "connection: close\r\n").replace("/mcp", target);
    expect((await exchange(server.port, text)).split(" ")[1]).toBe(status);
    await gateway.close();
  });
});

describe("a refusal of a request whose body is not read", () => {
  const secret = "0123456789abcdef";
  const body = " ".repeat(2_000_000);

  it("reaches a client that sends all of it first", async () => {
    const { gateway } = serveTools([]);
    await using server = await listen(gateway, { auth: { token: secret } });
    const socket = connect(server.port, "127.0.0.1");
    const failed: Error[] = [];
    socket.on("error", (error) => failed.push(error));
    const closed = once(socket, "close");
    const text = httpText(server.port, body);
    socket.write(text.slice(0, 1_000_000));
    const [answer] = (await once(socket, "data")) as [Buffer];
    socket.write(text.slice(1_000_000));
    await closed;
    expect(answer.toString()).toMatch(/^HTTP\/1.1 401 .*connection: close/is);
    expect(failed).toEqual([]);
    await gateway.close();
  });

  it.each(["too much", "too long"])("is the end of the connection where %s still comes", async (what) => {
    const clock = useManualClock();
    const { gateway } = serveTools([], { limits: { maxBodyBytes: 1000 } });
    await using server = await listen(gateway, { auth: { token: secret } });
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => {});
    const closed = once(socket, "close");
    const text = httpText(server.port, body);
    socket.write(text.slice(0, text.indexOf(body) + 500));
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toContain(" 401 ");
    expect(clock.pending()).toBeGreaterThan(0);
    if (what === "too much") socket.write(" ".repeat(1000));
    else clock.advance(2000);
    await closed;
    expect(clock.pending()).toBe(0);
    await gateway.close();
  });
});

describe("serveStdio()", () => {
  it("ends with its gateway, and lets go of its input", async () => {
    const { gateway } = serveTools([tool("echo", () => "hi")]);
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = serveStdio(gateway, { input, output });
    await gateway.close("over");
    expect(await served.ended).toBe("over");
    expect([input.listenerCount("data"), input.isPaused()]).toEqual([0, true]);
  });

  it("goes by the limits of its gateway", async () => {
    const { gateway } = serveTools([tool("echo", () => "hi")], { limits: { maxBodyBytes: 100 } });
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = serveStdio(gateway, { input, output });
    input.write(`${"x".repeat(101)}\n`);
    expect(
      JSON.parse(String(output.read() ?? (await new Promise((resolve) => output.once("data", resolve))))),
    ).toMatchObject({ error: { code: -32_700, message: expect.stringContaining("100 bytes") } });
    await served.close();
    await gateway.close();
  });
});

describe("listen()", () => {
  it("wants to know what clients call an address that has no name of its own", async () => {
    const { gateway } = serveTools([tool("echo", () => "hi")]);
    await expect(listen(gateway, { auth: "none", host: "127.0.0.2" })).rejects.toThrow(TypeError);
    await gateway.close();
  });
});
