import { HostsideError, type CallOptions } from "@hostside/core";
import OpenAI from "openai";
import { toResponseInputItems } from "openai/lib/responses/ResponseInputItems";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import { createResponsesTools, type ResponsesTools } from "../src/openai.ts";
import { createFakeApi, sse, type FakeApi } from "./fake-api.ts";
import { definitionOf, outcomeOf, png, results, resultSource, withFiles } from "./outcomes.ts";

function call(name: string, args = "{}", more: object = {}): object {
  return {
    type: "function_call",
    id: `fc_${name}`,
    call_id: `call_${name}`,
    name,
    arguments: args,
    status: "completed",
    ...more,
  };
}

function response(...output: readonly object[]): object {
  return { id: "resp", object: "response", status: "completed", model: "m", output };
}

const done = response({
  type: "message",
  id: "msg",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "done", annotations: [] }],
});

/** The loop of a product. */
async function run(api: FakeApi, mcp: ResponsesTools): Promise<string> {
  const client = new OpenAI({ apiKey: "none", fetch: api.fetch, maxRetries: 0 });
  const input: ResponseInputItem[] = [{ role: "user", content: "go" }];
  for (;;) {
    const answer = await client.responses.create({ model: "m", input, tools: mcp.tools() });
    input.push(...toResponseInputItems(answer.output));
    const outputs = await mcp.answer(answer);
    if (outputs.length === 0) return answer.output_text;
    input.push(...outputs);
  }
}

const outputsIn = ({ bodies }: FakeApi): unknown[] => {
  const input = bodies[1]?.["input"];
  return Array.isArray(input) ? input.filter((item) => item.type === "function_call_output") : [];
};

