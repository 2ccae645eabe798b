import {
  FinishReason,
  GoogleGenAI,
  type Content,
  type FunctionCall,
  type GenerateContentResponse,
} from "@google/genai";
import { HostsideError } from "@hostside/core";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { createGoogleTools, type GoogleTools } from "../src/google.ts";
import type { ToolSource } from "../src/declare/tool-source.ts";
import { createFakeApi, sse, type FakeApi } from "./fake-api.ts";
import { definitionOf, png, results, resultSource, withFiles } from "./outcomes.ts";

function reply(...parts: readonly object[]): object {
  return { candidates: [{ content: { role: "model", parts }, finishReason: FinishReason.STOP }] };
}

function call(name: string, more: object = {}): object {
  return { functionCall: { name, args: {}, id: `id_${name}`, ...more }, thoughtSignature: "c2ln" };
}

const done = reply({ text: "done" });

function connect(api: FakeApi): GoogleGenAI {
  vi.stubGlobal("fetch", api.fetch);
  return new GoogleGenAI({ apiKey: "none" });
}

/** The loop of a product. */
async function run(api: FakeApi, mcp: GoogleTools): Promise<GenerateContentResponse> {
  const client = connect(api);
  const contents: Content[] = [{ role: "user", parts: [{ text: "go" }] }];
  for (;;) {
    const response = await client.models.generateContent({ model: "m", contents, config: { tools: mcp.tools() } });
    const content = response.candidates?.[0]?.content;
    const answer = await mcp.answer(response);
    if (answer === undefined || content === undefined) return response;
    contents.push(content, answer);
  }
}

interface Sent {
  readonly contents: readonly Content[];
  readonly tools?: readonly { readonly functionDeclarations: readonly object[] }[];
}

const sent = ({ bodies }: FakeApi, at: number): Sent => bodies[at] as unknown as Sent;
const answered = (api: FakeApi): NonNullable<Content["parts"]> => sent(api, 1).contents[2]?.parts ?? [];
const inline = (mimeType: string, data: string): object => ({ inlineData: { mimeType, data } });
const picture = inline("image/png", png);
const declared = (api: FakeApi, at = 0): readonly object[] => sent(api, at).tools?.[0]?.functionDeclarations ?? [];

