import { createHost, type HostOptions } from "hostside";
import { describe, expect, it } from "vitest";
import { createMemoryLock, createMemoryStore, isHostsideError, type Diagnostic } from "@hostside/core";
import { createPolicy, lockTools, newToolLimits } from "@hostside/policy";
import { createFakeConnector } from "./fake-connector.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";
import { byName } from "./by-name.ts";

const files = { id: "files", type: "stdio", command: "x" } as const;
const reading = ["results_read", "resources_list", "resources_read", "resources_templates"];
const target = { server: "files", uri: "file:///a" };

/** A host over one server that has the tools `read` and `write`, and resources. */
function openHost(policy: HostOptions["policy"]) {
  const connector = createFakeConnector({ files: { tools: ["read", "write"], resources: true } });
  return createHost({ connector, servers: byName([files]), policy });
}

describe("a selection by qualified name", () => {
  it("has a call approved of a tool with a slash in its name, and no other", async () => {
    const connector = createFakeConnector({ files: { tools: ["issues/get", "issues/list"] } });
    const policy = { approval: { mode: { tools: "mcp::files::issues/get" } } } as const;
    await using host = await createHost({ connector, servers: byName([files]), policy });
    await expect(host.call("mcp_files_issues_get")).rejects.toMatchObject({ code: "approval_required" });
    await expect(host.call("mcp_files_issues_list")).resolves.toMatchObject({ isError: false });
  });
});

describe("rules about servers and the host's own reading tools", () => {
  it.each<[string, HostOptions["policy"]]>([
    ["an allow list", { allow: ["files/read"] }],
    ["a deny of everything else", { allow: ["files/read"], defaultDecision: "deny" }],
    ["a quarantine of everything else", { allow: ["files/read"], defaultDecision: "quarantine" }],
    ["a deny of every server", { deny: ["*/write"], requireApproval: ["*/*"] }],
    ["stricter rules for every server", { stricter: [{ server: "*", defaultDecision: "deny" }] }],
  ])("%s leaves them on offer, and they run", async (_, policy) => {
    await using host = await openHost(policy);
    expect(host.tools().map(({ name }) => name)).toEqual(expect.arrayContaining(reading));
    const read = await host.call("resources_read", target);
    expect(JSON.stringify(read.content)).toContain('"text":"read"');
    await expect(host.call("resources_list")).resolves.toMatchObject({ isError: false });
    await expect(host.call("results_read", { handle: "none" })).resolves.toMatchObject({ isError: true });
  });

  it.each<[string, HostOptions["policy"], string]>([
    ["a deny by name", { deny: ["/results_read"] }, "results_read"],
    ["a deny of the name on any server", { deny: ["*/resources_read"] }, "resources_read"],
    ["a deny of all own tools", { deny: ["/*"] }, "resources_list"],
    ["a rule without a server", { deny: [{ tool: "resources_*" }] }, "resources_list"],
    [
      "an effect that is not reading",
      { effects: [{ tools: "/*", effect: "external" }], defaultDecision: "deny" },
      "results_read",
    ],
  ])("%s still holds", async (_, policy, name) => {
    await using host = await openHost(policy);
    expect(host.tools().map((tool) => tool.name)).not.toContain(name);
    await expect(host.call(name, target)).rejects.toMatchObject({ code: "unknown_tool" });
  });

  it("a rule that names one has it approved, although every tool of servers is denied", async () => {
    await using host = await openHost({ deny: ["*/*"], requireApproval: ["/resources_read"] });
    await expect(host.call("resources_read", target)).rejects.toMatchObject({ code: "approval_required" });
    expect(host.tools().map(({ name }) => name)).toEqual(expect.arrayContaining(reading));
  });

  it("explain() says that rules about servers are not for them", async () => {
    await using host = await openHost({ allow: ["files/read"], defaultDecision: "deny" });
    expect(host.policy.explain("results_read")).toContain("it only reads, and no rule names it");
  });
});

describe("what the rules say of a server's resources", () => {
  it.each(["files/*", "files/resources/read", "*/resources/*"])("deny %s refuses to read them", async (rule) => {
    await using host = await openHost({ deny: [rule] });
    const answer = await host.call("resources_read", target);
    expect(answer.isError).toBe(true);
    const message = `resources/read of server "files" is denied by deny[0] ("${rule}")`;
    expect(JSON.stringify(answer.content)).toContain(JSON.stringify(message).slice(1, -1));
    await expect(host.resources.read({ serverId: "files", uri: "file:///a" })).rejects.toMatchObject({
      code: "not_allowed",
      serverId: "files",
      details: { operation: "resources/read", policy: "deny[0]" },
    });
  });

  it("a deny of listing alone leaves reading", async () => {
    await using host = await openHost({ deny: ["files/resources/list"] });
    expect((await host.resources.list()).failures).toMatchObject([
      { serverId: "files", error: { code: "not_allowed" } },
    ]);
    await expect(host.call("resources_read", target)).resolves.toMatchObject({ isError: false });
  });
});