describe("the Responses API", () => {
  it("is sent each kind of result in the parts that it takes", async () => {
    const names = Object.keys(results);
    const api = createFakeApi(response(...names.map((name) => call(name))), done);
    expect(await run(api, createResponsesTools(resultSource(), { presenter: withFiles }))).toBe("done");
    const sent = new Map(outputsIn(api).map((item, at) => [names[at], item]));
    const output = (name: keyof typeof results): unknown => {
      const item = sent.get(name);
      expect(item).toMatchObject({ type: "function_call_output", call_id: `call_${name}` });
      return item instanceof Object && "output" in item ? item.output : undefined;
    };
    const picture = { type: "input_image", image_url: `data:image/png;base64,${png}` };
    const structured = { type: "input_text", text: '{"code":7}' };
    expect(output("error")).toEqual([{ type: "input_text", text: "[tool error] boom" }, structured, picture]);
    expect(output("success")).toEqual([{ type: "input_text", text: "boom" }, structured, picture]);
    expect(output("structuredOnly")).toBe('{"code":7}');
    expect(output("structuredTwice")).toBe('[tool error] {"code": 7}');
    expect(output("imageOnly")).toEqual([picture]);
    expect(output("imageError")).toEqual([{ type: "input_text", text: "[tool error]" }, picture]);
    expect(output("audio")).toMatch(/audio.*not shown/);
    expect(output("link")).toContain("file:///a.txt");
    expect(output("pdf")).toEqual([
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
    ]);
    expect(output("unknownKind")).toContain("hologram");
    expect(output("nothing")).toMatch(/./);
  });

  it("hears of each tool with its schema, without strict mode, which the API would try where nothing is said", async () => {
    const inputSchema = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "number" } },
      required: ["a"],
    };
    const source = { ...resultSource(), tools: () => [definitionOf("t", { inputSchema })] };
    const api = createFakeApi(done);
    await run(api, createResponsesTools(source));
    expect(api.bodies[0]?.["tools"]).toEqual([
      { type: "function", name: "t", description: "Does t.", parameters: inputSchema, strict: false },
    ]);
  });

  it("gets no more tools than a request may have, the product's own functions counted", () => {
    const definitions = Array.from({ length: 200 }, (_, at) => definitionOf(`t${at}`));
    const source = { ...resultSource(), tools: () => definitions };
    const mcp = createResponsesTools(source, { ownFunctions: ["x", "y"] });
    expect(mcp.tools().map(({ name }) => name)).toEqual(definitions.slice(0, 126).map(({ name }) => name));
    expect(mcp.leftOut()).toHaveLength(74);
    const reason = "one request takes at most 128 tools, the product's own included";
    expect(mcp.leftOut()).toContainEqual({ definition: definitions[126], reason });
    expect(createResponsesTools(source, { maxTools: 200 }).tools()).toHaveLength(200);
  });

  it("declares with the next request what a call has found", async () => {
    const offered = [definitionOf("find")];
    const source = {
      tools: () => [...offered],
      async call() {
        offered.push(definitionOf("found"));
        return outcomeOf(results.nothing);
      },
    };
    const api = createFakeApi(response(call("find")), done);
    await run(api, createResponsesTools(source));
    const namesOf = (body: number): unknown => JSON.stringify(api.bodies[body]?.["tools"]);
    expect(namesOf(0)).not.toContain('"found"');
    expect(namesOf(1)).toMatch(/"find".*"found"/);
  });

  it("answers what went wrong with a call, and every other call as well", async () => {
    const source = resultSource();
    const failing = {
      ...source,
      async call(name: string, args?: unknown) {
        if (name !== "audio") return await source.call(name, args);
        throw new HostsideError("the server is gone", { code: "connection_closed", serverId: "s" });
      },
    };
    const cut = call("link", '{"a":', { status: "incomplete" });
    const api = createFakeApi(
      response(call("audio"), call("pdf", "{no json"), call("never_declared"), cut, call("structuredOnly")),
      done,
    );
    await run(api, createResponsesTools(failing));
    const outputs = outputsIn(api).map((item) => JSON.stringify(item));
    expect(outputs).toHaveLength(5);
    expect(outputs[0]).toMatch(/\[tool error\].*the server is gone/);
    expect(outputs[1]).toMatch(/\[tool error\].*not valid JSON/);
    expect(outputs[2]).toMatch(/\[tool error\].*never_declared/);
    expect(outputs[3]).toMatch(/\[tool error\].*did not run/);
    expect(outputs[4]).toContain('{\\"code\\":7}');
    expect(source.calls.map(({ name }) => name)).toEqual(["structuredOnly"]);
  });

  it("holds a call to the definition that the model was shown", async () => {
    let current = definitionOf("t");
    const selected: unknown[] = [];
    const source = {
      tools: () => [current],
      async call(_name: string, _args?: unknown, options: CallOptions = {}) {
        selected.push(options.selected);
        return outcomeOf(results.nothing);
      },
    };
    const mcp = createResponsesTools(source);
    mcp.tools();
    const shown = current;
    current = definitionOf("t", { description: "Something else." });
    mcp.leftOut();
    await mcp.answer({ output: [{ type: "function_call", call_id: "c", name: "t", arguments: "{}" }] });
    mcp.tools();
    await mcp.answer({ output: [{ type: "function_call", call_id: "c", name: "t", arguments: "{}" }] });
    expect(selected[0]).toBe(shown);
    expect(selected[1]).toBe(current);
  });

  it("leaves the product's own functions to the product, and declares no tool by their names", async () => {
    const source = resultSource();
    const mcp = createResponsesTools(source, { ownFunctions: ["link"] });
    expect(mcp.tools().map(({ name }) => name)).not.toContain("link");
    expect(mcp.leftOut()).toMatchObject([{ definition: { name: "link" }, reason: expect.stringContaining("product") }]);
    const api = createFakeApi(response(call("link"), call("nothing")), done);
    await run(api, mcp);
    expect(source.calls.map(({ name }) => name)).toEqual(["nothing"]);
  });

  it("answers the calls of a program of the model's to that program", async () => {
    const caller = { type: "program", caller_id: "call_p" };
    const api = createFakeApi(response(call("structuredOnly", "{}", { caller })), done);
    await run(api, createResponsesTools(resultSource()));
    expect(outputsIn(api)).toMatchObject([{ caller }]);
  });

  it("answers the response at the end of a stream", async () => {
    const whole = response(call("structuredOnly"));
    const events = [
      { type: "response.created", response: response() },
      { type: "response.completed", response: whole },
    ];
    const api = createFakeApi(sse(...events));
    const client = new OpenAI({ apiKey: "none", fetch: api.fetch, maxRetries: 0 });
    const mcp = createResponsesTools(resultSource());
    const stream = await client.responses.create({ model: "m", input: "go", stream: true, tools: mcp.tools() });
    const outputs: ResponseInputItem[] = [];
    for await (const event of stream) {
      if (event.type === "response.completed") outputs.push(...(await mcp.answer(event.response)));
    }
    expect(outputs).toEqual([{ type: "function_call_output", call_id: "call_structuredOnly", output: '{"code":7}' }]);
  });

  it("does not run the call at which an incomplete response ended", async () => {
    const source = resultSource();
    const output = ["link", "audio"].map(
      (name) => ({ type: "function_call", call_id: name, name, arguments: "" }) as const,
    );
    const answers = await createResponsesTools(source).answer({ status: "incomplete", output });
    expect(source.calls.map(({ name }) => name)).toEqual(["link"]);
    expect(answers[1]).toMatchObject({ call_id: "audio", output: expect.stringContaining("did not run") });
  });

  it("rejects with aborted when nobody waits for the answers any more", async () => {
    const controller = new AbortController();
    const source = {
      ...resultSource(),
      async call(): Promise<never> {
        controller.abort();
        throw new HostsideError("aborted", { code: "aborted" });
      },
    };
    const mcp = createResponsesTools(source);
    const output = [{ type: "function_call", call_id: "c", name: "link", arguments: "{}" } as const];
    await expect(mcp.answer({ output }, { signal: controller.signal })).rejects.toMatchObject({ code: "aborted" });
    const wrong: object = { sinal: controller.signal };
    await expect(mcp.answer({ output }, wrong)).rejects.toThrow(/sinal/);
  });

  it("refuses options that it does not know", () => {
    const options: object = { strikt: true };
    expect(() => createResponsesTools(resultSource(), options)).toThrow(/strikt/);
  });
});
