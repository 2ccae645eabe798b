import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createMemoryStore } from "@hostside/core";
import { createTrust } from "@hostside/config";
import type { ApprovalQuestion, PolicyOptions } from "@hostside/policy";
import fc from "fast-check";
import { createHost } from "hostside";
import { describe, expect, it } from "vitest";
import { createFakeConnector } from "./fake-connector.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

const user = {
  servers: {
    mine: { command: "mine", tools: { read: { effect: "pure" } } },
    both: { command: "both", approval: "always", deny: ["drop"], tools: { read: { requireApproval: true } } },
  },
};
const changing: PolicyOptions["approval"] = {
  handler: async () => "no",
  mode: { tools: { effect: ["idempotent-write", "non-idempotent-write", "external"] } },
};
/** A user who lets tools run unasked by their effects, and one who does by labels and by ids. */
const policies: readonly PolicyOptions[] = [
  { approval: changing },
  {
    approval: { handler: async () => "no", mode: "none" },
    defaultDecision: "approval",
    allow: [{ labels: "trust:own" }, "mine/read"],
  },
];

/** What a server may be, with each member that a project might loosen something by. */
const entry = fc.record(
  {
    command: fc.constant("x"),
    trustAnnotations: fc.boolean(),
    tools: fc.dictionary(
      fc.constantFrom("read", "write", "drop"),
      fc.record(
        {
          effect: fc.constantFrom("pure", "idempotent-write", "external"),
          requireApproval: fc.boolean(),
          title: fc.constant("Safe"),
          description: fc.constant("Reads"),
        },
        { requiredKeys: [] },
      ),
    ),
    labels: fc.constantFrom({ trust: "own" }, { scope: "user" }, { approval: "never" }),
    approval: fc.constantFrom("never", "always"),
    passContext: fc.boolean(),
    sharing: fc.constantFrom("shared", "principal"),
    required: fc.boolean(),
    disabled: fc.boolean(),
    allow: fc.constantFrom([], ["drop"], ["read", "drop"]),
  },
  { requiredKeys: ["command"] },
);
const project = fc.record(
  {
    servers: fc.dictionary(fc.constantFrom("ours", "both", "mine", "BOTH"), entry),
    settings: fc.record(
      {
        allowServers: fc.constantFrom([], ["ours"], ["mine", "ours"]),
        denyServers: fc.constantFrom(["mine"], ["both"]),
        passContext: fc.boolean(),
        allowedResourceUris: fc.constantFrom([], ["file:"]),
      },
      { requiredKeys: [] },
    ),
    serve: fc.constantFrom({ tools: [] }, { expose: "all" }, { readOnly: false, requireApproval: false }),
  },
  { requiredKeys: [] },
);

interface Got {
  /** Tools that ran unasked, as `server/tool`. */
  readonly ran: readonly string[];
  readonly offered: readonly string[];
  readonly settings: unknown;
}

async function whatRuns(content: object | undefined, policy: PolicyOptions, trusted: boolean): Promise<Got> {
  const folder = createTemporaryFolder();
  const own = { path: folder.write("user.json", user), scope: "user" } as const;
  const files = content === undefined ? [] : [folder.write("hostside.local.json", content)];
  const trust = createTrust({ store: createMemoryStore(), ask: async () => (trusted ? "trust" : undefined) });
  const tools = ["read", "write", "drop"];
  const connector = createFakeConnector({ mine: { tools }, both: { tools }, ours: { tools }, BOTH: { tools } });
  const projects = files.map((path) => ({ path, scope: "project" as const, projectFolder: folder.path }));
  await using host = await createHost({
    connector,
    config: { files: [own, ...projects], trust, watch: false },
    policy: { ...policy, servers: ["mine"] },
  });
  const conversation = await host.conversation();
  const offered = conversation.tools().filter(({ origin }) => origin?.serverId !== undefined);
  for (const { name } of offered) await conversation.call(name, {}).catch(() => undefined);
  return {
    ran: connector.sent.map(({ serverId, method }) => `${serverId}/${method}`),
    offered: offered.map(({ name }) => name),
    settings: host.config?.settings,
  };
}

