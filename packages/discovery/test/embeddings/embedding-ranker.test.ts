import { createMemoryStore, HostsideError, type Diagnostic, type Store } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../../test/manual-clock.ts";
import { createEmbeddingRanker, type EmbeddingRankerOptions } from "../../src/embeddings.ts";
import { createToolbox, type Toolbox } from "../../src/index.ts";
import { fakeProvider, serverTool, type FakeProvider } from "../fake-provider.ts";
import { github, namesIn, slack } from "../sample-view.ts";
import { madeUpModel, meaningOf, type MadeUpModel } from "./made-up-model.ts";

const tools = [...github, ...slack];

function start(options: Partial<EmbeddingRankerOptions> = {}) {
  const model: MadeUpModel = madeUpModel();
  const diagnostics: Diagnostic[] = [];
  const clock = createManualClock();
  const ranker = createEmbeddingRanker({
    embedder: model,
    clock,
    ...options,
  });
  const provider = fakeProvider("mcp");
  provider.offer(tools);
  const toolbox = createToolbox({
    providers: [provider],
    embeddingRanker: ranker,
    clock,
    onDiagnostic: (one) => void diagnostics.push(one),
  });
  return { model, diagnostics, clock, ranker, provider, toolbox };
}

const search = async (toolbox: Toolbox, query: string): Promise<readonly string[]> =>
  namesIn(await toolbox.view().searchTools({ query }));
const textsOf = ({ requests }: MadeUpModel): readonly string[] => requests.flat();
const httpError = (httpStatus: number, retryAfterMs?: number): HostsideError =>
  new HostsideError(`HTTP ${httpStatus}`, {
    code: "http_error",
    details: { httpStatus, ...(retryAfterMs !== undefined && { retryAfterMs }) },
  });