describe("an empty list", () => {
  it.each(["allow", "deny", "requireApproval"])("is no rule: %s", async (kind) => {
    await using host = await openHost({ [kind]: [] });
    await expect(host.call("mcp_files_write")).resolves.toMatchObject({ isError: false });
  });
});

/** The rules that were reported, in the order of the options. */
function unmatchedOf(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const found = diagnostics.filter(({ kind }) => kind === "unmatched-rule");
  return found.toSorted((a, b) => (a.message < b.message ? -1 : 1));
}

describe("a rule that matches nothing", () => {
  it.each<[string, HostOptions["policy"], string]>([
    [
      "a deny",
      { deny: ["filse/*"] },
      'deny[0] ("filse/*") matches nothing: no server is called "filse"; did you mean "files"?',
    ],
    ["one of several servers", { allow: [{ server: ["files", "git"], tool: "read" }] }, 'no server is called "git"'],
    ["a local name", { allow: ["mcp__fs__*"] }, 'allow[0] ("mcp__fs__*") matches nothing: no server is called "fs"'],
    [
      "stricter rules",
      { stricter: [{ name: "careful", server: "git" }] },
      'careful ({"server":"git"}) matches nothing',
    ],
    ["a local name that cannot be read", { deny: ["mcp_fs_*"] }, 'known are "files"; write "server/tool"'],
  ])("is a TypeError where all servers are known: %s", async (_, policy, message) => {
    const failure: unknown = await openHost(policy).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TypeError);
    expect(String(failure)).toContain(message);
  });

  it("says which servers there are, and where one is named that comes later", async () => {
    await expect(openHost({ deny: ["git/*"] })).rejects.toThrow(
      'Servers of this host: "files"; name one that is added later in policy.servers',
    );
    await using host = await openHost({ deny: ["git/*"], servers: ["git"], defaultDecision: "allow" });
    expect(host.tools().map(({ name }) => name)).toContain("mcp_files_read");
  });

  it("is a diagnostic where a file says which servers there are, and holds when one is added", async () => {
    const folder = createTemporaryFolder();
    const entry = { command: "x" };
    const path = folder.write("mcp.json", { mcpServers: { files: entry } });
    const diagnostics: Diagnostic[] = [];
    await using host = await createHost({
      connector: createFakeConnector({ fs: { tools: ["read"] } }),
      config: path,
      policy: { deny: ["mcp__fs__*", "git*/push"], defaultDecision: "allow" },
      onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic),
    });
    expect(unmatchedOf(diagnostics)).toEqual([
      {
        kind: "unmatched-rule",
        serverId: "fs",
        message: 'deny[0] ("mcp__fs__*") matches nothing: no server is called "fs"',
      },
      {
        kind: "unmatched-rule",
        serverId: "",
        message: 'deny[1] ("git*/push") matches nothing: no server is called "git*"',
      },
    ]);
    await new Promise((resolve) => {
      host.onConfigReport(resolve);
      folder.write("mcp.json", { mcpServers: { files: entry, fs: entry } });
    });
    await expect(host.call("mcp_fs_read")).rejects.toMatchObject({ code: "unknown_tool" });
  });

  it("is a diagnostic when its servers have listed no such tool", async () => {
    const diagnostics: Diagnostic[] = [];
    await using host = await createHost({
      connector: createFakeConnector({ files: { tools: ["read", "write"], resources: true } }),
      servers: byName([files]),
      policy: {
        deny: ["files/delet", "*/drop", "files/resources/read", "/results_raed", { effect: "idempotent-write" }],
        requireApproval: ["mcp__files__write"],
        defaultDecision: "allow",
      },
      onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic),
    });
    expect(unmatchedOf(diagnostics)).toEqual([
      {
        kind: "unmatched-rule",
        serverId: "files",
        message: 'deny[0] ("files/delet") matches none of the tools that are listed',
      },
      {
        kind: "unmatched-rule",
        serverId: "",
        message: 'deny[3] ("/results_raed") matches none of the tools that are listed',
      },
    ]);
    await expect(host.call("mcp_files_write")).rejects.toMatchObject({ code: "approval_required" });
  });

  it("is no diagnostic for a server that the policy says comes later", async () => {
    const diagnostics: Diagnostic[] = [];
    await using host = await createHost({
      connector: createFakeConnector({ later: { tools: ["read"] } }),
      policy: { requireApproval: ["later/write_*"], servers: ["later"] },
      onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic),
    });
    expect(unmatchedOf(diagnostics)).toEqual([]);
    await host.servers.add("later", { command: "x" });
    const message = 'requireApproval[0] ("later/write_*") matches none of the tools that are listed';
    expect(unmatchedOf(diagnostics)).toEqual([{ kind: "unmatched-rule", serverId: "later", message }]);
  });

  it("is a diagnostic for a server of conversations that are kept apart, once it has listed", async () => {
    const diagnostics: Diagnostic[] = [];
    await using host = await createHost({
      connector: createFakeConnector({ mine: { tools: ["read", "write_a"] } }),
      servers: { mine: { command: "x", sharing: "principal" } },
      pool: {},
      policy: { deny: ["mine/wrote_*", "mine/write_*"], requireApproval: ["mine/read"] },
      onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic),
    });
    expect(unmatchedOf(diagnostics)).toEqual([]);
    for (const principal of ["ada", "bob"]) {
      const conversation = await host.conversation({ principal });
      await conversation.close();
      await host.pool?.dispose({ principal });
    }
    const message = 'deny[0] ("mine/wrote_*") matches none of the tools that are listed';
    expect(unmatchedOf(diagnostics)).toEqual([{ kind: "unmatched-rule", serverId: "mine", message }]);
  });
});