describe("Gemini", () => {
  beforeEach(() => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
  });

  it("is sent each kind of result as a function response with its media inside", async () => {
    const names = Object.keys(results);
    const api = createFakeApi(reply(...names.map((name) => call(name))), done);
    await run(api, createGoogleTools(resultSource(), { presenter: withFiles }));
    const parts = answered(api);
    expect(parts).toHaveLength(names.length);
    const response = (name: keyof typeof results): unknown => parts[names.indexOf(name)]?.functionResponse;
    const shape = (name: string, said: object, media?: readonly object[]): object => ({
      id: `id_${name}`,
      name,
      response: said,
      ...(media !== undefined && { parts: media }),
    });
    const boom = { message: "boom", structured: { code: 7 } };
    expect(response("error")).toEqual(shape("error", { error: boom }, [picture]));
    expect(response("success")).toEqual(
      shape("success", { output: { text: "boom", structured: { code: 7 } } }, [picture]),
    );
    expect(response("structuredOnly")).toEqual(shape("structuredOnly", { output: { code: 7 } }));
    expect(response("structuredTwice")).toEqual(shape("structuredTwice", { error: { message: '{"code": 7}' } }));
    expect(response("imageOnly")).toEqual(shape("imageOnly", { output: "" }, [picture]));
    expect(response("imageError")).toEqual(shape("imageError", { error: { message: "the tool failed" } }, [picture]));
    expect(response("audio")).toEqual(shape("audio", { output: expect.stringMatching(/audio\/wav.*not shown/) }));
    expect(response("link")).toEqual(shape("link", { output: expect.stringContaining("file:///a.txt") }));
    expect(response("pdf")).toMatchObject({ parts: [inline("application/pdf", "JVBERi0=")] });
    expect(response("unknownKind")).toEqual(shape("unknownKind", { output: expect.stringContaining("hologram") }));
    expect(response("nothing")).toEqual(shape("nothing", { output: expect.stringMatching(/\S/) }));
  });

  it("is sent media behind all responses where the model takes none inside", async () => {
    const api = createFakeApi(reply(call("error", { id: undefined }), call("audio"), call("link")), done);
    await run(api, createGoogleTools(resultSource(), { media: "beside" }));
    expect(answered(api)).toEqual([
      {
        functionResponse: { name: "error", response: { error: { message: "boom", structured: { code: 7 } } } },
      },
      { functionResponse: { id: "id_audio", name: "audio", response: { output: "" } } },
      { functionResponse: expect.objectContaining({ id: "id_link" }) },
      picture,
      inline("audio/wav", "UklGRg=="),
    ]);
  });

  it("is sent its own content back with the signatures of its thoughts", async () => {
    const api = createFakeApi(reply(call("structuredOnly")), done);
    await run(api, createGoogleTools(resultSource()));
    expect(sent(api, 1).contents[1]?.parts?.[0]?.thoughtSignature).toBe("c2ln");
  });

  it("is sent each tool with its schema", async () => {
    const inputSchema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    const source = { ...resultSource(), tools: () => [definitionOf("b", { inputSchema })] };
    const api = createFakeApi(done);
    await run(api, createGoogleTools(source));
    expect(declared(api)).toEqual([{ name: "b", description: "Does b.", parametersJsonSchema: inputSchema }]);
    expect(createGoogleTools({ ...source, tools: () => [] }).tools()).toEqual([]);
  });

  it("answers what went wrong with a call, and every other call as well", async () => {
    const source = resultSource();
    const failing: ToolSource = {
      ...source,
      async call(name, args) {
        if (name !== "audio") return await source.call(name, args);
        throw new HostsideError("the server is gone", { code: "connection_closed", serverId: "s" });
      },
    };
    const api = createFakeApi(reply(call("audio"), call("never_declared"), call("structuredOnly")), done);
    await run(api, createGoogleTools(failing));
    const error = (message: string): object => ({ error: { message: expect.stringContaining(message) } });
    expect(answered(api).map(({ functionResponse }) => functionResponse)).toEqual([
      { id: "id_audio", name: "audio", response: error("the server is gone") },
      { id: "id_never_declared", name: "never_declared", response: error("never_declared") },
      { id: "id_structuredOnly", name: "structuredOnly", response: { output: { code: 7 } } },
    ]);
  });

  it("takes the calls of a stream", async () => {
    const source = resultSource();
    const mcp = createGoogleTools(source);
    const api = createFakeApi(sse(reply(call("link")), reply(call("structuredOnly"))));
    const config = { tools: mcp.tools() };
    const stream = await connect(api).models.generateContentStream({ model: "m", contents: "go", config });
    const functionCalls: FunctionCall[] = [];
    for await (const chunk of stream) functionCalls.push(...(chunk.functionCalls ?? []));
    const answer = await mcp.answer({ functionCalls });
    expect(answer?.parts.map(({ functionResponse }) => functionResponse?.name)).toEqual(["link", "structuredOnly"]);
  });

  it("does not run a call whose arguments came in pieces", async () => {
    const source = resultSource();
    const mcp = createGoogleTools(source);
    const partialArgs = [{ jsonPath: "$.a", stringValue: "b" }];
    const answer = await mcp.answer({
      functionCalls: [
        { name: "link", willContinue: true },
        { name: "link", partialArgs },
      ],
    });
    const error = { message: expect.stringContaining("in pieces") };
    expect(answer?.parts).toMatchObject([
      { functionResponse: { response: { error } } },
      { functionResponse: { response: { error } } },
    ]);
    expect(source.calls).toEqual([]);
  });

  it("calls functions by itself with a callable tool", async () => {
    const source = resultSource();
    const mcp = createGoogleTools(source, { ownFunctions: ["mine"] });
    const api = createFakeApi(reply(call("structuredOnly"), call("mine")), done);
    const config = { tools: [mcp.callable()] };
    const response = await connect(api).models.generateContent({ model: "m", contents: "go", config });
    expect(response.text).toBe("done");
    expect(declared(api)).toHaveLength(Object.keys(results).length);
    expect(answered(api)).toEqual([
      { functionResponse: { id: "id_structuredOnly", name: "structuredOnly", response: { output: { code: 7 } } } },
    ]);
  });

  it("rejects with aborted when nobody waits for the answer any more", async () => {
    const controller = new AbortController();
    const source: ToolSource = {
      ...resultSource(),
      async call() {
        controller.abort();
        throw new HostsideError("aborted", { code: "aborted" });
      },
    };
    const mcp = createGoogleTools(source);
    const { signal } = controller;
    const aborted = { code: "aborted" };
    const calls = [{ name: "link" }];
    await expect(mcp.answer({ functionCalls: calls }, { signal })).rejects.toMatchObject(aborted);
    await expect(mcp.callable({ signal }).callTool(calls)).rejects.toMatchObject(aborted);
  });

  it("refuses options that it cannot use", async () => {
    const typo = { dialekt: "parameters" };
    const wrong = { abort: 1 };
    const source = resultSource();
    expect(() => createGoogleTools(source, { maxTools: 9, ...typo })).toThrow(/dialekt/);
    expect(() => createGoogleTools(source, { media: "none" as "beside" })).toThrow(/media must be/);
    expect(() => createGoogleTools(source).callable({ signal: undefined, ...wrong })).toThrow(/abort/);
  });
});
