import { inspect } from "node:util";
import { HostsideError } from "@hostside/core";
import { startHttpFixture } from "@hostside/fixtures";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createCallLog, type CallEntry } from "../src/log.ts";
import { createMemoryServer } from "./memory-server.ts";
import { createObservedHost, disableApi, registerApi, type ObservedHostInit } from "./observed-world.ts";

beforeAll(registerApi);
afterAll(disableApi);

const secrets = [
  "ghp_0123456789abcdef",
  "s3cr3t-argument",
  "s3cr3t-result",
  "s3cr3t-header",
  "ada@example.com",
  "s3cr3t-uri",
];

async function exportAll(telemetry: ObservedHostInit["telemetry"]): Promise<string> {
  await using legacy = await startHttpFixture("legacy-http");
  const answer = { content: [{ type: "text", text: "s3cr3t-result" }] };
  const host = await createObservedHost({
    servers: [
      {
        id: "m",
        ...createMemoryServer(["a", "b"], ({ name }) =>
          name === "a" ? { result: answer } : { error: { code: -1, message: "s3cr3t-result" } },
        ).spec,
      },
      {
        id: "h",
        type: "http",
        url: `${legacy.url}?key=ghp_0123456789abcdef`,
        headers: { "x-api-key": "s3cr3t-header" },
      },
    ],
    ...(telemetry && { telemetry }),
  });
  const entries: CallEntry[] = [];
  const log = createCallLog({ write: (entry) => entries.push(entry) });
  const context = { principal: "ada@example.com", approval: "ghp_0123456789abcdef" };
  const options = { context };
  const args = { password: "ghp_0123456789abcdef", text: "s3cr3t-argument" };
  await host.toolbox.call("mcp_m_a", args, options);
  await host.toolbox.call("mcp_m_b", args, options).catch(() => undefined);
  await host.toolbox.call("mcp_h_echo", args, options).catch(() => undefined);
  const connection = await host.provider.connection("h");
  const sessionId = connection.sessionId ?? "no session";
  await connection
    .request("resources/read", { uri: "https://x.test/s3cr3t-uri?token=ghp_0123456789abcdef" })
    .catch(() => undefined);
  await log(
    {
      origin: { serverId: "m", toolName: "a", qualifiedName: "q" },
      definition: { name: "local", description: "", inputSchema: {} },
      args,
      options: {},
    },
    async () => Promise.reject(new Error("s3cr3t-result")),
  ).catch(() => undefined);
  await log(
    {
      origin: { serverId: "m", toolName: "a", qualifiedName: "q" },
      definition: { name: "local", description: "", inputSchema: {} },
      args,
      options: {},
    },
    async () => Promise.reject(new HostsideError("s3cr3t-result", { code: "server_error" })),
  ).catch(() => undefined);
  await host[Symbol.asyncDispose]();
  const spans = host.exported
    .spans()
    .map(({ name, attributes, events, links, status }) => ({ name, attributes, events, links, status }));
  const all = inspect([spans, await host.exported.metrics(), entries], {
    depth: 20,
    maxStringLength: null,
    maxArrayLength: null,
  });
  expect(all).toContain("tools/call a");
  expect(all).not.toContain(sessionId);
  return all;
}

it("exports no secret, no argument, no result, no principal and no session id by default", async () => {
  const all = await exportAll(undefined);
  for (const secret of secrets) expect(all).not.toContain(secret);
});

it("masks what is captured, and has it where that is asked for", async () => {
  const all = await exportAll({
    captureArguments: true,
    captureResults: true,
    redact: (text) => text.replaceAll(/s3cr3t-\w+/g, "***"),
  });
  for (const secret of secrets) expect(all).not.toContain(secret);
  expect(all).toContain('{"password":"[redacted]","text":"***"}');
  const asked = await exportAll({ captureArguments: true, captureResults: true, capturePrincipal: true });
  for (const captured of ["s3cr3t-argument", "s3cr3t-result", "ada@example.com"]) expect(asked).toContain(captured);
  expect(asked).not.toContain("ghp_0123456789abcdef");
});
