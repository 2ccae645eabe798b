import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ConfigEdit } from "@hostside/config";
import { loadConfig } from "@hostside/config/node";
import { describe, expect, it } from "vitest";
import { changeConfig, valueAt, type CurrentConfig } from "../../src/cli/configuring/edit-config.ts";
import { fakeTerminal, runIn, type FakeTerminal } from "../fake-terminal.ts";
import { homeFile, mcpServers, ownFile, readOwn } from "./user-files.ts";

describe("hostside add", () => {
  it("writes a program, with what it was given", async () => {
    using terminal = fakeTerminal();
    const words = [
      "add",
      "files",
      "--env",
      "ROOT=/srv",
      "--env",
      "API_KEY",
      "--deny",
      "write",
      "--",
      "npx",
      "-y",
      "x",
      "--env",
      "y",
    ];
    const { code, out } = await runIn(terminal, words);
    expect({ code, out }).toEqual({ code: 0, out: "files added to ~/.config/hostside/hostside.json\n" });
    expect(readOwn(terminal)).toEqual({
      imports: ["auto"],
      servers: {
        files: {
          command: "npx",
          args: ["-y", "x", "--env", "y"],
          env: { ROOT: "/srv", API_KEY: "${API_KEY}" },
          deny: ["write"],
        },
      },
    });
    expect(statSync(ownFile(terminal)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["by itself", ["add", "web", "https://example.com/mcp", "--header", "X-Team: a: b"]],
    ["behind --", ["add", "web", "--header", "X-Team:a: b", "--", "https://example.com/mcp"]],
  ])("writes a URL %s", async (_, words) => {
    using terminal = fakeTerminal();
    expect(await runIn(terminal, words)).toMatchObject({ code: 0 });
    expect(readOwn(terminal)).toMatchObject({
      servers: { web: { url: "https://example.com/mcp", headers: { "X-Team": "a: b" } } },
    });
  });

  it.each<[string, string[], string]>([
    ["a command that is one word", ["a", "npx -y x"], "one word"],
    ["no command", ["a"], "neither a command nor a URL"],
    ["a URL with arguments", ["a", "https://a.example.com", "b"], "no arguments"],
    ["a header for a program", ["a", "b", "--header", "X: y"], "--header is for a URL"],
    ["a variable for a URL", ["a", "https://a.example.com", "--env", "A=b"], "--env is for a program"],
    [
      "a credential over plain HTTP",
      ["a", "http://a.example.com", "--header", "Authorization: Bearer secretsecret"],
      "https",
    ],
    ["a name that nobody sees", ["\u200b", "b"], "nobody sees"],
    ["two files", ["a", "b", "--user", "--project"], "two files"],
    ["a file, and another one", ["a", "b", "--config", "x.json", "--project"], "--config names a file"],
    ["a file that is no JSON", ["a", "b", "--config", "x.toml"], "is no JSON"],
    ["another kind of URL", ["a", "ws://a.example.com"], "neither https: nor http:"],
    ["a relative program", ["a", "--", "./server.mjs"], '"./server.mjs" is relative'],
    ["a relative script", ["a", "--", "node", "server.mjs"], '"server.mjs" is relative'],
    ["a relative folder", ["a", "--cwd", "${X:-c}", "--", "b"], '"c" is relative'],
  ])("refuses %s, and writes nothing", async (_, words, message) => {
    using terminal = fakeTerminal();
    const { code, err } = await runIn(terminal, ["add", ...words]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
    expect(err).not.toContain("secretsecret");
    expect(readdirSync(terminal.home)).not.toContain(".config");
  });

  it.each([{ enabled: false }, { denyServers: ["a"] }, { allowServers: ["b"] }])(
    "refuses a credential over plain HTTP where the settings are %j",
    async (settings) => {
      using terminal = fakeTerminal();
      homeFile(terminal, ".config/hostside/hostside.json", { settings });
      const words = ["add", "a", "http://a.example.com", "--header", "Authorization: Bearer secretsecret"];
      expect(await runIn(terminal, words)).toMatchObject({ code: 2, err: expect.stringContaining("https") });
      expect(readOwn(terminal)).toEqual({ settings });
    },
  );

  it("takes a program that is relative to the folder of a project's file, and of a named one", async () => {
    using terminal = fakeTerminal();
    for (const place of [["--project"], ["--config", "named.json"]]) {
      const { code } = await runIn(terminal, ["add", "a", ...place, "--", "./server.mjs"]);
      expect(code).toBe(0);
    }
  });

  it("refuses a name that is taken, and says where, until it is asked to replace it", async () => {
    using terminal = fakeTerminal();
    const file = homeFile(
      terminal,
      ".config/hostside/hostside.json",
      `{\n  // mine\n  "servers": {\n    "a": {}\n  }\n}\n`,
    );
    const { code, err } = await runIn(terminal, ["add", "a", "b"]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`${file}:4 has a server "a" already`) });
    expect(await runIn(terminal, ["add", "a", "b", "--replace", "--json"])).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toContain("// mine");
    expect(JSON.parse(terminal.written.out)).toMatchObject({ changes: [{ file, name: "a", change: "replaced" }] });
  });

  it.each(["__proto__", "10", "constructor", "a b/c"])("takes %j for a name like any other", async (name) => {
    using terminal = fakeTerminal();
    expect(await runIn(terminal, ["add", name, "x"])).toMatchObject({ code: 0 });
    const { sources } = await loadConfig(placeOf(terminal));
    expect(sources.map(({ serverId }) => serverId)).toEqual([name]);
    expect(await runIn(terminal, ["remove", name])).toMatchObject({ code: 0 });
    expect((await loadConfig(placeOf(terminal))).sources).toEqual([]);
  });

  it("warns of names that are the same after normalisation, and names both", async () => {
    using terminal = fakeTerminal();
    homeFile(terminal, ".cursor/mcp.json", mcpServers({ "my-files": "a" }));
    const { code, err } = await runIn(terminal, ["add", "My_Files", "b"]);
    expect(code).toBe(0);
    expect(err).toMatch(/mcp\.json:3:5: .*"my-files" and "My_Files" in .* are the same after normalisation/);
  });

  it("warns of what looks like a secret, proposes a reference, and shows none of it", async () => {
    using terminal = fakeTerminal();
    const words = ["add", "a", "--json", "--env", "API_TOKEN=abcdefgh", "--", "npx", "x", "--api-key", "ijklmnop"];
    const { out, err } = await runIn(terminal, words);
    expect(JSON.parse(out)).toMatchObject({
      notes: expect.arrayContaining([
        expect.stringContaining("--env API_TOKEN"),
        expect.stringMatching(/^args\[2\] .*\$\{NAME\}/),
      ]),
    });
    expect(`${out}${err}`).not.toMatch(/abcdefgh|ijklmnop/);
    expect(JSON.stringify(readOwn(terminal))).toContain("abcdefgh");
  });

  it("loses no server of other tools by the first file of hostside's own, here and in other projects", async () => {
    using terminal = fakeTerminal();
    homeFile(terminal, ".cursor/mcp.json", mcpServers({ a: "a", b: "b" }));
    homeFile(terminal, ".claude.json", mcpServers({ b: "other" }));
    terminal.file(".mcp.json", mcpServers({ c: "c" }));
    mkdirSync(join(terminal.home, "elsewhere"));
    const other = join(terminal.home, "elsewhere");
    homeFile(terminal, "elsewhere/.vscode/mcp.json", { servers: { d: { type: "stdio", command: "d" } } });
    const look = async (cwd: string) => {
      const { sources } = await loadConfig({ ...placeOf(terminal), cwd });
      return sources.filter(({ serverId }) => serverId !== "new");
    };
    const before = [await look(terminal.cwd), await look(other)];
    await runIn(terminal, ["add", "new", "x"]);
    expect([await look(terminal.cwd), await look(other)]).toEqual(before);
    expect(before.flat().map(({ serverId }) => serverId)).toEqual(["a", "b", "c", "a", "b", "d"]);
  });

  it("writes for a project, and trusts what it wrote there", async () => {
    using terminal = fakeTerminal();
    terminal.file(".mcp.json", mcpServers({ theirs: "x" }));
    expect(await runIn(terminal, ["add", "mine", "x", "--project"])).toMatchObject({ code: 0 });
    const { out } = await runIn(terminal, ["trust", "--list", "--json"]);
    const file = join(terminal.cwd, "hostside.json");
    expect(JSON.parse(out)).toMatchObject({ records: [{ name: "mine", answer: "trust", file }] });
    expect(statSync(file).mode & 0o044).not.toBe(0);
    // What a project brings is not used in place of this one.
    expect((await runIn(terminal, ["add", "theirs", "x"])).err).toContain("not used in place of");
  });
});

describe("the file that is edited", () => {
  it.each([
    ["Latin-1", Buffer.from('{ "servers": {} } // M\u00fcller', "latin1")],
    ["UTF-16", Buffer.from('\uFEFF{ "servers": {} }', "utf16le")],
  ])("is left byte for byte as it is where it is %s", async (_, bytes) => {
    using terminal = fakeTerminal();
    const file = homeFile(terminal, ".config/hostside/hostside.json", "");
    writeFileSync(file, bytes);
    expect(await runIn(terminal, ["add", "a", "--", "x"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/UTF-(?:8|16)/),
    });
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it("keeps a byte order mark, comments, line ends and trailing commas", async () => {
    using terminal = fakeTerminal();
    const text = '\uFEFF{\r\n  // mine\r\n  "servers": {\r\n    "b": { "command": "b" }, /* b */\r\n  },\r\n}\r\n';
    const file = homeFile(terminal, ".config/hostside/hostside.json", text);
    expect(await runIn(terminal, ["add", "a", "--", "x"])).toMatchObject({ code: 0 });
    const after = readFileSync(file, "utf8");
    expect(after.startsWith('\uFEFF{\r\n  // mine\r\n  "servers": {\r\n    "b":')).toBe(true);
    expect(after).toContain("/* b */");
    expect(after.replaceAll("\r\n", "")).not.toContain("\n");
  });

  it("is the target of a link, with its mode; the link stays", async () => {
    using terminal = fakeTerminal();
    const target = homeFile(terminal, "dotfiles/hostside.json", "{ }\n");
    chmodSync(target, 0o640);
    mkdirSync(dirname(ownFile(terminal)), { recursive: true });
    symlinkSync(target, ownFile(terminal));
    expect(await runIn(terminal, ["add", "a", "x"])).toMatchObject({ code: 0 });
    expect(lstatSync(ownFile(terminal)).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, "utf8")).toContain('"a"');
    expect(statSync(target).mode & 0o777).toBe(0o640);
  });

  it.each<[string, (terminal: FakeTerminal) => void, number, string]>([
    ["half a file", (terminal) => homeFile(terminal, ".config/hostside/hostside.json", `{ "servers": {`), 2, ":1:15"],
    [
      "a file of another tool",
      (terminal) => homeFile(terminal, ".config/hostside/hostside.json", mcpServers({ a: "b" })),
      2,
      "of another tool",
    ],
    ["a folder", (terminal) => mkdirSync(ownFile(terminal), { recursive: true }), 2, "directory"],
    [
      "10 MB",
      (terminal) => homeFile(terminal, ".config/hostside/hostside.json", `{"servers":{}}${" ".repeat(11e6)}`),
      2,
      "bytes",
    ],
    [
      "a file that is read-only",
      (terminal) => chmodSync(homeFile(terminal, ".config/hostside/hostside.json", "{}"), 0o400),
      2,
      "read-only",
    ],
    ["what is below a file", (terminal) => writeFileSync(join(terminal.home, ".config"), ""), 2, "not a directory"],
  ])("is left as it is where it is %s", async (...[, prepare, exit, message]) => {
    using terminal = fakeTerminal();
    prepare(terminal);
    const before = treeOf(terminal.home);
    const { code, err } = await runIn(terminal, ["add", "new", "x"]);
    expect({ code, err }).toEqual({ code: exit, err: expect.stringContaining(message) });
    expect(treeOf(terminal.home)).toEqual(before);
  });

  it("is the one that --config names, also when nothing is left in it", async () => {
    using terminal = fakeTerminal();
    for (const words of [
      ["add", "a", "x"],
      ["remove", "a"],
      ["add", "b", "x"],
    ]) {
      expect(await runIn(terminal, [...words, "--config", "my.json"])).toMatchObject({ code: 0 });
    }
    const other = terminal.file("package.json", `{"name":"x"}`);
    expect(await runIn(terminal, ["add", "a", "x", "--config", other])).toMatchObject({ code: 2 });
    expect(readFileSync(other, "utf8")).toBe(`{"name":"x"}`);
  });

  it("keeps what an editor saves meanwhile", async () => {
    using terminal = fakeTerminal();
    const file = homeFile(terminal, ".config/hostside/hostside.json", "{}");
    const seen: boolean[] = [];
    const add = (name: string): ConfigEdit => ({ path: ["servers", name], value: {} });
    const place = { path: file, scope: "user" } as const;
    const plan = ({ parsed }: CurrentConfig) => {
      seen.push(valueAt(parsed.data, ["servers", "theirs"]) !== undefined);
      if (seen.length === 1) writeFileSync(file, `{ "servers": { "theirs": {} } }`);
      return { edits: [add("mine")] };
    };
    await changeConfig({ terminal, options: {} }, { place, plan });
    expect(seen).toEqual([false, true]);
    expect(readOwn(terminal)).toEqual({ servers: { theirs: {}, mine: {} } });
    expect(readdirSync(dirname(file))).toEqual(["hostside.json"]);
  });

  it("is changed by one hostside at a time", async () => {
    using terminal = fakeTerminal();
    const file = homeFile(terminal, ".config/hostside/hostside.json", "{}");
    const place = { path: file, scope: "user" } as const;
    const order: string[] = [];
    const change = (name: string, before: () => Promise<void>) =>
      changeConfig(
        { terminal, options: {} },
        {
          place,
          plan: async () => {
            await before();
            order.push(name);
            return { edits: [{ path: ["servers", name], value: {} }] };
          },
        },
      );
    let other: Promise<unknown> = Promise.resolve();
    await change("one", async () => {
      other = change("two", () => Promise.resolve());
      // As long as that one would need to look at the file, and longer.
      for (let turn = 0; turn < 100; turn++) await stat(file);
    });
    await other;
    expect(order).toEqual(["one", "two"]);
    expect(readOwn(terminal)).toEqual({ servers: { one: {}, two: {} } });
  });
});

function placeOf({ home, cwd, env, platform }: FakeTerminal) {
  return { home, cwd, env, platform };
}

// What may come of a try is a folder for locks alone.
function treeOf(folder: string): readonly string[] {
  const all = readdirSync(folder, { recursive: true }).map(String);
  const kept = all.filter((path) => !path.startsWith(".local")).toSorted();
  return kept.map((path) => `${path} ${statSync(join(folder, path)).size}`);
}
