import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { createWorkFolder, program, type WorkFolder } from "../terminal/work-folder.ts";
import { untilNoneRuns } from "./served-process.ts";
import { smallEntry, smallServer } from "./small-server.ts";

interface Listening extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  readonly stderr: string;
}

async function listen(work: WorkFolder, ...args: readonly string[]): Promise<Listening> {
  const { folder, env, home } = work;
  const all = [program, "--config", "hostside.json", "serve", "--http", "0", ...args];
  const child = spawn(process.execPath, all, { cwd: folder, env });
  let stderr = "";
  await new Promise<void>((resolve) => {
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
      if (stderr.includes("serve-token")) resolve();
    });
    child.once("exit", () => resolve());
  });
  const [url = ""] = /http:\S+/.exec(stderr) ?? [];
  const token = (await readFile(join(home, ".local/state/hostside/serve-token"), "utf8")).trim();
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || !child.kill("SIGKILL")) return;
    await once(child, "exit");
  };
  return { child, url, token, stderr, [Symbol.asyncDispose]: end };
}

async function connect({ url, token }: Listening, answers: readonly string[] = []): Promise<Client> {
  const client = new Client({ name: "editor", version: "1" }, { capabilities: { elicitation: {} } });
  let next = 0;
  client.setRequestHandler("elicitation/create", async () => {
    next += 1;
    return { action: "accept", content: { which: answers[next - 1] ?? "" } };
  });
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

function statusOf(url: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers: { "content-type": "application/json", ...headers } });
    sent.on("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject).end("{}");
  });
}

it("serves several clients over HTTP, each its own conversation, to whoever has the token", async () => {
  await using work = await createWorkFolder();
  const servers = { one: { ...smallEntry("ask"), sharing: "conversation" }, two: smallEntry("get_a") };
  await work.write({ "small.mjs": smallServer, "hostside.json": { servers } });
  await using listening = await listen(work, "--expose", "all");
  const { child, url, token, stderr } = listening;
  expect(stderr).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp\nA token was made in \S+serve-token\n/);
  expect(stderr).not.toContain(token);
  expect(statSync(join(work.home, ".local/state/hostside/serve-token")).mode & 0o777).toBe(0o600);
  const authorization = `Bearer ${token}`;
  expect([
    await statusOf(url, {}),
    await statusOf(url, { authorization: `Bearer ${token}x` }),
    await statusOf(url, { authorization, host: "rebound.example.com" }),
    await statusOf(url, { authorization, origin: "https://example.com" }),
  ]).toEqual([401, 401, 403, 403]);
  const [one, two] = [await connect(listening, ["red"]), await connect(listening, ["blue"])];
  for (const client of [one, two]) {
    while ((await client.listTools()).tools.length < 2);
  }
  const texts = await Promise.all(
    [one, two].map(async (client) => {
      const { content } = await client.callTool({ name: "mcp_one_ask" });
      return content;
    }),
  );
  expect(texts).toEqual([
    [{ type: "text", text: "answered accept red" }],
    [{ type: "text", text: "answered accept blue" }],
  ]);
  await one.close();
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  await two.close();
  await untilNoneRuns(work);
});
