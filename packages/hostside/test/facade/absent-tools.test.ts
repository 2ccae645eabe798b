import { createMemoryStore } from "@hostside/core";
import { createHost, type ConversationOptions, type HostOptions } from "hostside";
import { describe, expect, it } from "vitest";
import { askBySdk, changed, goOnBySdk, open, servers, tool, written } from "./asking-host.ts";
import { byName } from "./by-name.ts";
import { createFakeConnector } from "./fake-connector.ts";

describe("an approved call whose tool is not declared after a restart", () => {
  const approved = { requireApproval: ["files/write_*"] };

  /** Asks by a host that ends, and goes on by a host with the same store. */
  async function restart(
    after: Partial<HostOptions>,
    options: ConversationOptions = {},
    meanwhile: () => void = () => {},
  ): Promise<{ readonly results: readonly unknown[]; readonly sent: number }> {
    const connector = createFakeConnector({ files: { tools: ["write_note"] } });
    const shared = { connector, servers: byName(servers), policy: approved, state: { store: createMemoryStore() } };
    const before = await createHost(shared);
    const messages = await askBySdk(await before.conversation({ id: "42" }));
    await before.close();
    await using host = await createHost({ ...shared, ...after });
    const going = goOnBySdk(await host.conversation({ id: "42", ...options }), messages);
    meanwhile();
    return { results: await going, sent: connector.sent.length };
  }

  it("is answered with an error where a rule hides the tool", async () => {
    const { results, sent } = await restart({ policy: { ...approved, deny: ["files/write_note"] } });
    expect(results).toMatchObject([
      { type: "error-json", value: { code: "unknown_tool", message: expect.stringContaining(`"${tool}"`) } },
    ]);
    expect(sent).toBe(0);
  });

  it("runs where the model had found the tool", async () => {
    const { results, sent } = await restart({}, { maxToolTokens: 2000, alwaysHelpers: true });
    expect(results).toEqual([{ type: "text", value: written }]);
    expect(sent).toBe(1);
  });

  it("waits for a server that is still connecting", async () => {
    let connect = (): void => {};
    const ready = new Promise<void>((resolve) => (connect = resolve));
    const slow = createFakeConnector({ files: { tools: ["write_note"], ready } });
    const { results } = await restart({ connector: slow, timeoutMs: 1 }, {}, () => connect());
    expect(results).toEqual([{ type: "text", value: written }]);
    expect(slow.sent).toHaveLength(1);
  });

  it.each(["tools", " "])("is answered with an error where no tool has the name %j", async (toolName) => {
    await using opened = await open();
    const messages = changed(await askBySdk(opened.conversation), { toolName });
    expect(await goOnBySdk(opened.conversation, messages)).toMatchObject([{ value: { code: "unknown_tool" } }]);
  });
});
