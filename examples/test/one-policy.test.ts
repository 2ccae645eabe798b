import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRequire } from "node:module";
import { isHostsideError } from "@hostside/core";
import { createToolbox } from "@hostside/discovery";
import { createPolicy, type ApprovalQuestion } from "@hostside/policy";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const program = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-filesystem/dist/index.js");
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hostside-policy-"));
  await writeFile(join(folder, "notes.txt"), "db password=hunter2-hunter2");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a policy around a real server", () => {
  it("lets an agent read, asks before it writes, hides what moves files, and masks what it reads", async () => {
    const asked: ApprovalQuestion[] = [];
    const refused: string[] = [];
    const policy = createPolicy({
      allow: ["fs/read_*", "fs/list_*"],
      requireApproval: ["fs/write_*"],
      deny: ["*/move_*"],
      defaultDecision: "deny",
      approval: {
        handler: async (question) => (asked.push(question), question.args["content"] === "fine" ? "once" : "no"),
      },
      validation: {},
      limits: [{ tools: "fs/list_*", rate: { calls: 1, perMs: 600_000 } }],
      redact: {},
      onEvent: (event) => void (event.type === "refused" && refused.push(`${event.stage} ${event.code}`)),
    });
    const { admit, interceptors } = policy;
    await using provider = createProvider({
      connector: createConnector(),
      servers: [{ id: "fs", type: "stdio", command: process.execPath, args: [program, folder] }],
      admit,
    });
    const toolbox = createToolbox({ providers: [provider], admit, interceptors });
    await toolbox.init();
    const path = join(folder, "notes.txt");
    const names = toolbox.tools().map(({ name }) => name);
    expect(names).toContain("mcp_fs_write_file");
    expect(names).not.toContain("mcp_fs_move_file");
    expect(policy.explain("mcp_fs_move_file")).toContain('denied by deny[0] ("*/move_*")');

    const read = await toolbox.call("mcp_fs_read_text_file", { path });
    expect(JSON.stringify(read)).not.toContain("hunter2");
    const code = async (name: string, args: object): Promise<unknown> => {
      try {
        return (await toolbox.call(name, args)).isError;
      } catch (error) {
        return isHostsideError(error) && error.code;
      }
    };
    expect(await code("mcp_fs_read_text_file", { pth: path })).toBe("invalid_arguments");
    expect(await code("mcp_fs_write_file", { path, content: "worse" })).toBe("approval_denied");
    expect(await readFile(path, "utf8")).toContain("hunter2");
    expect(await code("mcp_fs_write_file", { path, content: "fine" })).toBe(false);
    expect(await readFile(path, "utf8")).toBe("fine");
    expect(await code("mcp_fs_list_directory", { path: folder })).toBe(false);
    expect(await code("mcp_fs_list_directory", { path: folder })).toBe("rate_limited");
    expect(asked.map(({ tool, hint }) => [tool.toolName, hint])).toEqual([
      ["write_file", "Approve execution of tool `write_file`?"],
      ["write_file", "Approve execution of tool `write_file`?"],
    ]);
    expect(refused).toEqual(["input invalid_arguments", "approval approval_denied", "limits rate_limited"]);
    toolbox.close();
  });
});