describe("createEmbeddingRanker()", () => {
  it("finds by meaning what has no word in common with the query, once the index is there", async () => {
    const { toolbox, ranker } = start();
    expect(await search(toolbox, "wibble")).toEqual([]);
    await ranker.whenIdle();
    expect((await search(toolbox, "wibble"))[0]).toBe("mcp_slack_post_message");
    expect(ranker.status()).toMatchObject({ ready: 5, pending: 0, refused: 0 });
  });

  it("embeds in batches, only what is on offer, and nothing of what is held back", async () => {
    const model = madeUpModel();
    const ranker = createEmbeddingRanker({ embedder: model, include: ({ name }) => name !== "mcp_github_list_issues" });
    const provider = fakeProvider("mcp");
    provider.offer(tools);
    createToolbox({
      providers: [provider],
      embeddingRanker: ranker,
      admit: ({ origin }) => (origin?.toolName === "post_message" ? "quarantine" : "offer"),
    });
    await ranker.whenIdle();
    expect(model.requests.map((texts) => texts.length)).toEqual([3]);
    expect(JSON.stringify(model.requests)).not.toMatch(/post message|list issues/);
  });

  it("embeds what changed and nothing else, and forgets what is gone", async () => {
    const { toolbox, ranker, provider, model } = start();
    await ranker.whenIdle();
    const before = textsOf(model).length;
    provider.offer([...github, serverTool("slack", "post_message", "Tells a chat."), serverTool("slack", "new_one")]);
    await ranker.whenIdle();
    expect(textsOf(model).slice(before)).toHaveLength(2);
    expect(ranker.status().ready).toBe(5);
    // The same words in new objects, as a provider lists them after a reconnect.
    provider.offer(github.map((definition) => ({ ...definition })));
    await ranker.whenIdle();
    expect(textsOf(model)).toHaveLength(before + 2);
    expect(ranker.status().ready).toBe(3);
    toolbox.close();
    await ranker.whenIdle();
    expect(ranker.status().ready).toBe(0);
    expect(provider.listeners).toBe(0);
  });

  it("embeds what comes back before it was embedded, also if it is the same object", async () => {
    const { model, ranker, provider, clock } = start();
    model.answer = () => Promise.reject(new Error("down"));
    await ranker.whenIdle();
    provider.offer([]);
    await ranker.whenIdle();
    expect(ranker.status()).toMatchObject({ ready: 0, pending: 0 });
    model.answer = async (texts) => texts.map(meaningOf);
    provider.offer(tools);
    clock.advance(400_000);
    await ranker.whenIdle();
    expect(ranker.status()).toMatchObject({ ready: 5, pending: 0 });
  });

  it("serves several toolboxes, and embeds for each what no other one has", async () => {
    const { ranker, model } = start();
    const other: FakeProvider = fakeProvider("other");
    other.offer([...tools, serverTool("more", "land")]);
    const second = createToolbox({ providers: [other], embeddingRanker: ranker });
    await ranker.whenIdle();
    expect(textsOf(model)).toHaveLength(6);
    second.close();
    await ranker.whenIdle();
    expect(ranker.status().ready).toBe(5);
  });

  it("asks once for a query, however often and by how many it is searched for", async () => {
    const { toolbox, ranker, model } = start();
    await ranker.whenIdle();
    const before = model.requests.length;
    await Promise.all([search(toolbox, "tell them"), search(toolbox, "tell them")]);
    await search(toolbox, " tell them ");
    expect(model.requests.slice(before)).toEqual([["tell them"]]);
  });

  it("takes vectors from the store, under the model that made them, and keeps new ones there", async () => {
    const store = createMemoryStore();
    const first = start({ store });
    await first.ranker.whenIdle();
    const second = start({ store });
    await second.ranker.whenIdle();
    expect(second.model.requests).toEqual([]);
    expect((await search(second.toolbox, "wibble"))[0]).toBe("mcp_slack_post_message");
    const other = madeUpModel("another");
    const third = start({ store, embedder: other });
    await third.ranker.whenIdle();
    expect(textsOf(other)).toHaveLength(5);
  });

  it("embeds anew what the store has of another length or of nobody's making", async () => {
    const store = createMemoryStore();
    const first = start({ store });
    first.model.answer = async (texts) => texts.map((text) => [...meaningOf(text), 1, 2]);
    await first.ranker.whenIdle();
    const second = start({ store });
    await second.ranker.whenIdle();
    expect(second.model.requests).toEqual([]);
    expect(await search(second.toolbox, "wibble")).toEqual([]);
    await second.ranker.whenIdle();
    expect(textsOf(second.model)).toHaveLength(6);
    expect((await search(second.toolbox, "wibble"))[0]).toBe("mcp_slack_post_message");

    const odd: Store = { ...store, get: async () => ({ version: 1, bytes: "AAAA" }) };
    const third = start({ store: odd });
    await third.ranker.whenIdle();
    expect(textsOf(third.model)).toHaveLength(5);
  });

  it("does without a store that fails or hangs, and says so once", async () => {
    const down = (): Promise<never> => Promise.reject(new Error("no route"));
    const failing = start({ store: { get: down, set: down, delete: down } });
    await failing.ranker.whenIdle();
    expect(failing.ranker.status().ready).toBe(5);
    expect(failing.diagnostics.map(({ kind }) => kind)).toEqual(["not-kept"]);

    const never = (): Promise<never> => new Promise(() => {});
    const hanging = start({ store: { get: never, set: never, delete: never } });
    await expect.poll(() => hanging.clock.pending()).toBeGreaterThan(0);
    hanging.clock.advance(5000);
    await hanging.ranker.whenIdle();
    expect(hanging.ranker.status().ready).toBe(5);
  });

  it.each([
    ["too few vectors", async () => [[1]]],
    ["vectors of several lengths", async (texts: readonly string[]) => texts.map((_, at) => (at === 0 ? [1] : [1, 2]))],
    ["what is no number", async (texts: readonly string[]) => texts.map(() => [1, Number.NaN])],
    ["no direction", async (texts: readonly string[]) => texts.map(() => [0, 0])],
    ["no list", async () => "nonsense" as unknown as readonly number[][]],
    ["an error", async () => Promise.reject(new Error("key sk-1234 is wrong"))],
  ])("has no opinion while the model answers %s, rests, says so once, and goes on by itself", async (_, answer) => {
    const { model, ranker, toolbox, clock, diagnostics } = start();
    model.answer = answer;
    await ranker.whenIdle();
    expect(await search(toolbox, "merge")).toEqual(["mcp_github_merge_pull_request"]);
    expect(model.requests).toHaveLength(1);
    clock.advance(2000);
    await ranker.whenIdle();
    expect(model.requests).toHaveLength(2);
    expect(diagnostics.map(({ kind }) => kind)).toEqual(["fallback"]);
    expect(JSON.stringify(diagnostics)).not.toContain("sk-1234");
    model.answer = async (texts) => texts.map(meaningOf);
    clock.advance(4000);
    await ranker.whenIdle();
    expect((await search(toolbox, "wibble"))[0]).toBe("mcp_slack_post_message");
  });

  it("waits as long as the endpoint asks for, and long for one that refuses the key", async () => {
    const limited = start();
    limited.model.answer = () => Promise.reject(httpError(429, 60_000));
    await limited.ranker.whenIdle();
    expect(limited.clock.delays()).toEqual([60_000]);
    const refused = start();
    refused.model.answer = () => Promise.reject(httpError(401));
    await refused.ranker.whenIdle();
    expect(refused.clock.delays()).toEqual([300_000]);
  });

  it("finds the one text that the model does not take, and does not send it again", async () => {
    const { model, ranker, toolbox } = start();
    model.answer = async (texts) => {
      if (texts.some((text) => text.includes("list channels"))) throw httpError(400);
      return texts.map(meaningOf);
    };
    await ranker.whenIdle();
    expect(ranker.status()).toMatchObject({ ready: 4, pending: 0, refused: 1 });
    // One in five is more than a tenth: the opinion would favour the others.
    expect(await search(toolbox, "wibble")).toEqual([]);
  });

  it("takes one that refuses everything for broken, after some requests", async () => {
    const { model, ranker, provider, clock } = start();
    provider.offer(Array.from({ length: 200 }, (_, index) => serverTool("s", `tool_${index}`)));
    model.answer = () => Promise.reject(httpError(400));
    await ranker.whenIdle();
    expect(model.requests.length).toBeLessThanOrEqual(20);
    expect(ranker.status()).toMatchObject({ ready: 0, pending: 200 });
    const before = model.requests.length;
    clock.advance(2000);
    await ranker.whenIdle();
    expect(model.requests.length - before).toBeLessThanOrEqual(20);
  });

  it("costs one search 2 s when the model hangs, and the next ones nothing", async () => {
    const { toolbox, ranker, model, clock } = start();
    await ranker.whenIdle();
    model.answer = () => new Promise(() => {});
    const first = search(toolbox, "merge");
    await expect.poll(() => clock.delays()).toEqual([2000, 10_000]);
    clock.advance(2000);
    expect(await first).toEqual(["mcp_github_merge_pull_request"]);
    clock.advance(8000);
    await ranker.whenIdle();
    const before = model.requests.length;
    expect(await search(toolbox, "merge it")).toEqual(["mcp_github_merge_pull_request"]);
    expect(model.requests).toHaveLength(before);
  });

  it("halves a batch that takes too long, and stays with what is fast enough", async () => {
    const { model, ranker, provider, clock, diagnostics } = start();
    provider.offer(Array.from({ length: 100 }, (_, index) => serverTool("s", `tool_${index}`)));
    model.answer = (texts) => (texts.length > 16 ? new Promise(() => {}) : Promise.resolve(texts.map(meaningOf)));
    for (const size of [64, 32]) {
      await expect.poll(() => model.requests.at(-1)?.length).toBe(size);
      clock.advance(30_000);
    }
    await ranker.whenIdle();
    expect(ranker.status()).toEqual({ ready: 100, pending: 0, refused: 0 });
    expect(Math.max(...model.requests.slice(2).map((texts) => texts.length))).toBe(16);
    expect(diagnostics).toEqual([]);
  });

  it("leaves nothing behind after close(), also in the middle of a request, and searches go on", async () => {
    const { toolbox, ranker, model, clock, provider } = start();
    let aborted = 0;
    model.answer = (_, signal) => {
      signal.addEventListener("abort", () => (aborted += 1));
      return new Promise(() => {});
    };
    await expect.poll(() => model.requests.length).toBe(1);
    ranker.close();
    ranker.close();
    await ranker.whenIdle();
    expect(aborted).toBe(1);
    expect(clock.pending()).toBe(0);
    provider.offer(slack);
    expect((await search(toolbox, "list_channels"))[0]).toBe("mcp_slack_list_channels");
    expect(model.requests).toHaveLength(1);
    expect(ranker.status()).toMatchObject({ ready: 0, pending: 0 });
  });

  it("throws a TypeError that names the option that is wrong", () => {
    const embedder = madeUpModel();
    // @ts-expect-error It needs an embedder.
    expect(() => createEmbeddingRanker({})).toThrow("embedder must have");
    // @ts-expect-error A letter of its name is wrong.
    expect(() => createEmbeddingRanker({ embedder, includes: () => true })).toThrow("did you mean include?");
    // @ts-expect-error No function.
    expect(() => createEmbeddingRanker({ embedder, include: true })).toThrow("include must be");
    // @ts-expect-error No store.
    expect(() => createEmbeddingRanker({ embedder, store: {} })).toThrow("store must have");
  });
});
