import { createHost, type HostOptions } from "hostside";
import { estimateTokens } from "@hostside/discovery";
import { describe, expect, it } from "vitest";

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: object;
}

/** A server in this process. */
function serverOf(tools: readonly Tool[], instructions = ""): NonNullable<HostOptions["servers"]>[string] {
  const initialized = {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "s", version: "1" },
    instructions,
  };
  return {
    type: "memory",
    serve(transport: {
      onmessage?: (message: { readonly id?: number; readonly method: string }) => void;
      start(): Promise<void>;
      send(message: object): void;
    }) {
      transport.onmessage = ({ id, method }) => {
        const listed = { tools: tools.map((tool) => ({ inputSchema: { type: "object" }, ...tool })) };
        const result = method === "initialize" ? initialized : method === "tools/list" ? listed : {};
        if (id !== undefined) transport.send({ jsonrpc: "2.0", id, result });
      };
      return transport.start();
    },
  } as never;
}

async function search(
  servers: HostOptions["servers"],
  args: { readonly query: string },
  helper: "tools_search" | "tools_select" = "tools_search",
) {
  await using host = await createHost({ servers });
  await using conversation = await host.conversation({ maxToolTokens: 8000 });
  conversation.tools();
  const outcome = await conversation.call(helper, args);
  return {
    answer: outcome.structuredContent as {
      readonly tools: readonly { readonly name: string; readonly parameters?: object; readonly arguments?: string }[];
      readonly groups: readonly Record<string, unknown>[];
    },
    tokens: estimateTokens(JSON.stringify(outcome.structuredContent)),
  };
}

/** A schema of 9,000 tokens. */
const large = {
  type: "object",
  properties: { query: { type: "string", description: "some words ".repeat(4500) }, limit: { type: "integer" } },
  required: ["query"],
};
const notes = ["find", "add", "change", "remove", "share", "pin", "export", "import", "merge"].map((verb) => ({
  name: `${verb}_note`,
  description: `${verb} a note of the notebook.`,
}));

describe("tools_search of a host", () => {
  it.each(["tools_search", "tools_select"] as const)(
    "bounds its answer beside a tool of any size (%s)",
    async (helper) => {
      const [first, ...rest] = notes.slice(0, 5);
      const tools = [{ ...first, inputSchema: large } as Tool, ...rest, { name: "other", description: "Pads." }];
      // So much that not all tools are declared from the beginning.
      const more = Array.from({ length: 60 }, (_, at) => ({
        ...notes[0],
        name: `x_${at}`,
        description: "y ".repeat(200),
      }));
      const { answer, tokens } = await search(
        { s: serverOf(tools), more: serverOf(more) },
        { query: "find note of the notebook" },
        helper,
      );
      expect(tokens).toBeLessThanOrEqual(helper === "tools_search" ? 1000 : 2000);
      expect(answer.tools[0]).toMatchObject({ name: "mcp_s_find_note", arguments: "query (required), limit" });
      expect(answer.tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(rest.map(({ name }) => `mcp_s_${name}`)),
      );
    },
  );

  it("reveals the group of a tool that it finds: its id, size, names and the first lines of its advice", async () => {
    const advice = [
      "Always find a note before you change it.",
      ..."abcdefgh".split("").map((letter) => letter.repeat(60)),
    ];
    const more = Array.from({ length: 60 }, (_, at) => ({ name: `x_${at}`, description: "y ".repeat(300) }));
    const { answer } = await search(
      { s: serverOf(notes, advice.join("\n")), more: serverOf(more) },
      { query: "+merge note" },
    );
    expect(answer.tools.map(({ name }) => name)).toEqual(["mcp_s_merge_note"]);
    expect(answer.groups).toMatchObject([
      { id: "mcp:s", member_count: 9, instructions: `${advice.slice(0, 5).join("\n")}\n…` },
    ]);
    expect(new Set(answer.groups[0]?.["members"] as string[])).toEqual(
      new Set(notes.slice(0, 8).map(({ name }) => `mcp_s_${name}`)),
    );
  });

  it("ranks a tool marked as deprecated below the one that is to be used instead", async () => {
    const tools = [
      {
        name: "read_file",
        description: "Read the complete contents of a file as text. DEPRECATED: Use read_text_file instead.",
      },
      { name: "read_text_file", description: "Read the complete contents of a file from the file system as text." },
      { name: "list_folder", description: "Lists what a folder has." },
    ];
    const more = Array.from({ length: 60 }, (_, at) => ({ name: `x_${at}`, description: "y ".repeat(300) }));
    const { answer } = await search({ s: serverOf(tools), more: serverOf(more) }, { query: "read a file" });
    expect(answer.tools.map(({ name }) => name).slice(0, 2)).toEqual(["mcp_s_read_text_file", "mcp_s_read_file"]);
  });
});
