import { APICallError, embedMany } from "ai";
import { MockEmbeddingModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";
import { createAiSdkEmbedder, createEmbeddingRanker } from "../../src/embeddings.ts";
import { github, slack } from "../sample-view.ts";
import { meaningOf } from "./made-up-model.ts";

const signal = new AbortController().signal;

describe("createAiSdkEmbedder()", () => {
  it("embeds by the embedMany of the AI SDK", async () => {
    const model = new MockEmbeddingModelV4({
      maxEmbeddingsPerCall: 2,
      doEmbed: async ({ values }) => ({ embeddings: values.map((text) => [...meaningOf(text)]), warnings: [] }),
    });
    const embedder = createAiSdkEmbedder({ embedMany, model });
    expect(embedder.id).toBe("mock-provider:mock-model-id");
    const ranker = createEmbeddingRanker({ embedder });
    const definitions = [...github, ...slack];
    const ask = () => ranker({ query: "wibble", definitions, limit: 1, signal });
    expect(await ask()).toEqual([]);
    await ranker.whenIdle();
    expect(await ask()).toEqual(["mcp_slack_post_message"]);
    // Three times two texts, and the query.
    expect(model.doEmbedCalls).toHaveLength(4);
    ranker.close();
  });

  it("tries nothing again, and keeps of an error the status and Retry-After, and no text", async () => {
    const model = new MockEmbeddingModelV4({
      doEmbed: () =>
        Promise.reject(
          new APICallError({
            message: "Incorrect API key sk-1234",
            url: "https://models.test",
            requestBodyValues: { input: ["private"] },
            statusCode: 429,
            responseHeaders: { "retry-after": "7" },
            responseBody: "sk-1234",
          }),
        ),
    });
    const embedder = createAiSdkEmbedder({ embedMany, model });
    const error: unknown = await Promise.resolve(embedder.embed(["private"], { purpose: "tool", signal })).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: "http_error", details: { httpStatus: 429, retryAfterMs: 7000 } });
    expect(JSON.stringify(error) + String(error)).not.toMatch(/sk-1234|private/);
    expect((error as Error).cause).toBeUndefined();
    expect(model.doEmbedCalls).toHaveLength(1);
  });

  it("gives up with its signal", async () => {
    const model = new MockEmbeddingModelV4({
      doEmbed: ({ abortSignal }) =>
        new Promise((_, reject) => {
          abortSignal?.addEventListener("abort", () => reject(abortSignal.reason as Error));
        }),
    });
    const controller = new AbortController();
    const work = createAiSdkEmbedder({ embedMany, model }).embed(["a"], {
      purpose: "query",
      signal: controller.signal,
    });
    await expect.poll(() => model.doEmbedCalls.length).toBe(1);
    controller.abort(new Error("enough"));
    await expect(work).rejects.toThrow("enough");
  });

  it("throws a TypeError for a model without a name, and for what is no embedMany", () => {
    expect(() => createAiSdkEmbedder({ embedMany: async () => ({ embeddings: [] }), model: {} })).toThrow(
      "give it an id",
    );
    // @ts-expect-error No function.
    expect(() => createAiSdkEmbedder({ embedMany: 1, model: "a/b" })).toThrow("embedMany must be");
  });
});
