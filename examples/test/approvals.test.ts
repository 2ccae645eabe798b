import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { MemorySaver } from "@langchain/langgraph";
import { setTracingDisabled } from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents/testing";
import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type ChatState,
  type LanguageModel,
  type UIMessage,
} from "ai";
import { createHost, type Host } from "hostside";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { scripted } from "../../packages/adapters/test/mock-model.ts";
import { chat, type ChatRequest } from "../src/approvals/ai-sdk.ts";
import { createGraphChat } from "../src/approvals/langchain.ts";
import { createAgentChat } from "../src/approvals/openai-agents.ts";

setTracingDisabled(true);

const filesystem = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-filesystem/dist/index.js");
const tool = "mcp_files_write_file";
let folder = "";
let host: Host;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hostside-approvals-"));
  host = await createHost({
    servers: { files: { command: process.execPath, args: [filesystem, folder] } },
    policy: { requireApproval: ["files/write_*"] },
    timeoutMs: 60_000,
  });
});
afterEach(async () => {
  await host.close();
  await rm(folder, { recursive: true });
});

const fileOf = (name: string): { path: string; content: string } => ({ path: join(folder, name), content: name });
const written = (name: string): Promise<string> => readFile(join(folder, name), "utf8").catch(() => "nothing");

describe("a chat that asks for approvals", () => {
  it("of useChat and streamText writes the file that the user approved, and not the one that was rejected", async () => {
    const calls = ["a", "b"].map((name) => [tool, fileOf(name)] as const);
    const model = scripted([calls, "I wrote one."]);
    const browser = new BrowserChat(model);
    await browser.sendMessage({ text: "Write two files." });
    const parts = browser.lastMessage?.parts.filter((part) => part.type === "dynamic-tool") ?? [];
    expect(parts.map(({ state, input }) => [state, input])).toEqual([
      ["approval-requested", fileOf("a")],
      ["approval-requested", fileOf("b")],
    ]);
    expect(await written("a")).toBe("nothing");
    for (const [at, { approval }] of parts.entries()) {
      await browser.addToolApprovalResponse({ id: approval?.id ?? "", approved: at === 0 });
    }
    await browser.done;
    expect(browser.lastMessage?.parts.at(-1)).toMatchObject({ type: "text", text: "I wrote one." });
    expect([await written("a"), await written("b")]).toEqual(["a", "nothing"]);
  });

  it("of the OpenAI Agents SDK goes on from the state of its run, in another process", async () => {
    const calls = ["a", "b"].map((name) => functionCall(tool, JSON.stringify(fileOf(name)), { callId: name }));
    const model = new ScriptedModel([calls, [assistantMessage("I wrote one.")]]);
    const first = await createAgentChat(model, await host.conversation({ id: "42" })).ask("Write two files.");
    expect(first.questions.map(({ id, args }) => [id, JSON.parse(args)])).toEqual([
      ["a", fileOf("a")],
      ["b", fileOf("b")],
    ]);
    expect(await written("a")).toBe("nothing");
    const later = createAgentChat(model, await host.conversation({ id: "42" }));
    expect(await later.answer(first.state, ["a"])).toMatchObject({ text: "I wrote one.", questions: [] });
    expect([await written("a"), await written("b")]).toEqual(["a", "nothing"]);
  });

  it("of LangGraph goes on from its checkpoint", async () => {
    const calls = ["a", "b"].map((name) => ({ id: name, name: tool, args: fileOf(name), type: "tool_call" as const }));
    const model = fakeModel()
      .respond(new AIMessage({ content: "", tool_calls: calls }))
      .respond(new AIMessage("I wrote one."));
    const kept = new MemorySaver();
    const first = await createGraphChat(model, await host.conversation({ id: "42" }), kept).ask("Write two files.");
    expect(first.questions.map(({ value }) => value)).toMatchObject([
      { actionRequests: [{ name: tool, args: fileOf("a") }] },
      { actionRequests: [{ name: tool, args: fileOf("b") }] },
    ]);
    expect(await written("a")).toBe("nothing");
    const later = createGraphChat(model, await host.conversation({ id: "42" }), kept);
    const [a, b] = first.questions.map(({ id }) => id);
    const answers = { [a ?? ""]: "approve", [b ?? ""]: "reject" } as const;
    expect(await later.answer(answers)).toEqual({ text: "I wrote one.", questions: [] });
    expect([await written("a"), await written("b")]).toEqual(["a", "nothing"]);
  });
});

/** What `useChat` is in a browser, without React. */
class BrowserChat extends AbstractChat<UIMessage> {
  /** Settles when the model has said something, or a request failed. */
  readonly done: Promise<void>;

  constructor(model: LanguageModel) {
    let resolve = (): void => undefined;
    let reject = (_error: Error): void => undefined;
    const done = new Promise<void>((onDone, onError) => {
      resolve = onDone;
      reject = onError;
    });
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      const { id, messages } = JSON.parse(await new Response(init?.body).text()) as Pick<
        ChatRequest,
        "id" | "messages"
      >;
      return chat(host, model, { id, messages, user: "ada" });
    };
    const state: ChatState<UIMessage> = {
      status: "ready",
      error: undefined,
      messages: [],
      pushMessage: (message) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (at, message) => void (state.messages = state.messages.with(at, message)),
      snapshot: structuredClone,
    };
    super({
      state,
      transport: new DefaultChatTransport({ api: "http://localhost/chat", fetch }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      onError: (error) => reject(error),
      onFinish: ({ message }) => {
        if (message.parts.at(-1)?.type === "text") resolve();
      },
    });
    this.done = done;
  }
}
