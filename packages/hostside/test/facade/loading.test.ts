import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

const built = new URL("../../dist/index.js", import.meta.url).href;
const later = [
  "auth/dist/index",
  "auth/dist/node",
  "cluster/dist/index",
  "config/dist/index",
  "config/dist/node",
  "otel/dist/index",
  "yaml/",
  "undici/",
  "node:http",
];

/** Tells which of the modules in {@link later} a program loads, in their order. */
function loadedBy(program: string): readonly string[] {
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
  return later.filter((name) => stderr.includes(name));
}

describe("a host loads what its options ask for, and no more:", () => {
  it.each([
    ["without options", `const host = await createHost(); await host.conversation();`, []],
    ["with a pool", `const host = await createHost({ pool: {} });`, ["cluster/dist/index"]],
    [
      "with options of sign-ins",
      `const host = await createHost({ auth: {} });`,
      ["auth/dist/index", "auth/dist/node", "node:http"],
    ],
    [
      "when sign-ins are listed",
      `const host = await createHost(); await host.oauth.list();`,
      ["auth/dist/index", "auth/dist/node", "node:http"],
    ],
  ])("%s", (_, program, loaded) => {
    expect(loadedBy(`${program} await host.close();`)).toEqual(loaded);
  });
});
