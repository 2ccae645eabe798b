import { Client } from "@modelcontextprotocol/client";
import type { ElicitationRequest, ElicitationResult, JsonObject } from "@hostside/core";
import { createHost, type Host } from "hostside";
import { createHostGateway } from "hostside/gateway";
import { createChatTools } from "hostside/openai";
import { describe, expect, it } from "vitest";
import { createUserTransport } from "../../../gateway/test/user-transport.ts";
import { createListedServer, entryOf } from "../../../policy/test/listed-server.ts";

const tool = "mcp_bank_pay";
const page = "https://bank.example/consent?state=0123456789abcdef&scope=pay%20all";

function refusal(...urls: readonly unknown[]): JsonObject {
  const elicitations = urls.map((url, index) => ({
    mode: "url",
    url,
    message: "Please agree.",
    elicitationId: `e${index}`,
  }));
  return { code: -32_042, message: "This request requires more information.", data: { elicitations } } as JsonObject;
}

type Ask = (request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationResult>;

async function open(errors: readonly JsonObject[], onElicit?: Ask) {
  const server = createListedServer(entryOf("pay"));
  server.errors.push(...errors);
  const host = await createHost({ servers: { bank: { ...server.transport, required: true } }, onElicit });
  return { host, server };
}

/** What a model reads of a call. */
async function readBy(host: Host): Promise<string> {
  const call = { id: "c", type: "function", function: { name: tool, arguments: "{}" } } as const;
  return JSON.stringify(await createChatTools(await host.conversation()).answer({ tool_calls: [call] }));
}

describe("a call that a server refuses until its user has opened a page", () => {
  it("is sent once more after the user has agreed, who is shown the whole address", async () => {
    const asked: ElicitationRequest[] = [];
    const { host, server } = await open([refusal(page, "http://127.0.0.1:8080/consent")], async (request) => {
      asked.push(request);
      return { action: "accept" };
    });
    await expect(host.call(tool)).resolves.toMatchObject({ isError: false });
    expect(server.calls).toHaveLength(2);
    expect(asked.map(({ serverId, mode, params }) => [serverId, mode, params["url"], params["elicitationId"]])).toEqual(
      [
        ["bank", "url", page, "e0"],
        ["bank", "url", "http://127.0.0.1:8080/consent", "e1"],
      ],
    );
    await host.close();
  });

  it("is sent no third time", async () => {
    const { host, server } = await open([refusal(page), refusal(page), refusal(page)], async () => ({
      action: "accept",
    }));
    await expect(host.call(tool)).rejects.toMatchObject({ code: "input_required" });
    expect(server.calls).toHaveLength(2);
    await host.close();
  });

  it.each(["decline", "cancel"] as const)("is not sent again after a %s", async (action) => {
    const { host, server } = await open([refusal(page)], async () => ({ action }));
    await expect(host.call(tool)).rejects.toMatchObject({ code: "input_required", outcome: "failed" });
    expect(server.calls).toHaveLength(1);
    await host.close();
  });

  it("has the address in the text for the model's user where nobody can be asked", async () => {
    const { host } = await open([refusal(page)]);
    const text = await readBy(host);
    expect(text).toContain(`the user has to open a page before it is tried again: ${page}`);
    expect(text).toContain("before the user has done that");
    await host.close();
  });

  it.each([
    "javascript:alert(1)",
    "file:///etc/passwd",
    "http://bank.example/",
    "https://bank.example@evil.example/",
    "data:text/html,x",
    "not a url",
    7,
  ])("names and opens no other page: %j", async (url) => {
    const asked: unknown[] = [];
    const { host, server } = await open([refusal(url)], async (request) => (asked.push(request), { action: "accept" }));
    const error = await host.call(tool).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "input_required", details: { rpcData: { elicitations: [] } } });
    expect([asked, server.calls.length]).toEqual([[], 1]);
    expect(String(error)).not.toContain(String(url));
    await host.close();
  });

  it("shows the name of a host as what it is", async () => {
    const { host } = await open([refusal("https://b\u0430nk.example/")]);
    expect(await readBy(host)).toContain("https://xn--bnk-6cd.example/");
    await host.close();
  });

  it.each([
    ["with", { elicitation: { url: {} } }, "done"],
    ["without", {}, page],
  ])("is asked about through the gateway of a client %s pages, or told", async (_, capabilities, expected) => {
    const { host } = await open([refusal(page)], async (request, signal) => gateway.elicit(request, signal));
    await using gateway = createHostGateway(host, { name: "product", version: "1", expose: "all" });
    const client = new Client({ name: "c", version: "1" }, { capabilities });
    const asked: unknown[] = [];
    if ("elicitation" in capabilities) {
      client.setRequestHandler("elicitation/create", async ({ params }) => {
        asked.push(params);
        return { action: "accept" };
      });
    }
    await client.connect(createUserTransport(gateway, "ada"));
    const { content } = await client.callTool({ name: tool, arguments: {} });
    expect(JSON.stringify(content)).toContain(expected);
    expect(asked).toMatchObject("elicitation" in capabilities ? [{ mode: "url", url: page, elicitationId: "e0" }] : []);
    await client.close();
    await host.close();
  });
});
