import { execa } from "execa";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}

it("the README packs what an installation of hostside needs, which is what its table has in the layers", () => {
  const readme = read("../../../README.md");
  expect(readme).toContain('--filter-prod "hostside..." pack --pack-destination <folder>');
  const inLayers = Array.from(readme.matchAll(/^\| [0-4] \| \[`(?:@hostside\/)?([^`]+)`\]/gm), ([, name]) => name);
  const { dependencies } = JSON.parse(read("../package.json")) as { readonly dependencies: Record<string, string> };
  const needed = Object.keys(dependencies).flatMap((name) => /^@hostside\/(.*)/.exec(name)?.[1] ?? []);
  expect(new Set(inLayers)).toEqual(new Set(["hostside", ...needed]));
});

/** The first TypeScript of a page. */
function firstSnippet(page: string): string {
  const [, code = ""] = /```ts\n(.*?)```/s.exec(read(page)) ?? [];
  return code;
}

// From here the package finds itself, as it is built, and npx finds the server without a download.
const cwd = fileURLToPath(new URL("..", import.meta.url));

it("the first snippet of the README runs as plain JavaScript, and the process ends", { timeout: 90_000 }, async () => {
  const input = firstSnippet("../../../README.md");
  const { stdout } = await execa(process.execPath, ["--input-type=module", "-"], { cwd, input, timeout: 80_000 });
  expect(stdout).toBe("true [ { type: 'text', text: 'Echo: hello' } ]");
});

it.each(["../README.md", "../../../docs/reference/host.md"])(
  "the first snippet of %s is plain JavaScript",
  async (page) => {
    const input = firstSnippet(page);
    expect(input).toContain("await createHost(");
    await execa(process.execPath, ["--check", "--input-type=module", "-"], { cwd, input, timeout: 60_000 });
  },
);
