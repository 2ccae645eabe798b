import { execa } from "execa";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { brotliBomb, type Bomb } from "./brotli-bomb.ts";
import { legacyResult, reply, replyAsLegacy, startLoopback } from "./loopback-server.ts";

interface Cost {
  /** What the calls failed with. */
  readonly codes: readonly string[];
  /** Processor time after the connection was closed, in milliseconds. */
  readonly busyMs: number;
  readonly peakMb: number;
}

/**
 * Runs a host, of the built package, that meets the bomb in every call. It ends by itself, or fails
 * the test.
 */
async function meet(bomb: Bomb, { status, contentType }: { readonly status: number; readonly contentType: string }) {
  await using server = await startLoopback((request, response) => {
    if (request.message["method"] !== "tools/call") {
      if (legacyResult(request) === undefined) return reply(response, request.httpMethod === "POST" ? 202 : 405);
      return replyAsLegacy(request, response);
    }
    response.writeHead(status, { "content-type": contentType, "content-encoding": "br" });
    response.end(bomb.bytes);
  });
  const host = fileURLToPath(new URL("http-hosts/meets-bombs.mjs", import.meta.url));
  const { stdout } = await execa({ timeout: 18_000 })`${process.execPath} ${host} ${server.url}`;
  return JSON.parse(stdout) as Cost;
}

describe("a host that meets 8 bodies which decompress to 8 GB each", () => {
  it.each([
    { name: "an answer", text: " ", status: 200, contentType: "application/json", code: "message_too_large" },
    { name: "a refusal", text: "x", status: 500, contentType: "text/plain", code: "http_error" },
    { name: "an event", text: "x", status: 200, contentType: "text/event-stream", code: "message_too_large" },
    { name: "blank lines", text: "\n", status: 200, contentType: "text/event-stream", code: "message_too_large" },
    { name: "comments", text: ": no\n\n", status: 200, contentType: "text/event-stream", code: "message_too_large" },
    {
      name: "no messages",
      text: "data: 1\n\n",
      status: 200,
      contentType: "text/event-stream",
      code: "message_too_large",
    },
  ])("as $name stops at its limit, and is idle and gone after close()", async ({ text, code, ...answer }) => {
    const cost = await meet(await brotliBomb(text, 512), answer);
    expect(cost.codes).toEqual([code]);
    // What it takes to end a process; the bodies would take minutes.
    expect(cost.busyMs).toBeLessThan(3000);
    expect(cost.peakMb).toBeLessThan(900);
  });
});
