import type { ElicitationRequest, ElicitationResult, ServerSpec, ToolOutcome, ServerEntry } from "@hostside/core";
import { consentTo, fixtureServer, startAuthorizedServer, startHttpFixture } from "@hostside/fixtures";
import { createHost, type Conversation } from "hostside";
import { describe, expect, it } from "vitest";
import { createFakeConnector } from "./fake-connector.ts";
import { byName } from "./by-name.ts";

const docs: ServerSpec = { id: "docs", sharing: "shared", type: "stdio", command: "x" };

describe("two users with a conversation of one name", () => {
  it("keep their results apart: who closes it forgets nothing of the other one's", async () => {
    await using host = await createHost({ connector: createFakeConnector(), servers: byName([docs]), pool: {} });
    const [ada, bob] = await Promise.all(["ada", "bob"].map((principal) => host.conversation({ id: "1", principal })));
    const origin = { serverId: "docs", toolName: "echo", qualifiedName: "mcp::docs::echo" };
    const raw = { content: [{ type: "text" as const, text: "word ".repeat(20_000) }] };
    const long: ToolOutcome = { ...raw, isError: false, origin, raw };
    const kept = async (one: Conversation | undefined): Promise<string> =>
      (await one?.presenter.present(long))?.omitted[0]?.handle ?? "";
    const [ofAda, ofBob] = [await kept(ada), await kept(bob)];
    await ada?.close();
    expect(await host.results.read({ handle: ofBob }, { context: bob?.context })).toMatchObject({ kind: "text" });
    expect(await host.results.read({ handle: ofAda }, { context: ada?.context })).toMatchObject({
      reason: "unknown-handle",
    });
  });
});

describe("users of a server that wants each of them to sign in", () => {
  it("have a tool for that each, by which one signs in for nobody else, and for all conversations of their own", async () => {
    await using server = await startAuthorizedServer();
    const asked: (string | undefined)[] = [];
    await using host = await createHost({
      servers: { mail: { type: "http", url: server.url } },
      pool: {},
      authenticateTools: true,
      auth: {
        async prompt({ url, principal }) {
          asked.push(principal);
          void fetch(await consentTo(url, { user: principal ?? "nobody" })).catch(() => undefined);
          return "completed";
        },
      },
    });
    const open = (id: string, principal: string): Promise<Conversation> => host.conversation({ id, principal });
    const signInTool = (one: Conversation): string | undefined =>
      one.tools().find(({ name }) => name.includes("authenticate"))?.name;
    const whoIs = async (one: Conversation): Promise<unknown> => (await one.call("mcp_mail_whoami")).content;
    const [ada, bob] = [await open("1", "ada"), await open("1", "bob")];
    expect(await ada.call(signInTool(ada) ?? "")).toMatchObject({ isError: false });
    expect(await whoIs(ada)).toMatchObject([{ text: expect.stringContaining('"user":"ada"') }]);
    expect(bob.tools().map(({ name }) => name)).not.toContain("mcp_mail_whoami");
    // Nobody used it for long: the tool is on offer all the same.
    await host.pool?.dispose({ principal: "bob" });
    expect(await bob.call(signInTool(bob) ?? "")).toMatchObject({ isError: false });
    expect(await whoIs(bob)).toMatchObject([{ text: expect.stringContaining('"user":"bob"') }]);
    const second = await open("2", "ada");
    expect(signInTool(second)).toBeUndefined();
    expect(await whoIs(second)).toMatchObject([{ text: expect.stringContaining('"user":"ada"') }]);
    expect(asked).toEqual(["ada", "bob"]);
  });
});

describe("a question of a server", () => {
  const accepted: ElicitationResult = { action: "accept", content: { answer: "yes" } };

  it.each([
    { what: "that says whose it is, on a connection of all", sharing: "shared", says: true },
    { what: "that does not, on a connection of each conversation", sharing: "conversation", says: false },
  ] as const)("$what, reaches the conversation that is asked", async ({ sharing, says }) => {
    const http = says ? await startHttpFixture("modern-http", {}) : undefined;
    const transport: ServerEntry =
      http === undefined ? { type: "stdio", ...fixtureServer("legacy-stdio") } : { type: "http", url: http.url };
    const requests: ElicitationRequest[] = [];
    const host = await createHost({
      servers: { s: { ...transport, sharing } },
      pool: {},
      async onElicit(request) {
        requests.push(request);
        return accepted;
      },
    });
    const conversations = await Promise.all(
      ["ada", "bob", "cy"].map((principal) => host.conversation({ id: "1", principal })),
    );
    const busy = conversations.map((one) => one.call("mcp_s_slow", { steps: 2, stepMs: 40 }));
    const asking = conversations
      .slice(0, 2)
      .map((one) => one.call("mcp_s_ask", { question: `Sure, ${one.context.principal}?` }));
    for (const { content } of await Promise.all(asking))
      expect(content).toEqual([{ type: "text", text: "accept: yes" }]);
    await Promise.all(busy);
    const asked = requests.map(
      ({ message, context = {} }) => `${message} ${context.principal}/${context.conversation}`,
    );
    expect(asked.toSorted()).toEqual(["Sure, ada? ada/1", "Sure, bob? bob/1"]);
    await host.close();
    await http?.close();
  });
});