describe('servers with approval: "always"', () => {
  const refused = { code: "approval_required" };
  const plain = { command: "x", approval: "always" } as const;
  const exempt = { ...plain, tools: { write: { requireApproval: false } } } as const;
  const write = "mcp_files_write";
  const unusedOf = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
    diagnostics.filter(({ kind }) => kind === "setting-unused");

  const both = { tools: ["read", "write"] };

  function openWith(servers: HostOptions["servers"], more: HostOptions = {}) {
    return createHost({ connector: createFakeConnector({ files: both, other: both }), servers, ...more });
  }

  it.each<[string, HostOptions]>([
    ["shared", {}],
    ["kept apart", { pool: {} }],
  ])("are asked about by what their entry says now: %s", async (_, more) => {
    const sharing = more.pool === undefined ? {} : ({ sharing: "conversation" } as const);
    await using host = await openWith({ files: { ...exempt, ...sharing } }, more);
    const call = async (name: string) => (await host.conversation()).call(name);
    await expect(call(write)).resolves.toMatchObject({ isError: false });
    await expect(call("mcp_files_read")).rejects.toMatchObject(refused);
    await host.servers.update("files", { ...plain, ...sharing });
    await expect(call(write)).rejects.toMatchObject(refused);
    await host.servers.update("files", { ...exempt, ...sharing });
    await expect(call(write)).resolves.toMatchObject({ isError: false });
    await expect(call("mcp_files_read")).rejects.toMatchObject(refused);
  });

  it("are asked about, but for what the entry exempts, when they are removed and added", async () => {
    await using host = await openWith({ files: exempt });
    await host.servers.add("other", exempt);
    await expect(host.call("mcp_other_write")).resolves.toMatchObject({ isError: false });
    await host.servers.remove("files");
    await host.servers.add("files", plain);
    await expect(host.call(write)).rejects.toMatchObject(refused);
    await host.servers.remove("files");
    await host.servers.add("files", exempt);
    await expect(host.call(write)).resolves.toMatchObject({ isError: false });
    await expect(host.call("mcp_files_read")).rejects.toMatchObject(refused);
  });

  it("are asked about in spite of the exemption where the product's own rule wants it", async () => {
    await using host = await openWith({ files: exempt }, { policy: { requireApproval: ["files/write"] } });
    await expect(host.call(write)).rejects.toMatchObject(refused);
  });

  it("may be exempt although the product denies every tool", async () => {
    await using host = await openWith({ files: exempt }, { policy: { deny: ["*/*"] } });
    await expect(host.call(write)).rejects.toMatchObject({ code: "unknown_tool" });
  });

  it("are named, once, where a policy that was handed in does not ask", async () => {
    const diagnostics: Diagnostic[] = [];
    await using host = await openWith(
      { files: { command: "x" } },
      { policy: createPolicy(), onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic) },
    );
    expect(unusedOf(diagnostics)).toEqual([]);
    await host.servers.update("files", plain);
    await host.servers.restart("files");
    await expect(host.call(write)).resolves.toMatchObject({ isError: false });
    expect(unusedOf(diagnostics)).toEqual([
      {
        kind: "setting-unused",
        serverId: "files",
        message:
          'server "files": not used: approval: "always": policy is ready-made and does not ask; give options in place of it, or a rule for labels: "approval:always"',
      },
    ]);
  });

  it("are not named where a policy that was handed in has a rule for them", async () => {
    const diagnostics: Diagnostic[] = [];
    const policy = createPolicy({
      allow: [{ labels: "approval:always", requireApproval: false }],
      requireApproval: [{ labels: "approval:always", tool: "read" }],
    });
    const onDiagnostic = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
    await using host = await openWith({ files: exempt }, { policy, onDiagnostic });
    await expect(host.call("mcp_files_read")).rejects.toMatchObject(refused);
    await expect(host.call(write)).resolves.toMatchObject({ isError: false });
    expect(unusedOf(diagnostics)).toEqual([]);
  });
});