describe("a project's file", () => {
  it.each(policies.map((policy, index) => ({ policy, index })))(
    "that is not trusted changes nothing of what its user gets ($index)",
    async ({ policy }) => {
      const before = await whatRuns(undefined, policy, false);
      expect(before.ran).toEqual(["mine/read"]);
      await fc.assert(
        fc.asyncProperty(project, async (content) => {
          expect(await whatRuns(content, policy, false)).toEqual(before);
        }),
        { numRuns: 25 },
      );
    },
  );

  it.each(policies.map((policy, index) => ({ policy, index })))(
    "that is trusted has nothing run unasked that would not without it, but its own servers by the user's rules ($index)",
    async ({ policy }) => {
      const before = await whatRuns(undefined, policy, false);
      const bare = { servers: { ours: { command: "x" }, BOTH: { command: "x" } } };
      const allowed = new Set([...before.ran, ...(await whatRuns(bare, policy, true)).ran]);
      await fc.assert(
        fc.asyncProperty(project, async (content) => {
          const { ran } = await whatRuns(content, policy, true);
          expect(ran.filter((one) => !allowed.has(one))).toEqual([]);
        }),
        { numRuns: 25 },
      );
    },
  );

  it("hides nothing from whoever approves what another server is sent", async () => {
    const folder = createTemporaryFolder();
    const own = { db: { command: "db", env: { TOKEN: "own-secret" } } };
    const inputs = [{ id: "c", type: "promptString", password: true, default: "all-of-it" }];
    const env = { API_TOKEN: "production-db", A: "${file:./a.txt}", C: "${input:c}" };
    const ours = { ours: { command: "x", env, envFile: ".env" } };
    folder.write("a.txt", "delete-all\n");
    folder.write(".env", "PASSWORD=without-asking\n");
    const files = [
      { path: folder.write("user.json", { servers: own }), scope: "user" },
      { path: folder.write("hostside.json", { servers: ours, inputs }), scope: "project", projectFolder: folder.path },
    ] as const;
    const trust = createTrust({ store: createMemoryStore(), ask: async () => "trust" });
    const shown: string[] = [];
    const handler = async (question: ApprovalQuestion): Promise<"no"> => (shown.push(...question.shown), "no");
    await using host = await createHost({
      connector: createFakeConnector(),
      config: { files, trust, watch: false },
      policy: { redact: {}, approval: { mode: "all", handler } },
    });
    const does = "production-db delete-all without-asking all-of-it";
    const calling = host.call("mcp_db_echo", { does, by: "own-secret" });
    await expect(calling).rejects.toMatchObject({ code: "approval_denied" });
    expect(shown.slice(-2)).toEqual(['  "by": "[redacted]"', `  "does": ${JSON.stringify(does)}`]);
    expect(host.policy.redactText(`${does} own-secret`)).toMatch(
      /^production-db delete-all without-asking all-of-it \[/,
    );
  });

  it.each([
    ["that is cut off", '{ "settings": { "denyServers": ["evil"] }, "serve": { "read'],
    ["that is no object", "[]"],
    ["of another form", '{ "mcpServers": {} }'],
  ])(
    "starts nothing, however trusted, beside a hostside.json of its user %s, until that is mended",
    async (_, lost) => {
      const { path: home } = createTemporaryFolder();
      const cwd = join(home, "app");
      const own = join(home, ".config", "hostside", "hostside.json");
      for (const folder of [dirname(own), join(cwd, ".git")]) mkdirSync(folder, { recursive: true });
      const servers = { team: { command: "x" }, evil: { command: "y" } };
      writeFileSync(join(cwd, "hostside.json"), JSON.stringify({ servers, serve: { expose: "all" } }));
      writeFileSync(own, lost);
      const trust = createTrust({ store: createMemoryStore(), ask: async () => "trust" });
      const config = { files: "auto", home, cwd, env: {}, platform: "linux", trust } as const;
      await using host = await createHost({ connector: createFakeConnector(), config });
      expect(host.statuses()).toEqual([]);
      expect(host.config?.settings).toEqual({ serve: { tools: [] } });
      expect(
        host.config?.problems.map(({ file, severity, message, fix }) => [file, severity, message, fix]),
      ).toContainEqual([
        own,
        "error",
        `the servers of ${join(cwd, "hostside.json")} are left out, because it is not known what this file says of them`,
        "mend this file",
      ]);
      const mended = new Promise((resolve) => host.onConfigReport(resolve));
      writeFileSync(own, JSON.stringify({ settings: { denyServers: ["evil"] } }));
      await mended;
      expect(host.config?.servers.map(({ id, disabled }) => [id, disabled])).toEqual([
        ["evil", true],
        ["team", undefined],
      ]);
      expect(host.config?.settings.projectServe).toEqual({ expose: "all" });
    },
  );

  it("has no server hear of its callers where its user says that the one by its name does not", async () => {
    const folder = createTemporaryFolder();
    const own = { settings: { passContext: true }, servers: { both: { command: "both", passContext: false } } };
    const files = [
      { path: folder.write("user.json", own), scope: "user" },
      {
        path: folder.write("hostside.json", { servers: { both: { command: "x" } } }),
        scope: "project",
        projectFolder: folder.path,
      },
    ] as const;
    const trust = createTrust({ store: createMemoryStore(), ask: async () => "trust" });
    const connector = createFakeConnector();
    await using host = await createHost({ connector, config: { files, trust, watch: false } });
    const conversation = await host.conversation({ id: "1", principal: "ada" });
    await conversation.call("mcp_both_echo", {});
    expect(host.config?.servers).toMatchObject([{ command: "x" }]);
    expect(connector.sent).toEqual([{ serverId: "both", method: "echo", params: {}, meta: undefined }]);
  });
});
