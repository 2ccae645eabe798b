import { HostsideError, type JsonObject, type JsonValue } from "@hostside/core";
import type { Prompt } from "@hostside/provider/resources";
import type { ListChange } from "../../src/resources/live-list.ts";
import { describe, expect, it } from "vitest";
import {
  createWorld,
  failureOf,
  settle,
  unwritable,
  type Answer,
  type World,
  type WorldOptions,
} from "./scripted-world.ts";

const summarize: JsonObject = {
  name: "summarize",
  title: "Summarize",
  arguments: [{ name: "of", required: true }, { name: "tone", required: true }, { name: "length" }],
};
const greeting: JsonObject = { role: "user", content: { type: "text", text: "hello" } };
const target = { serverId: "a", name: "summarize" };

function createPromptWorld(options: WorldOptions = {}): World {
  const world = createWorld(options);
  for (const id of options.servers ?? ["a"]) {
    world.server(id).capabilities = { prompts: { listChanged: true } };
    world.server(id).answer = answering(summarize);
  }
  return world;
}

function answering(...prompts: readonly JsonValue[]): Answer {
  return ({ method }) => (method === "prompts/list" ? { prompts: [...prompts] } : { messages: [greeting] });
}

/** Refuses each prompt with this code, and lists these. */
function refusing(rpcCode: number): Answer {
  return () => Promise.reject(new HostsideError("no", { code: "server_error", serverId: "a", details: { rpcCode } }));
}

describe("listPrompts()", () => {
  it("joins the prompts of all servers in the order of ids and names, and failures are data", async () => {
    const { resources, server } = createPromptWorld({ servers: ["b", "a", "c", "none"] });
    server("a").answer = answering({ name: "z" }, { name: "a" });
    server("c").answer = () => Promise.reject(new HostsideError("no", { code: "server_error" }));
    server("none").capabilities = { resources: {} };
    const { prompts, failures, dropped } = await resources.listPrompts();
    expect(prompts.map(({ serverId, name }) => `${serverId} ${name}`)).toEqual(["a a", "a z", "b summarize"]);
    expect(failures).toMatchObject([{ serverId: "c", error: { code: "server_error" } }]);
    expect(dropped).toEqual([]);
    expect(server("none").asked).toEqual([]);
  });

  it("reads 64 pages of a server, and says so beyond", async () => {
    const { resources, server } = createPromptWorld();
    server("a").answer = ({ params }) => {
      const page = Number(params["cursor"] ?? 0);
      return { prompts: [{ name: `p${page}` }], nextCursor: String(page + 1) };
    };
    const { prompts, failures } = await resources.listPrompts();
    expect(prompts).toHaveLength(64);
    expect(failures).toMatchObject([{ error: { code: "listing_truncated" } }]);
  });

  it("keeps what can be used of hostile entries, and never cuts a name", async () => {
    const { resources, server } = createPromptWorld();
    const text = "x".repeat(9000);
    server("a").answer = answering(
      { name: "__proto__", description: text, arguments: "none", _meta: { a: 1 } },
      { name: text },
      { name: "" },
      { title: "no name" },
      "text",
      {
        name: "odd",
        arguments: [
          { name: "__proto__", required: "yes", title: text },
          { name: 7 },
          { name: "" },
          null,
          { name: "__proto__" },
        ],
      },
    );
    const { prompts, dropped } = await resources.listPrompts();
    expect(prompts).toEqual([
      {
        serverId: "a",
        name: "__proto__",
        description: `${"x".repeat(8191)}…`,
        meta: { a: 1 },
        cut: ["description"],
        arguments: [],
      },
      {
        serverId: "a",
        name: "odd",
        arguments: [{ name: "__proto__", title: `${"x".repeat(1023)}…`, required: false }],
      },
    ]);
    expect(dropped.map(({ index }) => index)).toEqual([1, 2, 3, 4]);
  });
});

describe("the snapshot of prompts", () => {
  it("is read again when a server says that its prompts changed, apart from resources", async () => {
    const { resources, server, clock } = createPromptWorld();
    const changes: ListChange<Prompt>[] = [];
    resources.onPromptsChanged((change) => changes.push(change));
    await resources.listPrompts();
    server("a").answer = answering({ name: "other" });
    server("a").hooks().onResourcesChanged?.();
    clock.advance(5000);
    await settle();
    expect(changes).toHaveLength(1);
    server("a").hooks().onPromptsChanged?.();
    expect(resources.promptSnapshot().servers).toEqual([{ serverId: "a", stale: true }]);
    clock.advance(200);
    await settle();
    expect(changes.at(-1)).toMatchObject({
      serverId: "a",
      added: [{ name: "other" }],
      removed: [{ name: "summarize" }],
      changed: [],
    });
    expect(resources.promptSnapshot().entries.map(({ name }) => name)).toEqual(["other"]);
  });
});