describe("new tools", () => {
  /** Starts hosts one after the other over the same store; the server has these tools each time. */
  function startHosts(policy: HostOptions["policy"]) {
    const state = { store: createMemoryStore(), lock: createMemoryLock() };
    return async (...tools: readonly string[]) => {
      const connector = createFakeConnector({ files: { tools } });
      const host = await createHost({ connector, servers: byName([files]), state, policy });
      await host.policy.ready();
      return host;
    };
  }

  /** The codes of 25 calls in one conversation, one after the other. */
  async function codesOf(host: Awaited<ReturnType<typeof createHost>>, name: string) {
    const conversation = await host.conversation();
    const codes = new Set<string>();
    for (let count = 0; count < 25; count += 1) {
      const code = await conversation.call(name).then(
        () => "ran",
        (error: unknown) => (isHostsideError(error) ? error.code : String(error)),
      );
      codes.add(code);
    }
    return [...codes];
  }

  it("are limited when they came after the first listing that is kept, until they are approved", async () => {
    const start = startHosts({ pins: { unpinned: "allow" }, limits: newToolLimits() });
    {
      await using host = await start("read");
      expect(await codesOf(host, "mcp_files_read")).toEqual(["ran"]);
    }
    await using host = await start("read", "write");
    expect(await codesOf(host, "mcp_files_read")).toEqual(["ran"]);
    expect(await codesOf(host, "mcp_files_write")).toEqual(["ran", "rate_limited"]);
    expect(await codesOf(host, "results_read")).toEqual(["ran"]);
    await expect(host.policy.approveTools("files")).resolves.toEqual({ approved: ["write"], left: [] });
    expect(await codesOf(host, "mcp_files_write")).toEqual(["ran"]);
  });

  it("are asked about by a rule", async () => {
    const start = startHosts({
      pins: { unpinned: "allow" },
      requireApproval: [{ server: "files", new: true, reason: "it is new" }],
      defaultDecision: "allow",
    });
    await (await start("read")).close();
    await using host = await start("read", "write");
    await expect(host.call("mcp_files_read")).resolves.toMatchObject({ isError: false });
    await expect(host.call("mcp_files_write")).rejects.toMatchObject({
      code: "approval_required",
      message: expect.stringContaining("it is new"),
    });
  });

  it("are those that are not in the lock of their server", async () => {
    const lock = lockTools([], undefined);
    await using host = await startHosts({
      pins: { locks: { files: lock }, unpinned: "allow" },
      limits: newToolLimits(),
    })("read");
    expect(await codesOf(host, "mcp_files_read")).toEqual(["ran", "rate_limited"]);
  });

  it.each<[string, HostOptions["policy"], string]>([
    [
      "without pins",
      { limits: newToolLimits() },
      "limits[0].tools selects new tools, and without pins none are remembered",
    ],
    ["of another type", { pins: {}, deny: [{ new: "yes" as never }] }, "deny[0].new must be true or false"],
    ["on no server", { pins: {}, deny: [{ server: "", new: true }] }, "a tool that is on no server is never new"],
    [
      "for effects",
      { pins: {}, effects: [{ tools: { new: true }, effect: "external" }] },
      "effects[0].tools cannot select new tools",
    ],
  ])("cannot be selected %s", async (_, policy, message) => {
    await expect(openHost(policy)).rejects.toThrow(message);
  });
});
