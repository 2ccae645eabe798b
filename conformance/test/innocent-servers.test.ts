import { startFaultServer, type FaultScript, type JsonObject } from "@hostside/fixtures";
import { describe, expect, it } from "vitest";
import type { Finding } from "../src/engine/check.ts";
import { createTraceRecorder } from "../src/engine/trace-recorder.ts";
import { checkServer } from "../src/server/check-server.ts";
import { notApplicable, pass } from "../src/server/checks/define-check.ts";
import { serverChecks } from "../src/server/checks/server-checks.ts";
import type { CallConsent } from "../src/server/consented-tools.ts";
import type { StdioSession } from "../src/server/raw-session.ts";
import type { ServerAddress } from "../src/server/server-address.ts";
import { createTargetOwner, type TargetOwner } from "../src/server/server-target.ts";

// Good servers that the kit once blamed, and beside each the bad one that it is to blame.

const limit = { timeout: 90_000 };

/** A server over stdio that answers as `rest` says, in terms of `method` and `params`. */
function program(capabilities: JsonObject, rest: string): ServerAddress {
  const code = `
    const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
    const refuse = (code, message) => ({ error: { code, message } });
    const answer = (method, params) => { ${rest} };
    const lines = require("node:readline").createInterface({ input: process.stdin });
    lines.on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === "initialize") {
        const { protocolVersion } = params;
        const serverInfo = { name: "innocent", version: "1" };
        const capabilities = ${JSON.stringify(capabilities)};
        send({ id, result: { protocolVersion, capabilities, serverInfo } });
      } else if (method === "ping") send({ id, result: {} });
      else {
        const said = answer(method, params ?? {});
        if (id !== undefined && said !== null) send({ id, ...(said ?? refuse(-32601, "no such method")) });
      }
    });
    lines.on("close", () => process.exit(0));`;
  return { type: "stdio", server: { command: process.execPath, args: ["-e", code] } };
}

async function findingsAt(
  address: ServerAddress,
  ids: readonly string[],
  consent?: CallConsent,
): Promise<readonly (Finding | undefined)[]> {
  const checks = serverChecks.filter(({ id }) => ids.includes(id)).map((check) => ({ ...check, needs: [] }));
  const { results } = await checkServer({
    address,
    checks,
    answerMs: 5000,
    preview: false,
    ...(consent && { consent }),
  });
  return ids.map((id) => results.find(({ check }) => check.id === id)?.finding);
}

async function findingsOf(script: FaultScript, ...ids: readonly string[]): Promise<readonly (Finding | undefined)[]> {
  await using server = await startFaultServer({ script: { era: "legacy", ...script }, transport: "http" });
  return await findingsAt({ type: "http", url: new URL(server.url) }, ids);
}

describe("resources/list", () => {
  const listed = `if (method === "resources/list") return { result: { resources: [{ uri: "a:b", name: "b" }] } };`;

  it.each(["refuse(-32600, 'what?')", "refuse(-32603, 'not mine')", "null"])(
    "passes where the list of templates gets %s",
    limit,
    async (said) => {
      const address = program(
        { resources: {} },
        `${listed} if (method === "resources/templates/list") return ${said};`,
      );
      expect(await findingsAt(address, ["resources/list", "resources/pagination-ends"])).toMatchObject([
        { status: "pass" },
        { status: "pass" },
      ]);
    },
  );

  it("passes where the list of templates gets HTTP 404", limit, async () => {
    const resources = { type: "respond", message: { result: { resources: [{ uri: "a:b", name: "b" }] } } } as const;
    const rules = [
      { on: "resources/list", do: [resources] },
      { on: "resources/templates/list", do: [{ type: "http", status: 404, body: "Not found" } as const] },
    ];
    const found = await findingsOf({ capabilities: { resources: {} }, rules }, "resources/list");
    expect(found).toMatchObject([{ status: "pass" }]);
  });

  it("fails where a page of templates comes and the next is refused", limit, async () => {
    const templates = `{ resourceTemplates: [], nextCursor: "2" }`;
    const address = program(
      { resources: {} },
      `${listed} if (method === "resources/templates/list")
         return params.cursor === undefined ? { result: ${templates} } : refuse(-32603, "lost");`,
    );
    expect(await findingsAt(address, ["resources/list"])).toMatchObject([{ status: "fail" }]);
  });
});

