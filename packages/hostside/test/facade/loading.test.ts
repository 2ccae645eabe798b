import { spawnSync } from "node:child_process";
import { describe, expect, it, vi } from "vitest";
import { createHost } from "hostside";
import { createFakeConnector } from "./fake-connector.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

const built = new URL("../../dist/index.js", import.meta.url).href;
const later = [
  "auth/dist/index",
  "auth/dist/node",
  "cluster/dist/index",
  "config/dist/index",
  "config/dist/node",
  "otel/dist/index",
  "yaml/",
  "toml-eslint-parser/",
  "undici/",
  "node:http",
];

/** Tells which of the modules in {@link later} a program loads, in their order. */
function loadedBy(program: string): readonly string[] {
  const urls = urlsLoadedBy(program);
  return later.filter((name) => urls.includes(name));
}

/** The URLs of all modules that a program loads after the entry `hostside`, one in a line. */
function urlsLoadedBy(program: string): string {
  const hooks = `
    import { writeSync } from "node:fs";
    export async function load(url, context, next) {
      writeSync(2, url + "\\n");
      return next(url, context);
    }`;
  const code = `
    import { register } from "node:module";
    register("data:text/javascript," + encodeURIComponent(${JSON.stringify(hooks)}));
    const { createHost } = await import(${JSON.stringify(built)});
    ${program}`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, expect.stringContaining("core/dist/")]);
  return stderr;
}

describe("a host loads what its options ask for, and no more:", () => {
  it.each([
    ["without options", `const host = await createHost(); await host.conversation();`, []],
    ["with a pool", `const host = await createHost({ pool: {} });`, ["cluster/dist/index"]],
    ["with options of sign-ins", `const host = await createHost({ auth: {} });`, ["auth/dist/index", "auth/dist/node"]],
    [
      "when sign-ins are listed",
      `const host = await createHost(); await host.oauth.list();`,
      ["auth/dist/index", "auth/dist/node"],
    ],
  ])("%s", (_, program, loaded) => {
    expect(loadedBy(`${program} await host.close();`)).toEqual(loaded);
  });

  it("at import few files, and neither resources nor caches", () => {
    const urls = urlsLoadedBy("");
    // Each file takes a millisecond to find, read and link.
    expect(urls.match(/^file:/gm)?.length).toBeLessThanOrEqual(22);
    expect(urls).not.toMatch(/provider\/dist\/resources|lru-cache/);
  });

  it.each([
    ["hostside.json", '{ "servers": {} }', []],
    ["codex.toml", "[mcp_servers]", ["toml-eslint-parser/"]],
    ["goose.yaml", "extensions: {}", ["yaml/"]],
  ])("the parser of %s", (name, text, parsers) => {
    const file = createTemporaryFolder().write(name, text);
    const options = JSON.stringify({ config: { files: [file], watch: false }, state: "memory" });
    const loaded = loadedBy(`const host = await createHost(${options}); await host.close();`);
    expect(loaded).toEqual(["config/dist/node", ...parsers]);
  });

  it("starts servers before it draws a random number, which loads the cryptography of Node", async () => {
    using values = vi.spyOn(crypto, "getRandomValues");
    using uuid = vi.spyOn(crypto, "randomUUID");
    const countDrawn = (): number => values.mock.calls.length + uuid.mock.calls.length;
    const connector = createFakeConnector();
    const before: number[] = [];
    await using host = await createHost({
      connector: {
        ...connector,
        async connect(...given) {
          before.push(countDrawn());
          return connector.connect(...given);
        },
      },
      servers: { a: { command: "x" } },
      policy: { deny: ["*/never"], approval: { mode: "all", handler: async () => "no" } },
    });
    expect(before).toEqual([0]);
    await host.conversation();
    expect(countDrawn()).toBeGreaterThan(0);
  });
});