describe("getPrompt()", () => {
  it("keeps messages whole and typed, sends arguments as they are, and leaves malformed messages out", async () => {
    const { resources, server } = createPromptWorld();
    const messages = [
      greeting,
      { role: "assistant", content: { type: "image", data: "AAEC", mimeType: "image/png" } },
      { role: "user", content: { type: "image" } },
      { role: "user", content: { type: "resource", resource: { uri: "n:1", text: "t" }, _meta: { a: 1 } } },
      { role: "system", content: { type: "text", text: "obey" } },
      { role: "user", content: "text" },
      null,
    ];
    server("a").answer = () => ({ messages, description: "d".repeat(9000), _meta: { host: true } });
    const args = JSON.parse('{"of":"a","tone":"b","__proto__":"c"}');
    const prompt = await resources.getPrompt(target, args, { meta: { trace: "t" } });
    expect(server("a").asked).toMatchObject([{ method: "prompts/get" }]);
    expect(JSON.stringify(server("a").asked[0]?.params)).toBe(
      '{"name":"summarize","arguments":{"of":"a","tone":"b","__proto__":"c"},"_meta":{"trace":"t"}}',
    );
    expect(prompt.messages.map(({ role, content }) => [role, content.type])).toEqual([
      ["user", "text"],
      ["assistant", "image"],
      ["user", "malformed:image"],
      ["user", "resource"],
      ["user", "text"],
    ]);
    expect(prompt.dropped.map(({ index }) => index)).toEqual([4, 6]);
    expect(prompt.description).toHaveLength(8192);
    expect(prompt.meta).toEqual({ host: true });
    expect(Object.isFrozen(prompt.messages[0]?.content)).toBe(true);
  });

  it("says what the server says of arguments or a name that it refuses", async () => {
    const { resources, server } = createPromptWorld();
    for (const rpcCode of [-32_602, -32_002, 0]) {
      server("a").answer = refusing(rpcCode);
      const refused = await failureOf(resources.getPrompt(target, { tone: "x" }));
      expect(refused).toMatchObject({ code: "invalid_arguments", outcome: "failed", details: { rpcCode } });
      expect(refused).toMatchObject({ rawMessage: "no" });
    }
    server("a").answer = refusing(-32_603);
    await expect(resources.getPrompt(target)).rejects.toMatchObject({ code: "server_error" });
  });

  it.each<[string, JsonObject, object]>([
    ["no array", { messages: "text" }, { code: "protocol_error" }],
    [
      "too much text",
      { messages: [{ ...greeting, content: { type: "text", text: "x".repeat(8 * 1024 * 1024) } }] },
      { code: "message_too_large" },
    ],
    ["too many messages", { messages: Array.from({ length: 1001 }, () => greeting) }, { code: "message_too_large" }],
    ...unwritable().map((_meta): [string, JsonObject, object] => [
      "what cannot be written as JSON",
      { messages: [{ ...greeting, content: { type: "text", text: "x", _meta } }] },
      { code: "message_too_large" },
    ]),
  ])("refuses an answer as a whole: %s", async (_what, result, error) => {
    const { resources, server } = createPromptWorld();
    server("a").answer = () => result;
    await expect(resources.getPrompt(target)).rejects.toMatchObject(error);
  });

  it("refuses what is no text, no server and no prompt of one, and asks nobody", async () => {
    const { resources, server } = createPromptWorld();
    await expect(resources.getPrompt(target, JSON.parse('{"of":1,"tone":null}'))).rejects.toMatchObject({
      code: "invalid_arguments",
      message: expect.stringContaining('"of", "tone" must be one'),
    });
    await expect(resources.getPrompt(target, JSON.parse('"text"'))).rejects.toMatchObject({
      code: "invalid_arguments",
    });
    await expect(resources.getPrompt({ ...target, serverId: "z" })).rejects.toMatchObject({ code: "unknown_server" });
    await expect(resources.getPrompt({ ...target, name: "" })).rejects.toThrow(TypeError);
    server("a").capabilities = {};
    await expect(resources.getPrompt(target)).rejects.toMatchObject({ code: "unsupported_operation" });
    expect(server("a").asked).toEqual([]);
  });
});

describe("complete()", () => {
  const input = { argument: "of", value: "fi" };

  it("asks for a prompt's argument and for a template's variable, and takes at most 100 values", async () => {
    const { resources, server } = createPromptWorld();
    server("a").capabilities = { completions: {} };
    const many = Array.from({ length: 150 }, (_, index) => `v${index}`);
    server("a").answer = () => ({ completion: { values: [7, "x".repeat(9000), ...many], total: 500 } });
    const completion = await resources.complete(target, { ...input, given: { tone: "calm" } });
    expect(completion).toEqual({ values: many.slice(0, 100), total: 500, hasMore: true });
    server("a").answer = () => ({ completion: { values: ["first"], total: "1", hasMore: false } });
    const template = { serverId: "a", name: "any note", uriTemplate: "note://{name}" };
    expect(await resources.complete(template, { argument: "name", value: "" })).toEqual({
      values: ["first"],
      hasMore: false,
    });
    expect(server("a").asked.map(({ params }) => params)).toEqual([
      {
        ref: { type: "ref/prompt", name: "summarize" },
        argument: { name: "of", value: "fi" },
        context: { arguments: { tone: "calm" } },
      },
      { ref: { type: "ref/resource", uri: "note://{name}" }, argument: { name: "name", value: "" } },
    ]);
  });

  it("is unsupported_operation where a server does not say that it completes, and protocol_error for what is no answer", async () => {
    const { resources, server } = createPromptWorld();
    await expect(resources.complete(target, input)).rejects.toMatchObject({ code: "unsupported_operation" });
    expect(server("a").asked).toEqual([]);
    server("a").capabilities = { completions: {} };
    server("a").crash();
    server("a").answer = () => ({ completion: { values: "many" } });
    await expect(resources.complete(target, input)).rejects.toMatchObject({ code: "protocol_error" });
  });

  it("says what it was given wrongly", async () => {
    const { resources } = createPromptWorld();
    const wrong = JSON.parse('{"argument":1,"value":""}');
    await expect(resources.complete(target, wrong)).rejects.toThrow("complete(): argument must be a text");
    await expect(resources.complete(JSON.parse('{"serverId":"a"}'), input)).rejects.toThrow(TypeError);
    await expect(resources.complete({ ...target, serverId: "z" }, input)).rejects.toMatchObject({
      code: "unknown_server",
    });
  });
});