it.each([
  ["2025-03-26", "notifications/tools/list_changed", "pass"],
  ["2025-06-18", "notifications/tools/list_changed", "fail"],
  ["2025-03-26", "notifications/message", "fail"],
] as const)(
  "a server of %s that sends %s without its capability: %s",
  limit,
  async (...[protocolVersion, method, status]) => {
    const rules = [
      { on: "tools/list", do: [{ type: "send", message: { method } } as const, { type: "proceed" } as const] },
    ];
    const script = { era: "legacy", protocolVersion, capabilities: { tools: {} }, rules } as const;
    await using server = await startFaultServer({ script, transport: "sse" });
    const address = { type: "sse", url: new URL(server.url) } as const;
    expect(await findingsAt(address, ["requests/notifications-declared"])).toMatchObject([{ status }]);
  },
);

it.each([
  ["one session", { nth: 1 }, "pass"],
  ["every session", {}, "fail"],
] as const)("a server that ends %s right after its handshake", limit, async (_, when, status) => {
  const expire = { type: "session", change: "expire" } as const;
  const rules = [{ on: "initialize", ...when, do: [{ type: "proceed" } as const, expire] }];
  expect(await findingsOf({ rules }, "lifecycle/goes-on")).toMatchObject([{ status }]);
});

it.each([
  ["nothing of itself", 1, {}],
  ["that it is read-only", 5, { annotations: { readOnlyHint: true } }],
] as const)("a tool that says %s is called with so many different arguments: %s", limit, async (_, count, more) => {
  const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  const tools = JSON.stringify([{ name: "write", inputSchema, ...more }]);
  const address = program(
    { tools: {} },
    `if (method === "tools/list") return { result: { tools: ${tools} } };
     if (method === "tools/call") {
       globalThis.seen = (globalThis.seen ?? new Set()).add(params.arguments.text);
       return { result: { content: [{ type: "text", text: params.arguments.text }] } };
     }
     if (method === "seen") return { result: { count: globalThis.seen?.size ?? 0 } };`,
  );
  const [check] = serverChecks.filter(({ id }) => id === "calls/no-cross-talk");
  await using run = ownerOf(address, { named: new Map(), all: true });
  const { target } = run.owner.enter();
  const finding = await check?.run(target, { signal: new AbortController().signal, random: () => 0 });
  expect(finding).toMatchObject({ status: "pass" });
  // Of the session on which all of these calls were made, which is to spare now.
  const seen = await new Promise((resolve) => {
    void target.lend(async ({ request }) => {
      resolve(await request("seen"));
      return pass("seen");
    });
  });
  expect(seen).toMatchObject({ result: { count } });
});

function ownerOf(
  address: ServerAddress,
  consent: CallConsent = { named: new Map(), all: false },
): { readonly owner: TargetOwner } & AsyncDisposable {
  const trace = createTraceRecorder();
  const owner = createTargetOwner({ address, consent, trace, answerMs: 20_000, startMs: 60_000 });
  return { owner, [Symbol.asyncDispose]: () => owner.close() };
}

describe("a server that ends with code 0 while nothing is asked", () => {
  const address = program({}, `if (method === "notifications/end") process.exit(0);`);

  it("is started again for those who share a session", limit, async () => {
    await using run = ownerOf(address);
    const { target, hasLostProcess } = run.owner.enter();
    const { session } = await target.shared();
    await session.notify("notifications/end");
    await (session as StdioSession).ended(60_000);
    expect(hasLostProcess()).toBe(true);
    expect(await (await target.shared()).probe()).toMatchObject({ kind: "result" });
  });

  it("is started again for those who are lent one", limit, async () => {
    await using run = ownerOf(address);
    const { target } = run.owner.enter();
    let session: StdioSession | undefined;
    await target.lend(async (ready) => {
      session = ready.session as StdioSession;
      return pass("to have one to spare");
    });
    await session?.notify("notifications/end");
    await session?.ended(60_000);
    const again = await target.lend(async (ready) => pass((await ready.probe()).kind));
    expect(again).toEqual({ status: "pass", observed: "result" });
  });
});

it("a check that does not apply leaves its session for the next one", limit, async () => {
  await using run = ownerOf(program({}, ""));
  const { target } = run.owner.enter();
  const ids = new Set<string>();
  for (let n = 0; n < 2; n += 1) {
    await target.lend(async ({ session }) => {
      ids.add(session.id);
      return notApplicable("nothing to judge");
    });
  }
  expect(ids.size).toBe(1);
});

