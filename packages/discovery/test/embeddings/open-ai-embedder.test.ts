import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createEmbeddingRanker,
  createOpenAiEmbedder,
  type OpenAiEmbedderOptions,
  createToolbox,
} from "../../src/index.ts";
import { fakeProvider } from "../fake-provider.ts";
import { github, namesIn, slack } from "../sample-view.ts";
import { meaningOf } from "./made-up-model.ts";

interface Asked {
  readonly headers: IncomingMessage["headers"];
  readonly body: { readonly input: readonly string[]; readonly model?: string };
}
type Answer = (response: ServerResponse, asked: Asked) => void;

const well: Answer = (response, { body: { input } }) => {
  const data = input.map((text, index) => ({ object: "embedding", index, embedding: meaningOf(text) }));
  // Out of order, as the index allows.
  response.setHeader("content-type", "application/json").end(JSON.stringify({ data: data.toReversed() }));
};
const signal = new AbortController().signal;

describe("createOpenAiEmbedder()", () => {
  let server: Server;
  let url = "";
  let answer: Answer = well;
  let asked: Asked[] = [];

  beforeEach(async () => {
    answer = well;
    asked = [];
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const one: Asked = { headers: request.headers, body: JSON.parse(Buffer.concat(parts).toString()) };
        asked.push(one);
        answer(response, one);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/embeddings`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const embedder = (options: Partial<OpenAiEmbedderOptions> = {}) =>
    createOpenAiEmbedder({ url, model: "small", ...options });
  const fails = async (texts: readonly string[], options: Partial<OpenAiEmbedderOptions> = {}): Promise<unknown> =>
    Promise.resolve(embedder(options).embed(texts, { purpose: "tool", signal })).then(
      () => "no failure",
      (error: unknown) => error,
    );

  it("ranks by an endpoint", async () => {
    const ranker = createEmbeddingRanker({ embedder: embedder({ apiKey: async () => "sk-1234" }) });
    const provider = fakeProvider("mcp");
    provider.offer([...github, ...slack]);
    const toolbox = createToolbox({ providers: [provider], embeddingRanker: ranker });
    await ranker.whenIdle();
    expect(namesIn(await toolbox.view().searchTools({ query: "wibble" }))[0]).toBe("mcp_slack_post_message");
    expect(asked.map(({ body }) => body.input.length)).toEqual([5, 1]);
    expect(asked[0]?.body).toMatchObject({ model: "small" });
    expect(asked[0]?.headers.authorization).toBe("Bearer sk-1234");
    ranker.close();
  });

  it("sends the headers that it was given", async () => {
    await embedder({ headers: { "x-team": "a" } }).embed(["a"], { purpose: "tool", signal });
    expect(asked[0]?.headers["x-team"]).toBe("a");
  });

  it.each<readonly [string, Answer, object]>([
    [
      "429",
      (response) => response.writeHead(429, { "retry-after": "3" }).end("sk-1234"),
      { details: { httpStatus: 429, retryAfterMs: 3000 } },
    ],
    ["500", (response) => response.writeHead(500).end("sk-1234"), { code: "http_error", details: { httpStatus: 500 } }],
    [
      "a redirect",
      (response) => response.writeHead(307, { location: "/elsewhere" }).end(),
      { code: "redirect_refused" },
    ],
    ["no JSON", (response) => response.end("sk-1234 {"), { code: "invalid_output" }],
    ["too few", (response) => response.end(JSON.stringify({ data: [] })), { code: "invalid_output" }],
    [
      "two of one index",
      (response) =>
        response.end(
          JSON.stringify({
            data: [
              { index: 0, embedding: [1] },
              { index: 0, embedding: [1] },
            ],
          }),
        ),
      { code: "invalid_output" },
    ],
    [
      "an index beyond",
      (response) =>
        response.end(
          JSON.stringify({
            data: [
              { index: 0, embedding: [1] },
              { index: 9, embedding: [1] },
            ],
          }),
        ),
      { code: "invalid_output" },
    ],
    [
      "no base64",
      (response) => response.end(JSON.stringify({ data: [{ embedding: "*" }, { embedding: "*" }] })),
      { code: "invalid_output" },
    ],
    [
      "half an answer",
      (response) => response.writeHead(200, { "content-length": "900" }).write("{", () => response.destroy()),
      { code: "invalid_output" },
    ],
    ["nothing", (response) => response.destroy(), { code: "unreachable" }],
  ])("rejects what answers %s, and quotes neither the key nor what was said", async (_, hostile, expected) => {
    answer = hostile;
    const error = await fails(["private", "b"], { apiKey: () => "sk-1234" });
    expect(error).toMatchObject(expected);
    expect(JSON.stringify(error) + String(error)).not.toMatch(/sk-1234|private/);
    expect((error as Error).cause).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  it("gives up with its signal, before an answer and in the middle of one", async () => {
    for (const begin of [() => {}, (response: ServerResponse) => void response.writeHead(200).write("{")]) {
      asked = [];
      answer = begin;
      const controller = new AbortController();
      const work = Promise.resolve(embedder().embed(["a"], { purpose: "query", signal: controller.signal }));
      const outcome = work.catch((error: unknown) => String(error));
      await expect.poll(() => asked.length).toBe(1);
      controller.abort(new Error("enough"));
      expect(await outcome).toBe("Error: enough");
    }
  });

  it("says in no error what a key is that cannot be sent", async () => {
    expect(String(await fails(["a"], { apiKey: () => "sk\n1234" }))).toBe("TypeError: apiKey() gave no usable key");
    expect(asked).toEqual([]);
  });

  it("throws a TypeError for a key that would travel unencrypted, and for options that are wrong", () => {
    const model = "small";
    const far = "http://models.test/v1/embeddings";
    expect(() => createOpenAiEmbedder({ url: far, model, apiKey: () => "k" })).toThrow("https:");
    expect(() => createOpenAiEmbedder({ url: far, model, headers: { "api-key": "k" } })).toThrow("https:");
    expect(() => createOpenAiEmbedder({ url: far, model })).not.toThrow();
    expect(() => createOpenAiEmbedder({ url: "https://a:b@models.test", model })).toThrow("no credentials");
    expect(() => createOpenAiEmbedder({ url: "file:///a", model })).toThrow("url must be");
    expect(() => createOpenAiEmbedder({ url: far, model: "" })).toThrow("model must be");
    // @ts-expect-error A letter of its name is wrong.
    expect(() => createOpenAiEmbedder({ url: far, model, apikey: () => "k" })).toThrow("no option");
  });
});
