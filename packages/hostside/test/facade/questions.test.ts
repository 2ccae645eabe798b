import { createHost } from "hostside";
import { createChatTools } from "hostside/openai";
import { describe, expect, it } from "vitest";
import { askBySdk, denied, goOnBySdk, open, servers, tool } from "./asking-host.ts";
import { byName } from "./by-name.ts";
import { createFakeConnector } from "./fake-connector.ts";

describe("the question of a framework", () => {
  it("has the effect that is shown, by the policy and not by the definition", async () => {
    await using opened = await open({ effects: [{ tools: "files/*", effect: "idempotent-write" }] });
    const call = { id: "1", type: "function", function: { name: tool, arguments: "{}" } } as const;
    const [question] = await createChatTools(opened.conversation).toApprove({ tool_calls: [call] });
    expect(question?.shown.join("\n")).toContain("idempotent-write");
    expect(question?.definition.effect).toBe("idempotent-write");
  });

  it("that was lost with the memory of a process is refused in words that say so", async () => {
    const connector = createFakeConnector({ files: { tools: ["write_note"] } });
    const policy = { requireApproval: ["files/write_*"] };
    const ask = () => createHost({ connector, servers: byName(servers), policy });
    await using one = await ask();
    const messages = await askBySdk(await one.conversation({ id: "42" }));
    await using two = await ask();
    expect(await goOnBySdk(await two.conversation({ id: "42" }), messages)).toMatchObject([
      denied(/or it was asked before a restart, and `state` is in memory/),
    ]);
    expect(connector.sent).toEqual([]);
  });
});
