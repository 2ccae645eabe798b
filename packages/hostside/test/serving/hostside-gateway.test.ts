import { Client } from "@modelcontextprotocol/client";
import type { Gateway } from "@hostside/gateway";
import { expect, it } from "vitest";
import { createHost } from "hostside";
import { approveByClient, createHostGateway, narrowResources } from "hostside/gateway";
import { createUserTransport } from "../../../gateway/test/user-transport.ts";
import { createFakeConnector } from "../facade/fake-connector.ts";
import { createTemporaryFolder } from "../facade/temporary-folder.ts";
import { smallServer } from "./small-server.ts";

interface User {
  readonly client: Client;
  readonly asked: readonly string[];
}

async function connect(gateway: Gateway, who: string, answer: string): Promise<User> {
  const client = new Client({ name: who, version: "1" }, { capabilities: { elicitation: {} } });
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    asked.push(params.message);
    return { action: "accept", content: { which: who, answer } };
  });
  await client.connect(createUserTransport(gateway, who));
  return { client, asked };
}

/** What a call that never ends reports, until it does so once. */
async function progressOf(client: Client, text: string): Promise<readonly string[]> {
  const heard: string[] = [];
  const controller = new AbortController();
  const onprogress = ({ message = "" }: { readonly message?: string | undefined }): void => {
    heard.push(message);
    controller.abort(new Error("enough"));
  };
  const calling = client.callTool(
    { name: "mcp_one_slow", arguments: { text } },
    { onprogress, signal: controller.signal },
  );
  await calling.catch(() => undefined);
  return heard;
}

it("serves a host to two users, whose questions, approvals and progress do not mix", async () => {
  const folder = createTemporaryFolder();
  const file = folder.write("small.mjs", smallServer);
  let gateway: Gateway | undefined;
  const ask: NonNullable<Parameters<typeof createHost>[0]>["onElicit"] = async (request, signal) => {
    if (gateway === undefined) throw new Error("no client yet");
    return gateway.elicit(request, signal);
  };
  await using host = await createHost({
    servers: {
      one: {
        sharing: "principal",
        tools: { set_a: { requireApproval: true } },
        type: "stdio",
        command: process.execPath,
        args: [file, "ask", "set_a", "slow"],
      },
    },
    pool: {},
    policy: { approval: { handler: approveByClient(ask) } },
    onElicit: ask,
  });
  await using served = createHostGateway(host, { name: "product", version: "1", expose: "all" });
  gateway = served;
  const [ada, bob] = [await connect(served, "ada", "conversation"), await connect(served, "bob", "no")];
  const call = async ({ client }: User, name: string) => {
    const { content } = await client.callTool({ name: `mcp_one_${name}` });
    return (content as { text: string }[])[0]?.text;
  };
  expect(await Promise.all([call(ada, "ask"), call(bob, "ask")])).toEqual([
    "answered accept ada",
    "answered accept bob",
  ]);
  expect(await call(ada, "set_a")).toBe("set_a  ");
  expect(await call(ada, "set_a")).toBe("set_a  ");
  expect(await call(bob, "set_a")).toContain("approval_denied");
  expect([ada.asked.length, bob.asked.length]).toEqual([2, 2]);
  expect(ada.asked[1]).toMatch(/^A call waits for you: /);
  const heard = await Promise.all([ada, bob].map(({ client }, index) => progressOf(client, `of ${index}`)));
  expect(heard).toEqual([["of 0"], ["of 1"]]);
  await ada.client.close();
  await bob.client.close();
});

it("narrows resources and prompts to some servers", async () => {
  const connector = createFakeConnector({ a: { resources: true }, b: { resources: true } });
  const x = { type: "stdio", command: "x" } as const;
  await using host = await createHost({
    connector,
    servers: { a: x, b: x },
  });
  const narrowed = narrowResources(host.resources, (id) => id === "a");
  await expect(narrowed.read({ serverId: "b", uri: "file:///b" })).rejects.toMatchObject({ code: "unknown_server" });
  await narrowed.read({ serverId: "a", uri: "file:///a" });
  expect(connector.sent).toMatchObject([{ serverId: "a" }]);
  const { resources } = await narrowed.list();
  expect(resources.map(({ serverId }) => serverId)).not.toContain("b");
  expect(narrowed.snapshot().revision).toBe(host.resources.snapshot().revision);
});

it("serves a tool that calls reading tools alone, and one that calls any, each with its annotations", async () => {
  const connector = createFakeConnector({ files: { tools: ["read", "guess", "write"] } });
  await using host = await createHost({
    connector,
    servers: { files: { command: "x", tools: { read: { effect: "pure" } } } },
    policy: { effects: [{ tools: "files/guess", effect: "pure" }] },
  });
  await using served = createHostGateway(host, { name: "product", version: "1", expose: "search" });
  const { client } = await connect(served, "ada", "");
  const { tools } = await client.listTools();
  expect(tools.slice(3).map(({ name, annotations }) => [name, annotations])).toEqual([
    ["tools_read", { readOnlyHint: true, openWorldHint: true }],
    ["tools_call", { readOnlyHint: false, destructiveHint: true, openWorldHint: true }],
  ]);
  for (const { inputSchema } of tools.slice(3)) expect(inputSchema).toMatchObject({ required: ["name"] });
  const call = async (caller: string, name: unknown) => {
    const { content, isError = false } = await client.callTool({ name: caller, arguments: { name } });
    return [isError, (content as { text: string }[])[0]?.text];
  };
  expect(await call("tools_read", "mcp_files_read")).toEqual([false, "files did read"]);
  expect(await call("tools_read", " MCP_files_guess ")).toEqual([false, "files did guess"]);
  expect(await call("tools_read", "mcp_files_write")).toEqual([
    true,
    '"mcp_files_write" is not known to change nothing, and was not called: call it with tools_call',
  ]);
  expect(await call("tools_call", "mcp_files_write")).toEqual([false, "files did write"]);
  expect(await call("tools_call", "mcp_files_read")).toEqual([false, "files did read"]);
  expect(connector.sent.map(({ method }) => method)).toEqual(["read", "guess", "write", "read"]);
  expect(await call("tools_read", "mcp_files_wriet")).toEqual([true, expect.stringContaining("there is no tool")]);
  expect(await call("tools_read", "tools_call")).toEqual([
    true,
    expect.stringContaining("tools_read does not call tools_call"),
  ]);
  expect(await call("tools_read", 5)).toEqual([true, expect.stringContaining("`name` must be the exact name")]);
});
