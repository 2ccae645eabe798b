import { renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createMemoryStore } from "@hostside/core";
import { createTrust, formatProblem, type TrustAnswer } from "@hostside/config";
import { watchConfig, type ConfigReport, type ConfigTarget } from "@hostside/config/node";
import { describe, expect, it } from "vitest";
import { createFakeHome, mcpServers, type FakeHome } from "./fake-home.ts";
import { openTestClock, startWatch } from "./start-watch.ts";

describe("watchConfig()", () => {
  it("applies what an edit changed, after 500 ms of quiet, in one report", async () => {
    const { home, watch, clock, applied, nextReport } = await startWatch();
    expect(applied).toEqual([["a"]]);
    const next = nextReport();
    home.write("home/.cursor/mcp.json", mcpServers({ a: "a", c: "c" }));
    expect(await clock.waiting()).toBe(500);
    clock.pass();
    expect(await clock.waiting()).toBe(500);
    home.write("home/.cursor/mcp.json", mcpServers({ a: "a", b: "b" }));
    clock.pass();
    await clock.waiting();
    expect(applied).toHaveLength(1);
    clock.pass();
    const report = await next;
    expect(report).toMatchObject({ added: ["b"], updated: [], removed: [], failed: [], keptFiles: [] });
    expect(applied).toEqual([["a"], ["a", "b"]]);
    expect(watch.config.servers.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it.each<[string, (home: FakeHome) => void]>([
    ["written in place", ({ write }) => write("home/.cursor/mcp.json", mcpServers({ b: "b" }))],
    [
      "replaced by another file",
      ({ home, write }) =>
        renameSync(write("home/.cursor/mcp.json.tmp", mcpServers({ b: "b" })), join(home, ".cursor", "mcp.json")),
    ],
    [
      "put aside and written anew",
      ({ home, write }) => {
        renameSync(join(home, ".cursor", "mcp.json"), join(home, ".cursor", "mcp.json~"));
        write("home/.cursor/mcp.json", mcpServers({ b: "b" }));
      },
    ],
    [
      "removed with its folder, and made again",
      ({ home, write }) => {
        rmSync(join(home, ".cursor"), { recursive: true });
        write("home/.cursor/mcp.json", mcpServers({ b: "b" }));
      },
    ],
    [
      "in a folder that another one takes the place of",
      ({ home, write }) => {
        write("home/.cursor2/mcp.json", mcpServers({ b: "b" }));
        renameSync(join(home, ".cursor"), join(home, ".cursor-old"));
        renameSync(join(home, ".cursor2"), join(home, ".cursor"));
      },
    ],
  ])("sees a file that is %s", async (_, change) => {
    const { home, edit } = await startWatch();
    expect(await edit(() => change(home))).toMatchObject({ added: ["b"], removed: ["a"] });
    const again = await edit(() => home.write("home/.cursor/mcp.json", mcpServers({ b: "c" })));
    expect(again).toMatchObject({ added: [], updated: ["b"], removed: [] });
  });

  it("sees a file that goes, and one whose folders come later", async () => {
    const { home, edit } = await startWatch();
    expect(await edit(() => rmSync(join(home.home, ".cursor"), { recursive: true }))).toMatchObject({ removed: ["a"] });
    const later = await edit(() => home.write("home/.codeium/windsurf/mcp_config.json", mcpServers({ w: "w" })));
    expect(later).toMatchObject({ added: ["w"] });
  });

  it("follows links of files and of folders, whatever end of them changes", async () => {
    const { home, edit } = await startWatch((fake) => {
      fake.write("dotfiles/one/mcp.json", mcpServers({ a: "a" }));
      fake.write("dotfiles/two/mcp.json", mcpServers({ a: "two" }));
      symlinkSync(join("..", "dotfiles", "one"), join(fake.home, ".cursor"));
    });
    const commandAfter = async (change: () => void): Promise<unknown> => {
      const { config } = await edit(change);
      return config.servers[0]?.command;
    };
    expect(await commandAfter(() => home.write("dotfiles/one/mcp.json", mcpServers({ a: "edited" })))).toBe("edited");
    expect(
      await commandAfter(() => {
        rmSync(join(home.home, ".cursor"));
        symlinkSync(join("..", "dotfiles", "two"), join(home.home, ".cursor"));
      }),
    ).toBe("two");
    expect(await commandAfter(() => home.write("dotfiles/two/mcp.json", mcpServers({ a: "twice" })))).toBe("twice");
    expect(
      await commandAfter(() => {
        home.write("dotfiles/three.json", mcpServers({ a: "three" }));
        rmSync(join(home.root, "dotfiles", "two", "mcp.json"));
        symlinkSync(join("..", "three.json"), join(home.root, "dotfiles", "two", "mcp.json"));
      }),
    ).toBe("three");
    expect(await commandAfter(() => home.write("dotfiles/three.json", mcpServers({ a: "four" })))).toBe("four");
  });

  it("sees what changes while files are read for the first time, before they are watched", async () => {
    const home = createFakeHome();
    let isFirst = true;
    const { watch } = await startWatch(undefined, {
      home,
      check() {
        if (isFirst) home.write("home/.cursor/mcp.json", mcpServers({ a: "a", b: "b" }));
        isFirst = false;
      },
    });
    expect(watch.config.servers.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it("sees a change of a file that a reference names", async () => {
    const a = { command: "x", env: { TOKEN: "${file:~/.token}" } };
    const { home, watch, edit } = await startWatch((fake) => {
      fake.write("home/.token", "one");
      fake.write("home/.config/hostside/hostside.json", { servers: { a } });
    });
    expect(watch.config.secrets).toEqual(["one"]);
    const { config, updated } = await edit(() => home.write("home/.token", "two"));
    expect([config.secrets, updated]).toEqual([["two"], ["a"]]);
  });

  it.each<[string, unknown, string]>([
    ["half a file", '{ "mcpServers": { "a": { "comm', ":1:"],
    ["an empty file", "", ": is empty"],
    ["an entry that cannot be used", { mcpServers: { a: { command: 7 } } }, "mcpServers.a"],
    ["servers that are no object", { mcpServers: [] }, "mcpServers"],
  ])("keeps what was good over %s, and says why with its place", async (_, content, said) => {
    const { home, applied, edit } = await startWatch();
    const file = join(home.home, ".cursor", "mcp.json");
    const report = await edit(() => home.write("home/.cursor/mcp.json", content));
    expect(report).toMatchObject({ added: [], updated: [], removed: [], keptFiles: [file] });
    expect(report.config.servers.map(({ id }) => id)).toEqual(["a"]);
    expect(report.config.problems.map(formatProblem).join("\n")).toContain(said);
    expect(report.config.problems[0]?.file).toBe(file);
    expect(applied).toEqual([["a"]]);
    const mended = await edit(() => home.write("home/.cursor/mcp.json", mcpServers({ a: "a", b: "b" })));
    expect(mended).toMatchObject({ added: ["b"], keptFiles: [] });
  });

  it.each<[string, (text: string) => string]>([
    ["cut in half", (text) => text.slice(0, text.length / 2)],
    ["empty", () => ""],
  ])("keeps a hostside.json without servers that is %s, with its imports and lists", async (_, cut) => {
    const path = "home/.config/hostside/hostside.json";
    const text = JSON.stringify({ imports: ["cursor"], settings: { denyServers: ["b"] } });
    const { home, applied, edit } = await startWatch((fake) => {
      fake.write("home/.cursor/mcp.json", mcpServers({ a: "a", b: "b" }));
      fake.write(path, text);
    });
    const report = await edit(() => home.write(path, cut(text)));
    expect(report).toMatchObject({ updated: [], removed: [], keptFiles: [join(home.root, path)] });
    expect(report.config.settings.denyServers).toEqual(["b"]);
    expect(report.config.servers.map(({ id, disabled }) => [id, disabled])).toEqual([
      ["a", undefined],
      ["b", true],
    ]);
    expect(applied).toHaveLength(1);
  });

  it("keeps what was good over half a file, though the good one had a warning about the whole", async () => {
    const path = "home/.cursor/mcp.json";
    const text = `// \uFFFD\n${JSON.stringify(mcpServers({ a: "a" }))}`;
    const { home, edit } = await startWatch((fake) => void fake.write(path, text));
    const report = await edit(() => home.write(path, text.slice(0, -3)));
    expect(report).toMatchObject({ removed: [], keptFiles: [join(home.root, path)] });
  });

  it("lets one broken file hold up no other", async () => {
    const { home, edit } = await startWatch();
    await edit(() => home.write("home/.cursor/mcp.json", "{"));
    const other = await edit(() => home.write("home/.gemini/settings.json", mcpServers({ g: "g" })));
    expect(other).toMatchObject({ added: ["g"], removed: [], keptFiles: [join(home.home, ".cursor", "mcp.json")] });
  });

  it("keeps a server whose variable is gone from its entry's reach", async () => {
    const hostside = (command: string): object => ({ servers: { a: { command } } });
    const { home, applied, edit } = await startWatch((fake) => {
      fake.write("home/.config/hostside/hostside.json", hostside("x"));
    });
    const report = await edit(() => home.write("home/.config/hostside/hostside.json", hostside("${UNSET}")));
    expect(report).toMatchObject({ updated: [], removed: [], keptServers: ["a"] });
    expect(report.config.problems.map(({ code, path }) => [code, path])).toEqual([
      ["unset_variable", "servers.a.command"],
    ]);
    expect(applied).toEqual([["a"]]);
  });

  it("reports nothing for an edit that changes nothing", async () => {
    const { home, watch, look, reports, edit } = await startWatch();
    home.write("home/.cursor/mcp.json", JSON.stringify(mcpServers({ a: "a" }), undefined, 2).replaceAll("\n", " "));
    await look();
    await watch.reload();
    expect(reports).toEqual([]);
    expect(await edit(() => home.write("home/.cursor/mcp.json", mcpServers({})))).toMatchObject({ removed: ["a"] });
  });

  it("applies once at a time, and of edits that come meanwhile the last", async () => {
    let open = 0;
    let most = 0;
    const gates: (() => void)[] = [];
    const { home, watch, applied } = await startWatch(undefined, {
      async onApply(count) {
        most = Math.max(most, ++open);
        if (count > 1) await new Promise<void>((resolve) => gates.push(resolve));
        open--;
        return undefined;
      },
    });
    home.write("home/.cursor/mcp.json", mcpServers({ one: "x" }));
    const first = watch.reload();
    await expect.poll(() => applied.length).toBe(2);
    const others = ["two", "three", "four"].map((name) => {
      home.write("home/.cursor/mcp.json", mcpServers({ [name]: "x" }));
      return watch.reload();
    });
    gates[0]?.();
    await first;
    await expect.poll(() => gates.length).toBe(2);
    gates[1]?.();
    await Promise.all(others);
    expect({ applied, most }).toEqual({ applied: [["a"], ["one"], ["four"]], most: 1 });
  });

  it("reports what could not be started, and what the target refused, and tries again with the next edit", async () => {
    const failed = [{ serverId: "b", error: new Error("down") as never }];
    let refuse = true;
    const { home, edit } = await startWatch(undefined, {
      onApply: (count) => (count === 2 && refuse ? Promise.reject(new Error("refused")) : Promise.resolve({ failed })),
    });
    const refused = await edit(() => home.write("home/.cursor/mcp.json", mcpServers({ a: "a", b: "b" })));
    expect(refused).toMatchObject({ added: [], error: new Error("refused") });
    refuse = false;
    const report = await edit(() => home.write("home/.cursor/mcp.json", mcpServers({ a: "a", b: "b", c: "c" })));
    expect(report).toMatchObject({ added: ["b", "c"], failed });
  });

  it("rejects, and leaves nothing behind, when the target refuses the first load", async () => {
    const home = createFakeHome();
    const clock = openTestClock();
    const target: ConfigTarget = {
      applyServers: (_, { timeoutMs }) => Promise.reject(new Error(`refused within ${timeoutMs}`)),
    };
    await expect(watchConfig({ ...home.place, target })).rejects.toThrow("refused within 10000");
    expect(clock.tasks()).toBe(0);
  });

  it("waits for nobody who is asked about trust, and starts what they trust", async () => {
    const answers: ((answer: TrustAnswer) => void)[] = [];
    const trust = createTrust({
      store: createMemoryStore(),
      ask: () => new Promise((resolve) => answers.push(resolve)),
    });
    const { watch, reports, nextReport } = await startWatch(
      (fake) => {
        fake.write("home/code/app/.mcp.json", mcpServers({ p: "p" }));
        fake.write("home/.cursor/mcp.json", mcpServers({ a: "a" }));
      },
      { trust },
    );
    expect(watch.config.servers.map(({ id, disabled }) => [id, disabled])).toEqual([
      ["a", undefined],
      ["p", true],
    ]);
    await expect.poll(() => answers.length).toBe(1);
    await watch.reload();
    expect(reports).toEqual([]);
    const next = nextReport();
    answers[0]?.("trust");
    expect(await next).toMatchObject({ updated: ["p"], config: { questions: [] } });
    expect(answers).toHaveLength(1);
  });

  it("stops a server whose entry a project changes, until it is trusted again", async () => {
    const trust = createTrust({ store: createMemoryStore(), ask: () => Promise.resolve("trust") });
    const project = { path: ".mcp.json", scope: "project" } as const;
    const silent = { ...trust, canAsk: false };
    const home = createFakeHome();
    home.write("home/code/app/.mcp.json", mcpServers({ p: "p" }));
    const target: ConfigTarget = {
      applyServers: async (specs) => ({ added: [], updated: specs.map(({ id }) => id), removed: [], failed: [] }),
    };
    const first = await watchConfig({ ...home.place, files: [project], target, trust });
    const trusted = new Promise<ConfigReport>((resolve) => first.onReport(resolve));
    expect((await trusted).updated).toEqual(["p"]);
    await first.close();
    const { watch, edit } = await startWatch(() => undefined, { trust: silent, files: [project], home });
    expect(watch.config.servers.map(({ disabled }) => disabled)).toEqual([undefined]);
    const report = await edit(() => home.write("home/code/app/.mcp.json", mcpServers({ p: "evil" })));
    expect(report.updated).toEqual(["p"]);
    expect(report.config.servers).toMatchObject([{ id: "p", disabled: true, labels: { off: "untrusted" } }]);
  });

  it("does not watch where the settings say so", async () => {
    const settings = { watch: { enabled: false } };
    const { clock, watch } = await startWatch((fake) => {
      fake.write("home/.config/hostside/hostside.json", { servers: {}, settings });
    });
    await watch.reload();
    expect(clock.tasks()).toBe(0);
  });

  it("stops watching once the settings say so, until it is asked to load again", async () => {
    const path = "home/.config/hostside/hostside.json";
    const { home, edit, watch, clock } = await startWatch((fake) => {
      fake.write(path, { servers: {} });
    });
    expect(clock.tasks()).toBe(1);
    await edit(() => home.write(path, { servers: {}, settings: { watch: { enabled: false } } }));
    expect(clock.tasks()).toBe(0);
    home.write(path, { servers: {}, settings: {} });
    await watch.reload();
    expect(clock.tasks()).toBe(1);
  });

  it("leaves nothing behind, and says nothing more, after close()", async () => {
    const { home, watch, clock, reports } = await startWatch();
    home.write("home/.cursor/mcp.json", mcpServers({ b: "b" }));
    clock.pass();
    await clock.waiting();
    await watch.close();
    await watch.close();
    await watch.reload();
    expect(clock.tasks()).toBe(0);
    expect(reports).toEqual([]);
  });

  it("ends though its target does not", async () => {
    const { home, watch, applied } = await startWatch(undefined, {
      onApply: (count) => (count > 1 ? new Promise(() => undefined) : Promise.resolve(undefined)),
    });
    home.write("home/.cursor/mcp.json", mcpServers({ b: "b" }));
    void watch.reload();
    await expect.poll(() => applied.length).toBe(2);
    await watch.close();
  });

  it.each(["before", "after"])(
    "ends with its signal though whoever decides about trust does not, %s the first load",
    async (when) => {
      const home = createFakeHome();
      home.write("home/.cursor/mcp.json", mcpServers({ a: "a" }));
      const clock = openTestClock();
      const controller = new AbortController();
      const reason = new Error("enough");
      let asked = (): void => undefined;
      const isAsked = new Promise<void>((resolve) => (asked = resolve));
      const trust = {
        ...createTrust({ store: createMemoryStore() }),
        decide: () => (asked(), new Promise<never>(() => undefined)),
      };
      const brought = (): unknown => home.write("home/code/app/.mcp.json", mcpServers({ p: "p" }));
      if (when === "before") brought();
      const run = async (): Promise<unknown> => {
        const target: ConfigTarget = {
          applyServers: async () => ({ added: [], updated: [], removed: [], failed: [] }),
        };
        const watch = await watchConfig({ ...home.place, target, trust, signal: controller.signal });
        brought();
        await watch.reload();
        return watch.close();
      };
      const outcome = run().catch((error: unknown) => error);
      await isAsked;
      controller.abort(reason);
      expect(await outcome).toBe(when === "before" ? reason : undefined);
      expect(clock.tasks()).toBe(0);
    },
  );
});
