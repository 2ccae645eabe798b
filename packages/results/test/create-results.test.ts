import { createMemoryStore, type Diagnostic, type ToolOutcome } from "@hostside/core";
import { createMemorySink, createResults, type BlobSink, type Presented, type ResultsOptions } from "@hostside/results";
import { createFolderSink } from "@hostside/results/node";
import { getEventListeners } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { useVirtualClock } from "../../provider/test/simulation/virtual-clock.ts";
import { outcomeOf, png, text } from "./outcomes.ts";

const long = "word ".repeat(10_000);
const longOutcome = outcomeOf({ content: [text(long)] });
const context = { conversation: "c1" };

function textOf({ blocks }: Presented): string {
  return blocks.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

function handlesIn({ omitted }: Presented): readonly string[] {
  return omitted.flatMap(({ handle }) => (handle === undefined ? [] : [handle]));
}

function base64Of(length: number): string {
  return btoa("\u0007".repeat(length));
}

/** A sink that does what the test says instead of keeping. */
function sinkThat(put: BlobSink["put"]): BlobSink & { readonly deleted: string[] } {
  const deleted: string[] = [];
  return { put, read: async () => undefined, delete: async (key) => deleted.push(key), deleted };
}

describe("createResults()", () => {
  it("asks nothing of the sink for a result that is shown whole", async () => {
    const results = createResults({ sink: sinkThat(() => Promise.reject(new Error("asked"))) });
    const presented = await results.present(
      outcomeOf({ content: [text("short"), { type: "image", data: png, mimeType: "image/png" }] }),
    );
    expect(presented).toMatchObject({ omitted: [], blocks: [{ text: "short" }, { type: "image" }] });
  });

  it("gives the sink the text whole, with its type and its conversation", async () => {
    const put: Parameters<BlobSink["put"]>[0][] = [];
    const sink = sinkThat(async (blob) => {
      put.push(blob);
      return { kept: true, key: "key/of/the sink" };
    });
    const presented = await createResults({ sink }).present(longOutcome, { context });
    expect(put).toEqual([{ data: new TextEncoder().encode(long), mimeType: "text/plain", conversation: "c1" }]);
    expect(handlesIn(presented)).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(JSON.stringify(presented)).not.toContain("key/of");
  });

  it("keeps media that are too large, too many or not allowed, and brings whole those that a model may have", async () => {
    const image = { type: "image", data: png, mimeType: "image/png" };
    const pdf = {
      type: "resource",
      resource: { uri: "file:///a.pdf", blob: base64Of(100), mimeType: "application/pdf" },
    };
    const sound = { type: "audio", data: base64Of(200), mimeType: "audio/wav" };
    const results = createResults({ sink: createMemorySink(), media: { maxItems: 1, maxItemBytes: 150 } });
    const presented = await results.present(outcomeOf({ content: [image, image, pdf, sound] }));
    expect(presented.omitted.map(({ reason }) => reason)).toEqual(["too-many", "type-not-allowed", "too-large"]);
    const [second = "", document = "", audio = ""] = handlesIn(presented);
    expect(textOf(presented)).toContain(`results_read {"handle":"${document}"}`);
    expect(await results.read({ handle: second })).toMatchObject({
      kind: "media",
      media: { type: "image", data: png },
    });
    expect(await results.read({ handle: document })).toMatchObject({
      kind: "facts",
      item: { bytes: 100, mimeType: "application/pdf" },
    });
    expect(await results.read({ handle: audio })).toMatchObject({ kind: "facts" });
    expect(await results.read({ handle: document, offset: 99 })).toMatchObject({
      kind: "bytes",
      base64: btoa("\u0007"),
    });
    expect(await results.read({ handle: document, query: "x" })).toMatchObject({ kind: "failed", reason: "no-text" });
    const result = await results.tool.run({ handle: second }, {});
    const shown = await results.present(answered(result));
    expect(shown.blocks.at(-1)).toEqual({ type: "image", mimeType: "image/png", data: png, bytes: 70 });
  });

  it("makes a text of bytes that are one, so that they can be searched", async () => {
    const csv = { type: "resource", resource: { uri: "x:y", blob: btoa("a,b\n1,needle\n"), mimeType: "text/csv" } };
    const results = createResults({ sink: createMemorySink() });
    const [handle = ""] = handlesIn(await results.present(outcomeOf({ content: [csv] })));
    expect(await results.read({ handle, query: "NEEDLE" })).toMatchObject({ matches: [{ offset: 6, line: 2 }] });
  });

  it("keeps structured content as JSON, and what nobody looked at as one text", async () => {
    const structuredContent = { rows: Array.from({ length: 10_000 }, (_, id) => ({ id })) };
    const media = { type: "audio", data: base64Of(10), mimeType: "audio/wav" };
    const content = [text("first"), text("second"), media, text("last")];
    const results = createResults({ sink: createMemorySink(), maxBlocks: 1 });
    const presented = await results.present(outcomeOf({ content, structuredContent }));
    const [structured = "", rest = ""] = handlesIn(presented);
    const json = await results.read({ handle: structured, limit: 30 });
    expect(json).toMatchObject({
      text: JSON.stringify(structuredContent).slice(0, 30),
      item: { mimeType: "application/json" },
    });
    const others = await results.read({ handle: rest });
    if (others.kind !== "text") throw new Error(others.kind);
    expect(others.text).toBe("second\n\n[audio audio/wav]\n\nlast");
  });

  it.each([
    ["is full", async () => ({ kept: false, reason: "full" }) as const, "there is no room left"],
    [
      "has a reason of its own",
      async () => ({ kept: false, reason: "quota" }) as never,
      "what keeps such things failed",
    ],
    ["is closed", async () => ({ kept: false, reason: "closed" }) as const, "nothing is kept any more"],
    [
      "rejects",
      () => Promise.reject(Object.assign(new Error("secret"), { code: "EIO" })),
      "what keeps such things failed",
    ],
    [
      "rejects with a code that is no text",
      () => Promise.reject(Object.assign(new Error("secret"), { code: Object.create(null) })),
      "what keeps such things failed",
    ],
    [
      "throws",
      () => {
        throw new Error("secret");
      },
      "what keeps such things failed",
    ],
  ])("shows a result whose sink %s, and says why the rest was not kept", async (_, put: BlobSink["put"], why) => {
    const diagnostics: Diagnostic[] = [];
    const results = createResults({ sink: sinkThat(put), onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) });
    const presented = await results.present(longOutcome, { context });
    expect(textOf(presented)).toMatch(/^word word /);
    expect(textOf(presented)).toContain(why);
    expect(handlesIn(presented)).toEqual([]);
    expect(diagnostics).toMatchObject([{ kind: "not-kept", serverId: "github" }]);
    expect(JSON.stringify([presented, diagnostics])).not.toContain("secret");
  });

  it("waits for a slow sink no longer than 5 seconds, and deletes what is kept too late", async () => {
    const clock = useVirtualClock();
    let finish = (): void => {};
    const sink = sinkThat(() => new Promise((resolve) => (finish = () => resolve({ kept: true, key: "late" }))));
    const results = createResults({ sink });
    const presenting = results.present(longOutcome, { context });
    await settled();
    clock.advance(5000);
    const presented = await presenting;
    expect(textOf(presented)).toContain("keeping it took longer than 5000 ms");
    finish();
    await settled();
    expect(sink.deleted).toEqual(["late"]);
    expect(clock.pending).toBe(0);
  });

  it("takes that long for all of a result", async () => {
    const clock = useVirtualClock();
    const memory = createMemorySink();
    const slow: BlobSink = {
      ...memory,
      put: (blob) => {
        clock.advance(3000);
        return memory.put(blob);
      },
    };
    const results = createResults({ sink: slow, maxTextBytes: 1024 });
    const presented = await results.present(outcomeOf({ content: [text("a".repeat(5000)), text("b".repeat(5000))] }));
    expect(presented.omitted).toHaveLength(2);
    expect(textOf(presented)).toContain("keeping it took longer than 5000 ms");
  });

  it("keeps nothing for a call that was given up, and nothing after close(), and still shows results", async () => {
    const sink = sinkThat(() => new Promise(() => {}));
    const clock = useVirtualClock();
    const results = createResults({ sink });
    const controller = new AbortController();
    const givenUp = results.present(longOutcome, { signal: controller.signal });
    await settled();
    controller.abort();
    expect(textOf(await givenUp)).toContain("the work was given up");
    const underWay = results.present(longOutcome);
    await settled();
    const closing = results.close();
    expect(textOf(await underWay)).toContain("nothing is kept any more");
    await settled();
    clock.advance(5000);
    await closing;
    expect(textOf(await results.present(longOutcome))).toMatch(/^word [^]*nothing is kept any more/);
    expect(await results.read({ handle: "0".repeat(32) })).toMatchObject({ kind: "failed", reason: "unavailable" });
    expect(clock.pending).toBe(0);
  });

  it("leaves nothing with the signal of a run, nor with its own, for each result that it kept", async () => {
    // Node keeps an entry for each joined signal as long as the signals live that it was joined of.
    const joined = vi.spyOn(AbortSignal, "any");
    const { signal } = new AbortController();
    const results = createResults({ sink: createMemorySink() });
    const presented = await results.present(longOutcome, { context, signal });
    expect(handlesIn(presented)).toHaveLength(1);
    expect([joined.mock.calls, getEventListeners(signal, "abort")]).toEqual([[], []]);
  });

  it("lets the oldest go when a conversation has too many handles or too many bytes", async () => {
    for (const bounds of [{ maxHandles: 2 }, { maxKeptBytes: 2 * long.length }]) {
      const results = createResults({ sink: createMemorySink(), ...bounds });
      const present = (conversation: string): Promise<Presented> =>
        results.present(longOutcome, { context: { conversation } });
      const [oldest = ""] = handlesIn(await present("c1"));
      const [other = ""] = handlesIn(await present("c2"));
      const second = await present("c1");
      const third = await present("c1");
      expect(Buffer.byteLength(textOf(third))).toBeLessThanOrEqual(32 * 1024);
      expect(await results.read({ handle: oldest }, { context })).toMatchObject({ reason: "unknown-handle" });
      for (const handle of [...handlesIn(second), ...handlesIn(third)]) {
        expect(await results.read({ handle }, { context })).toMatchObject({ kind: "text" });
      }
      expect(await results.read({ handle: other }, { context: { conversation: "c2" } })).toMatchObject({
        kind: "text",
      });
    }
  });

  it("reads in one process what another one kept, when they share the store and the sink; nothing without a conversation", async () => {
    const shared = { store: createMemoryStore(), sink: createMemorySink() };
    const [first, second] = [createResults(shared), createResults(shared)];
    const [named = ""] = handlesIn(await first.present(longOutcome, { context }));
    const [unnamed = ""] = handlesIn(await first.present(longOutcome));
    expect(await second.read({ handle: named }, { context })).toMatchObject({ kind: "text" });
    expect(await first.read({ handle: unnamed })).toMatchObject({ kind: "text" });
    expect(await second.read({ handle: unnamed })).toMatchObject({ reason: "unknown-handle" });
  });

  it("says in words what is wrong with a request, as an outcome", async () => {
    const results = createResults({ sink: createMemorySink() });
    const [handle = ""] = handlesIn(await results.present(longOutcome));
    const ask = async (args: object): Promise<string> => {
      const { content, isError } = await results.tool.run(JSON.parse(JSON.stringify(args)), {});
      expect(isError).toBe(true);
      return JSON.stringify(content);
    };
    expect(await ask({})).toContain("handle");
    expect(await ask({ handle, offset: -1 })).toContain("offset");
    expect(await ask({ handle, limit: 0 })).toContain("limit");
    expect(await ask({ handle, query: "" })).toContain("query");
    expect(await ask({ handle, ofset: 1 })).toContain("ofset");
    expect(await ask({ handle, offset: 50_000 })).toContain("50000 characters");
    expect(await ask({ handle: "../../etc/passwd" })).toContain("Nothing is kept under this handle");
    const nulls = await results.tool.run({ handle, offset: null, limit: null, query: null }, {});
    expect(nulls.isError).toBeUndefined();
  });

  it("never rejects for an outcome that is none", async () => {
    const results = createResults({ sink: createMemorySink() });
    const thrower = {
      ...longOutcome,
      get content(): never {
        throw new Error("no");
      },
    };
    for (const odd of [null, {}, thrower, { ...longOutcome, origin: null }] as unknown as readonly ToolOutcome[]) {
      expect((await results.present(odd)).blocks.length).toBeGreaterThan(0);
    }
  });

  it("names the file that has the bytes of a result, for a model that reads files", async () => {
    const root = await mkdtemp(join(tmpdir(), "hostside-paths-"));
    const sink = createFolderSink({
      directory: join(root, "mcp-blobs"),
      maxBytes: 100_000,
      ttlMs: 60_000,
      onClose: "keep",
    });
    const blob = {
      type: "resource",
      resource: { uri: "file:///../../x", blob: base64Of(9), mimeType: "application/pdf" },
    };
    const results = createResults({ sink, showPaths: true });
    const { blocks } = await results.present(outcomeOf({ content: [blob, text("a".repeat(40_000))] }));
    const names = await readdir(join(root, "mcp-blobs"));
    expect(names).toHaveLength(2);
    const said = (at: number): string => (blocks[at]?.type === "text" ? blocks[at].text : "");
    const [name = ""] = names.filter((one) => said(0).includes(JSON.stringify(join(root, "mcp-blobs", one))));
    const [other = ""] = names.filter((one) => one !== name);
    expect(said(1)).toContain(JSON.stringify(join(root, "mcp-blobs", other)));
    expect(await readFile(join(root, "mcp-blobs", name), "base64")).toBe(base64Of(9));
    await results.close();
    await sink.close();
    await rm(root, { recursive: true });
  });

  it.each([
    [{ sink: undefined }, "sink"],
    [{ sink: { put() {} } }, "sink"],
    [{ store: {} }, "store"],
    [{ maxHandles: 0 }, "maxHandles"],
    [{ maxTextBytes: 1 }, "maxTextBytes"],
    [{ toolName: "results read" }, "toolName"],
    [{ maxHandle: 1 }, "maxHandle"],
  ])("throws a TypeError for %j", (wrong, field) => {
    const options = { sink: createMemorySink(), ...wrong } as ResultsOptions;
    expect(() => createResults(options)).toThrow(TypeError);
    expect(() => createResults(options)).toThrow(field);
  });

  it("refuses a promise of an outcome, in which nothing would be seen", async () => {
    const results = createResults({ sink: createMemorySink() });
    const promised = Promise.resolve(longOutcome) as never;
    await expect(results.present(promised)).rejects.toThrow(/^present\(\) takes an outcome.*await the outcome first$/);
  });

  it("refuses a context in the place of the occasion, so that no conversation is left out unseen", async () => {
    const results = createResults({ sink: createMemorySink() });
    const occasion = { ...context, context: undefined };
    await expect(results.present(longOutcome, occasion)).rejects.toThrow(/no option "conversation"/);
  });
});

/** What a toolbox makes of an answer of the tool. */
function answered({
  content,
  meta = {},
}: Awaited<ReturnType<ReturnType<typeof createResults>["tool"]["run"]>>): ToolOutcome {
  const origin = { serverId: "", toolName: "results_read", qualifiedName: "local::results_read" };
  return { content, meta, isError: false, origin, raw: {} };
}

/** Waits until nothing goes on by itself. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