it("a resource that ends the process fails neither the others nor the prompts", limit, async () => {
  const resources = `[{ uri: "a:good", name: "good" }, { uri: "a:bad", name: "bad" }]`;
  const address = program(
    { resources: {}, prompts: {} },
    `if (method === "resources/list") return { result: { resources: ${resources} } };
     if (method === "prompts/list") return { result: { prompts: [{ name: "greet" }] } };
     if (method === "resources/read" && params.uri === "a:bad") process.exit(1);
     if (method === "resources/read") return { result: { contents: [{ uri: params.uri, text: "x" }] } };
     if (method === "prompts/get") return { result: { messages: [] } };`,
  );
  const [resource, prompt] = await findingsAt(address, ["resources/read-listed", "prompts/get-listed"]);
  expect(resource).toMatchObject({ status: "fail", observed: expect.stringMatching(/^a:bad: [^;]*$/) });
  expect(prompt).toMatchObject({ status: "pass" });
});

it.each([
  [-32601, "Register a handler for prompts/get"],
  [-32602, "prompts/get does not know what the list gave"],
  [-32603, "look at what its handler throws"],
])("a prompt that is answered with error %i: the fix says what to do", limit, async (code, fix) => {
  const address = program(
    { prompts: {} },
    `if (method === "prompts/list") return { result: { prompts: [{ name: "greet" }] } };
     if (method === "prompts/get") return refuse(${code}, "Cannot read properties of undefined");`,
  );
  const [prompt] = await findingsAt(address, ["prompts/get-listed"]);
  expect(prompt).toMatchObject({ status: "fail", fix: expect.stringContaining(fix) });
});

it.each([
  ["text: Required", "pass"],
  ["expected string, got undefined", "pass"],
  ['[{"code":"invalid_type","expected":"string","received":"undefined","path":["text"]}]', "pass"],
  ["Cannot read properties of undefined (reading 'text')", "fail"],
  ["undefined is not an object (evaluating 'a.text')", "fail"],
  ["args is not iterable", "fail"],
] as const)("a tool that says %s where arguments are absent: %s", limit, async (text, status) => {
  const tool = { name: "look", annotations: { readOnlyHint: true }, inputSchema: { type: "object", properties: {} } };
  const address = program(
    { tools: {} },
    `if (method === "tools/list") return { result: { tools: [${JSON.stringify(tool)}] } };
     const said = params.arguments ? "fine" : ${JSON.stringify(text)};
     if (method === "tools/call")
       return { result: { isError: !params.arguments, content: [{ type: "text", text: said }] } };`,
  );
  expect(await findingsAt(address, ["calls/absent-arguments"])).toMatchObject([{ status }]);
});

const note = { uri: "a:note", name: "note" };
const notes = { type: "respond", message: { result: { resources: [note] } } } as const;
const scope = { "www-authenticate": 'Bearer error="insufficient_scope", scope="notes"' };

it.each([
  ["that the token does not reach", { on: "resources/read", do: [{ type: "http", status: 403, headers: scope }] }],
  [
    "that went away meanwhile",
    { on: "resources/list", from: 2, do: [{ type: "respond", message: { result: { resources: [] } } }] },
  ],
] as const)("a resource %s is no lie of the list", limit, async (_, rule) => {
  const missing = { type: "respond", message: { error: { code: -32_002, message: "Gone" } } } as const;
  const rules = [rule, { on: "resources/list", do: [notes] }, { on: "resources/read", do: [missing] }];
  const found = await findingsOf({ capabilities: { resources: {} }, rules }, "resources/read-listed");
  expect(found).toMatchObject([{ status: "pass" }]);
});

it("a list that is longer than the kit reads may change in what it does not", limit, async () => {
  const announce = { type: "send", message: { method: "notifications/tools/list_changed" }, to: "answer" } as const;
  const rules = [{ on: "tools/list", do: [announce, { type: "proceed" } as const] }];
  const tool = { name: "t{{i}}", description: "Does {{i}}.", inputSchema: { type: "object", properties: {} } };
  const script = { tools: [], manyTools: { count: 250, tool }, pageSize: 1, rules, http: { answers: "sse" } } as const;
  expect(await findingsOf(script, "tools/list-changed-honest")).toMatchObject([{ status: "not-applicable" }]);
});

it("a change may be announced after it was listed", limit, async () => {
  const announce = { type: "send", message: { method: "notifications/tools/list_changed" }, to: "answer" } as const;
  const rules = [{ on: "tools/list", nth: 3, do: [announce, { type: "proceed" } as const] }];
  const script = { capabilities: { tools: { listChanged: true } }, rules, http: { answers: "sse" } } as const;
  expect(await findingsOf(script, "tools/list-changed-honest")).toMatchObject([{ status: "pass" }]);
});
