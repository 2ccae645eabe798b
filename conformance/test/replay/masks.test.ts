import type { ServerSpec } from "@hostside/core";
import { startFaultServer } from "@hostside/fixtures";
import { createRecorder, createReplay, parseRecording } from "@hostside/conformance/replay";
import { createConnector } from "@hostside/transports";
import { describe, expect, it } from "vitest";
import { converse, type Deed } from "./converse.ts";

const secrets = {
  variable: "variable-hunter2-0001",
  argument: "argument-hunter2-0002",
  header: "header-hunter2-0003",
  bearer: "bearer-hunter2-0004",
  query: "query-hunter2-0005",
  password: "pass-hunter2-0006",
  option: "option-hunter2-0007",
  shape: `ghp_${"aB3dE6gH9jK2mN5pQ8sT".repeat(2)}`,
};

const echoAll = (extra: string): string =>
  `${Object.values(secrets).join(" ")} ${encodeURIComponent(JSON.stringify(secrets))} ${extra}`;

const deeds: readonly Deed[] = [
  { kind: "list" },
  { kind: "call", name: "echo", args: { text: echoAll("in the arguments"), password: secrets.password } },
  { kind: "call", name: "append", args: { text: "again" } },
];

async function record(spec: ServerSpec): Promise<{ text: string; live: unknown }> {
  let text = "";
  using recorder = createRecorder({ to: (line) => void (text += line), secrets: [secrets.option] });
  const live = await converse(createConnector({ effects: recorder.effects }), spec, deeds);
  recorder.close();
  return { text, live };
}

function expectNone(text: string): void {
  for (const [name, secret] of Object.entries(secrets)) expect(text.includes(secret), `${name} is in it`).toBe(false);
}

describe("secrets in a recording", () => {
  it("are in none over stdio: neither of the spec nor what a server echoes, on stderr, in results and in garbage", async () => {
    const script = {
      rules: [
        {
          on: "tools/call",
          do: [
            { type: "write", to: "stderr", bytes: `${echoAll("on stderr")}\n` },
            { type: "write", bytes: `${echoAll("as garbage")}\n` },
            {
              type: "respond",
              message: { result: { content: [{ type: "text", text: echoAll("as a result") }], apiKey: "abc" } },
            },
          ],
        },
      ],
    } as const;
    await using server = await startFaultServer({ script, transport: "stdio" });
    const { command, args } = server.spec;
    const { text, live } = await record({
      id: "leaky",
      type: "stdio",
      command: "/usr/bin/env",
      args: [
        `API_TOKEN=${secrets.argument}`,
        `ADDRESS=https://x.test/?key=${secrets.query}`,
        `CUSTOM_HEADER=${secrets.header}`,
        command,
        ...args,
      ],
      env: { TOKEN: secrets.variable, AUTH: `Bearer ${secrets.bearer}` },
    });
    expect(JSON.stringify(live)).toContain("as a result");
    expectNone(text);
    expect(text).toContain('"apiKey":"[secret:');
    expect(text).toContain("as garbage");
    expect(text).toContain("on stderr");
  });

  it("are in none over HTTP, nor is the id of the session; equal secrets stay equal, and it can be replayed", async () => {
    const script = {
      era: "legacy",
      rules: [
        {
          on: "tools/call",
          do: [{ type: "respond", message: { result: { content: [{ type: "text", text: echoAll("as a result") }] } } }],
        },
      ],
    } as const;
    await using server = await startFaultServer({ script, transport: "http" });
    const { text } = await record({
      id: "leaky",
      type: "http",
      url: `${server.url}?key=${secrets.query}`,
      headers: { "x-api-key": secrets.header, "x-other": secrets.variable },
      bearerToken: secrets.bearer,
      // A spec has no arguments here, and so nobody knows this one but by its name.
      labels: { scope: "test" },
    });
    const known = text.replaceAll(secrets.argument, "");
    expectNone(known);
    expect(text).toContain('"mcp-session-id":"[session:1]"');
    expect(text).not.toMatch(/mcp-session-id":"(?!\[session:)/);
    const replay = await createReplay(parseRecording(text));
    const replayed = await converse(replay.connector, replay.servers[0] as ServerSpec, deeds);
    expect(JSON.stringify(replayed)).toContain("as a result");
    expect(replay.misses()).toEqual([]);
  });
});
