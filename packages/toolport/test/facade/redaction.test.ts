import { createToolport } from "toolport";
import { describe, expect, it } from "vitest";
import type { ElicitationRequest } from "@toolport/core";

// Of the look of no well-known key.
const secret = "correct horse battery staple";

/** A server that says what it was started with, in whatever it is asked for. */
const leaky = `
  import { createInterface } from "node:readline";
  const said = "it is " + process.env.SHOP_PASSWORD;
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} };
  const message = { role: "user", content: { type: "text", text: said } };
  const schema = { type: "object", properties: { password: { type: "string", description: said } } };
  const results = {
    "initialize": { protocolVersion: "2025-06-18", capabilities, serverInfo: { name: "leaky", version: "1" } },
    "tools/list": { tools: ["say", "ask"].map((name) => ({ name, inputSchema: { type: "object" } })) },
    "tools/call": { content: [{ type: "text", text: said }] },
    "resources/list": { resources: [{ uri: "mem://one", name: "one" }] },
    "resources/read": { contents: [{ uri: "mem://one", text: said }] },
    "prompts/list": { prompts: [{ name: "one" }] },
    "prompts/get": { description: said, messages: [message] },
    "completion/complete": { completion: { values: [said] } },
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    const fails = params?.uri === "mem://none";
    if (params?.name === "ask") send({ id: "q", method: "elicitation/create", params: { message: said, requestedSchema: schema } });
    if (fails) send({ id, error: { code: -32000, message: said } });
    else if (id === "q") send({ id: "never", result: {} });
    else if (id !== undefined) send({ id, result: results[method] });
  }
`;
const servers = {
  shop: { command: process.execPath, args: ["--input-type=module", "-e", leaky], env: { SHOP_PASSWORD: secret } },
};

describe("a toolport with redact", () => {
  it("masks what its servers were started with, in all that they answer", async () => {
    await using toolport = await createToolport({ servers, policy: { redact: {} } });
    const { resources } = toolport;
    const answers = [
      await toolport.call("mcp_shop_say"),
      await resources.read({ serverId: "shop", uri: "mem://one" }),
      await resources.getPrompt({ serverId: "shop", name: "one" }),
      await resources.complete({ serverId: "shop", name: "one" }, { argument: "a", value: "" }),
      await resources.read({ serverId: "shop", uri: "mem://none" }).catch((error: unknown) => error),
    ];
    for (const answer of answers) {
      expect(JSON.stringify(answer)).toMatch(/\[secret:|\[redacted\]/);
      expect(JSON.stringify(answer)).not.toContain(secret);
    }
  });

  it("masks the texts of questions, and leaves the names of their fields", async () => {
    const asked: ElicitationRequest[] = [];
    await using toolport = await createToolport({
      servers,
      policy: { redact: {} },
      onElicit: async (request) => (asked.push(request), { action: "decline" }),
    });
    await toolport.call("mcp_shop_ask");
    expect(asked.map(({ message }) => message)).toEqual([expect.stringMatching(/^it is \[secret:/)]);
    expect(asked[0]?.params["requestedSchema"]).toEqual({
      type: "object",
      properties: { password: { type: "string", description: expect.stringMatching(/^it is \[secret:/) as string } },
    });
    expect(JSON.stringify(asked)).not.toContain(secret);
  });

  it("masks nothing where nobody wants it", async () => {
    await using toolport = await createToolport({ servers });
    const { content } = await toolport.call("mcp_shop_say");
    expect(JSON.stringify(content)).toContain(secret);
    const { contents } = await toolport.resources.read({ serverId: "shop", uri: "mem://one" });
    expect(JSON.stringify(contents)).toContain(secret);
  });
});
