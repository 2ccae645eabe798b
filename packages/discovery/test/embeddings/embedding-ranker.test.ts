import { HostsideError, type Diagnostic } from "@hostside/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createEmbeddingRanker, createToolbox, type Toolbox } from "../../src/index.ts";
import { fakeProvider, serverTool, type FakeProvider } from "../fake-provider.ts";
import { github, namesIn, slack } from "../sample-view.ts";
import { madeUpModel, meaningOf, type MadeUpModel } from "./made-up-model.ts";

const tools = [...github, ...slack];

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function start() {
  const model: MadeUpModel = madeUpModel();
  const diagnostics: Diagnostic[] = [];
  const ranker = createEmbeddingRanker({ embedder: model });
  const provider = fakeProvider("mcp");
  provider.offer(tools);
  const toolbox = createToolbox({
    providers: [provider],
    embeddingRanker: ranker,
    onDiagnostic: (one) => void diagnostics.push(one),
  });
  return { model, diagnostics, ranker, provider, toolbox };
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
    expect(ranker.status()).toMatchObject({ ready: 5, pending: 0 });
  });

  it("embeds in batches, only what is on offer, and nothing of what is held back", async () => {
    const model = madeUpModel();
    const ranker = createEmbeddingRanker({ embedder: model });
    const provider = fakeProvider("mcp");
    provider.offer(tools);
    createToolbox({
      providers: [provider],
      embeddingRanker: ranker,
      admit: ({ origin }) => (origin?.toolName === "post_message" ? "quarantine" : "offer"),
    });
    await ranker.whenIdle();
    expect(model.requests.map((texts) => texts.length)).toEqual([4]);
    expect(JSON.stringify(model.requests)).not.toMatch(/post message/);
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
    const { model, ranker, provider } = start();
    model.answer = () => Promise.reject(new Error("down"));
    await ranker.whenIdle();
    provider.offer([]);
    await ranker.whenIdle();
    expect(ranker.status()).toMatchObject({ ready: 0, pending: 0 });
    model.answer = async (texts) => texts.map(meaningOf);
    provider.offer(tools);
    vi.advanceTimersByTime(400_000);
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

  it.each([
    ["too few vectors", async () => [[1]]],
    ["vectors of several lengths", async (texts: readonly string[]) => texts.map((_, at) => (at === 0 ? [1] : [1, 2]))],
    ["what is no number", async (texts: readonly string[]) => texts.map(() => [1, Number.NaN])],
    ["no direction", async (texts: readonly string[]) => texts.map(() => [0, 0])],
    ["no list", async () => "nonsense" as unknown as readonly number[][]],
    ["an error", async () => Promise.reject(new Error("key sk-1234 is wrong"))],
  ])("has no opinion while the model answers %s, rests, says so once, and goes on by itself", async (_, answer) => {
    const { model, ranker, toolbox, diagnostics } = start();
    model.answer = answer;
    await ranker.whenIdle();
    expect(await search(toolbox, "merge")).toEqual(["mcp_github_merge_pull_request"]);
    expect(model.requests).toHaveLength(1);
    vi.advanceTimersByTime(2000);
    await ranker.whenIdle();
    expect(model.requests).toHaveLength(2);
    expect(diagnostics.map(({ kind }) => kind)).toEqual(["fallback"]);
    expect(JSON.stringify(diagnostics)).not.toContain("sk-1234");
    model.answer = async (texts) => texts.map(meaningOf);
    vi.advanceTimersByTime(4000);
    await ranker.whenIdle();
    expect((await search(toolbox, "wibble"))[0]).toBe("mcp_slack_post_message");
  });

  it("waits as long as the endpoint asks for", async () => {
    const { model, ranker } = start();
    model.answer = () => Promise.reject(httpError(429, 60_000));
    await ranker.whenIdle();
    vi.advanceTimersByTime(59_000);
    await ranker.whenIdle();
    expect(model.requests).toHaveLength(1);
    vi.advanceTimersByTime(1000);
    await ranker.whenIdle();
    expect(model.requests).toHaveLength(2);
  });

  it("costs one search 2 s when the model hangs, and the next ones nothing", async () => {
    const { toolbox, ranker, model } = start();
    await ranker.whenIdle();
    model.answer = () => new Promise(() => {});
    const first = search(toolbox, "merge");
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(2));
    vi.advanceTimersByTime(2000);
    expect(await first).toEqual(["mcp_github_merge_pull_request"]);
    vi.advanceTimersByTime(8000);
    await ranker.whenIdle();
    const before = model.requests.length;
    expect(await search(toolbox, "merge it")).toEqual(["mcp_github_merge_pull_request"]);
    expect(model.requests).toHaveLength(before);
  });

  it("leaves nothing behind after close(), also in the middle of a request, and searches go on", async () => {
    const { toolbox, ranker, model, provider } = start();
    let aborted = 0;
    model.answer = (_, signal) => {
      signal.addEventListener("abort", () => (aborted += 1));
      return new Promise(() => {});
    };
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    ranker.close();
    ranker.close();
    await ranker.whenIdle();
    expect(aborted).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
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
    expect(() => createEmbeddingRanker({ embedder, embeder: embedder })).toThrow("did you mean embedder?");
  });
});
