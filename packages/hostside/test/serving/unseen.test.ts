import { Client } from "@modelcontextprotocol/client";
import { createHost, type Host } from "hostside";
import { createAiSdkTools } from "hostside/ai-sdk";
import { createAnthropicTools } from "hostside/anthropic";
import { createHostGateway } from "hostside/gateway";
import { createGoogleTools } from "hostside/google";
import { createChatTools } from "hostside/openai";
import { expect, it } from "vitest";
import { createUserTransport } from "../../../gateway/test/user-transport.ts";
import { createTemporaryFolder } from "../facade/temporary-folder.ts";
import { runPiped } from "../terminal/run-piped.ts";
import { createWorkFolder } from "../terminal/work-folder.ts";
import { hidingServer, unseen } from "./hiding-server.ts";

type Ask = NonNullable<NonNullable<Parameters<typeof createHost>[0]>["onElicit"]>;

async function open(onElicit?: Ask, more: NonNullable<Parameters<typeof createHost>[0]> = {}): Promise<Host> {
  const file = createTemporaryFolder().write("hiding.mjs", hidingServer);
  const servers = { hiding: { command: process.execPath, args: [file], required: true } };
  return createHost({ servers, onElicit, ...more });
}

/**
 * What is wrong with something that is shown: words that are missing, so that nothing passes for
 * clean by being empty, and the first character that nobody sees, in its surroundings.
 */
function problemsOf(shown: unknown, ...words: readonly string[]): readonly string[] {
  const text = JSON.stringify(shown);
  const at = text.search(unseen);
  const missing = words.filter((word) => !text.includes(word));
  return at < 0 ? missing : [...missing, text.slice(Math.max(0, at - 40), at + 40)];
}

it("gives a model no unseen character of a server's, in tools, results and errors", async () => {
  const asked: unknown[] = [];
  await using host = await open(async (request) => {
    asked.push(request);
    return { action: "accept", content: { which: "w", pick: "a" } };
  });
  const conversation = await host.conversation();
  const chat = createChatTools(conversation);
  const declared = [
    chat.tools(),
    createAnthropicTools(conversation).tools(),
    createGoogleTools(conversation).tools(),
    createAiSdkTools(conversation).tools,
  ];
  for (const tools of declared) {
    expect(problemsOf(tools, "mcp_hiding_echo", "Does it.", "Field", "choice", "one", "odd")).toEqual([]);
  }
  const answers = ["echo", "bad", "fail", "ask", "nothing"].map(async (tool, index) => {
    const call = {
      id: `c${index}`,
      type: "function",
      function: { name: `mcp_hiding_${tool}`, arguments: "{}" },
    } as const;
    return chat.answer({ tool_calls: [call] });
  });
  expect(problemsOf(await Promise.all(answers), "text", "structured", "failed", "mem://inside", "Describes.")).toEqual(
    [],
  );
  expect(problemsOf(asked, "Which?", "Field", '"enum":["a"]', "A")).toEqual([]);
  const lookups = [
    conversation.call("tools_groups", {}),
    conversation.call("tools_search", { query: "does it" }),
    conversation.call("resources_list", {}),
  ].map(async (outcome) => conversation.presenter.present(await outcome));
  expect(problemsOf(await Promise.all(lookups), "Hiding", "Hides.", "mem://plain")).toEqual([]);
});

it("gives a client of the gateway none", async () => {
  await using host = await open(async (request, signal) => gateway.elicit(request, signal), {});
  await using gateway = createHostGateway(host, { name: "product", version: "1", expose: "all" });
  const heard: unknown[] = [];
  const client = new Client({ name: "c", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    heard.push(params);
    return { action: "accept", content: { which: "w" } };
  });
  client.setNotificationHandler("notifications/message", async (message) => void heard.push(message));
  const transport = createUserTransport(gateway, "ada");
  await client.connect(transport);
  const call = async (name: string) =>
    client
      .callTool({ name: `mcp_hiding_${name}`, arguments: {} }, { onprogress: (progress) => void heard.push(progress) })
      .catch((error: unknown) => String(error));
  expect(problemsOf((await client.listTools()).tools, "mcp_hiding_echo", "Field", "out", "meta")).toEqual([]);
  expect(
    problemsOf(await Promise.all(["echo", "bad", "fail", "ask"].map(call)), "text", "structured", "failed", "accept"),
  ).toEqual([]);
  expect(problemsOf(heard, "Which?", "half")).toEqual([]);
  const { prompts } = await client.listPrompts();
  const name = prompts.map((prompt) => prompt.name).find((one) => one.endsWith("plain")) ?? "";
  expect(
    problemsOf(
      [
        await client.listResources(),
        await client.listResourceTemplates(),
        prompts,
        await client.readResource({ uri: "mem://plain" }),
        await client.getPrompt({ name }),
      ],
      "mem://plain",
      "mem://resource",
      "read",
      "Filled.",
    ),
  ).toEqual([]);
  await client.close();
});

it("prints none", async () => {
  await using work = await createWorkFolder();
  await work.write({
    "hiding.mjs": hidingServer,
    "mcp.json": { mcpServers: { hiding: { command: process.execPath, args: ["hiding.mjs"] } } },
  });
  const run = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await runPiped(work, [...args, "--config", "mcp.json"]);
    return `${stdout}${stderr}`;
  };
  const commands = [
    ["call", "hiding/echo", "--yes"],
    ["call", "hiding/echo", "--yes", "--json"],
    ["call", "hiding/fail", "--yes"],
    ["list"],
    ["list", "--json"],
    ["list", "hiding/echo"],
    ["search", "does it"],
    ["doctor"],
  ];
  // One after another: sixteen processes at once starve each other on a busy machine.
  const printed: string[] = [];
  for (const command of commands) printed.push(await run(...command));
  expect(problemsOf(printed, "text", "structured", "failed", "Does it.", "hiding")).toEqual([]);
});
