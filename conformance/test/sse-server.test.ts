import { startFaultServer, startHttpFixture } from "@hostside/fixtures";
import { expect, it } from "vitest";
import { runKit } from "./run-kit.ts";

it("checks a server that speaks HTTP+SSE alone, whether that was said or is found out", async () => {
  await using server = await startHttpFixture("sse-only");
  for (const option of ["--sse", "--url"]) {
    const { code, out } = await runKit(["server", option, server.url, "--only", "sse/endpoint", "--no-preview"]);
    expect([option, code]).toEqual([option, 0]);
    expect(out).toContain(`PASS ${server.url} (HTTP+SSE)`);
  }
});

it("says that a tool named with --call is not there, and calls no advice failed", { timeout: 30_000 }, async () => {
  await using server = await startHttpFixture("sse-only");
  const only = ["--only", "sse/endpoint", "--call", "no-such-tool"];
  expect((await runKit(["server", "--sse", server.url, ...only])).out).toContain('no tool "no-such-tool"');
  const events = [{ event: "endpoint", data: "http://127.0.0.2:9/messages" }];
  const script = { rules: [{ on: "GET", do: [{ type: "sse", events, end: "open" }] }] } as const;
  await using odd = await startFaultServer({ script, transport: "sse" });
  const { err } = await runKit(["server", "--sse", odd.url, "--only", "sse/endpoint-origin"]);
  expect(err).toContain("2/2 not passed: sse/endpoint-origin");
});

it("does not send messages, and the credentials with them, to another origin that the stream names", async () => {
  const events = [{ event: "endpoint", data: "http://127.0.0.2:9/messages" }];
  const script = { rules: [{ on: "GET", do: [{ type: "sse", events, end: "open" }] }] } as const;
  await using server = await startFaultServer({ script, transport: "sse" });
  const { code, out } = await runKit(["server", "--sse", server.url, "--no-preview", "--strict"]);
  expect(code).toBe(1);
  expect(out).toContain("messages go to http://127.0.0.2:9");
});
