// Runs the code and the commands of docs/start and docs/migrate, and some of docs/how-to, as a user does: in a folder that has
// the packages and the files of the page, against what was built.
import { fixtureServer, startHttpFixture, type RunningServer } from "@hostside/fixtures";
import { build, transform } from "esbuild";
import { execa, execaNode } from "execa";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readTrackedFiles } from "../../scripts/tracked-files.mjs";
import { promisedOutput, readBlocks, type ReadmeBlock } from "../../test/readme-blocks.ts";

const all = readTrackedFiles("docs/start/*.md", "docs/migrate/*.md", "docs/how-to/*.md");
const driverOf = (page: string): string => `examples/test/${page.replace(/\.md$/, ".ts")}`;
// A how-to needs what no test has, such as a model or a database, unless there is a driver for it.
const pages = all.filter((page) => !page.startsWith("docs/how-to") || existsSync(driverOf(page)));
const texts = new Map(await Promise.all(pages.map(async (page) => [page, await readFile(page, "utf8")] as const)));
const blocks = await readBlocks(pages);
const modules = "examples/node_modules";
const root = resolve("examples/.programs");

let server: RunningServer;
beforeAll(async () => {
  await rm(root, { recursive: true, force: true });
  server = await startHttpFixture("modern-http", { runIn: "child" });
});
afterAll(async () => {
  await server.close();
  await rm(root, { recursive: true, force: true });
});

describe.each(pages)("%s", (page) => {
  const own = blocks.filter(({ source }) => source === page);
  const isDriven = ({ code }: ReadmeBlock): boolean => /^export (?:async )?function/m.test(code);
  const isHowTo = page.startsWith("docs/how-to");
  const isTest = ({ code }: ReadmeBlock): boolean => code.includes('from "vitest"');
  const programs = isHowTo ? [] : own.filter((block) => !isDriven(block) && !isTest(block));
  const commands = isHowTo ? [] : readCommands(page);

  it.each(programs)("the program at line $line prints what it says", async ({ code, line }) => {
    expect(promisedOutput(code)).not.toEqual([]);
    const folder = await openFolder(page);
    const file = join(folder, `line-${line}.mjs`);
    await writeFile(file, (await transform(withServer(code), { loader: "ts", target: "node20" })).code);
    const { stdout } = await execaNode(file, { nodeOptions: [], cwd: folder, env: homeOf(folder) });
    expect(stdout).toBe(promisedOutput(code).join("\n"));
  });

  it.each(own.some(isDriven) ? [driverOf(page)] : [])("its functions do what it says, by %s", async (driver) => {
    const folder = await openFolder(page);
    const files = own.filter(isDriven).map(({ line, code }) => ({ path: join(folder, `line-${line}.ts`), code }));
    for (const { path, code } of files) await writeFile(path, withServer(code));
    const contents = [
      `import { drive } from ${JSON.stringify(resolve(driver))};`,
      ...files.map(({ path }, at) => `import * as page${at} from ${JSON.stringify(path)};`),
      `await drive(${files.map((_, at) => `page${at}`).join(", ")});`,
      'console.log("driven");',
    ].join("\n");
    const outfile = join(folder, "drive.mjs");
    const stdin = { contents, resolveDir: folder };
    // What is imported by a name stays so: it is loaded from where the page's reader has it.
    await build({
      stdin,
      bundle: true,
      packages: "external",
      platform: "node",
      format: "esm",
      target: "node20",
      outfile,
    });
    const { stdout } = await execaNode(outfile, { nodeOptions: [], cwd: folder, env: homeOf(folder) });
    expect(stdout).toBe("driven");
  });

  it.each(commands)("$command", async ({ command, output }) => {
    const folder = await openFolder(page);
    const result = await execa(withServer(command).replace(/^npx /, "npx --no-install "), {
      shell: true,
      cwd: folder,
      env: homeOf(folder),
      input: "",
      all: true,
    });
    for (const line of output) expect(withoutTimes(result.all)).toContain(withoutTimes(line));
  });
});

interface Command {
  readonly command: string;
  /** Lines that the page shows below it. */
  readonly output: readonly string[];
}

/** The commands of a page that begin with `npx`; what is installed is not installed again. */
function readCommands(page: string): readonly Command[] {
  const shown = /^```sh\n(?<commands>.*?)^```$(?:\n\n^```text\n(?<output>.*?)^```$)?/gms;
  return Array.from(texts.get(page)?.matchAll(shown) ?? [], ({ groups }) => {
    const lines = (groups?.["commands"] ?? "").trimEnd().split("\n");
    const output = (groups?.["output"] ?? "").split("\n").filter((line) => line.trim() !== "" && !line.includes("…"));
    return lines
      .filter((line) => line.startsWith("npx "))
      .map((line, at, all) => ({
        command: line.replace(/\s+# .*$/, ""),
        output: at === all.length - 1 ? output : [],
      }));
  }).flat();
}

/** A folder that has the packages and the files that the page shows. */
async function openFolder(page: string): Promise<string> {
  const folder = join(root, page.replaceAll("/", "-").replace(/\.md$/, ""));
  if (existsSync(folder)) return folder;
  await mkdir(join(folder, "home"), { recursive: true });
  await symlink(resolve(modules), join(folder, "node_modules"), "junction");
  // The page about the kit calls the reader's server so.
  const { args } = fixtureServer("modern-stdio");
  await writeFile(join(folder, "server.js"), args.map((path) => `import ${JSON.stringify(path)};\n`).join(""));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const files = /`(?<path>[\w./-]+)`[^`\n]*:\n\n```(?:json|yaml)\n(?<text>.*?)^```$/gms;
  for (const { groups } of texts.get(page)?.matchAll(files) ?? []) {
    const file = join(folder, groups?.["path"] ?? "");
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, withServer(groups?.["text"] ?? ""));
  }
  return folder;
}

/**
 * The server that pages call `https://mcp.example.com/mcp` is one of the fixtures. What npx starts
 * is started without it: npx takes seconds, and on a busy machine longer than a host waits.
 */
function withServer(text: string): string {
  return text
    .replaceAll("https://mcp.example.com/mcp", server.url)
    .replaceAll(
      /"npx"(,?\s+"?args"?: )\["-y", "(@modelcontextprotocol\/[\w-]+)"/g,
      (_, between: string, name: string) =>
        `"node"${between}[${JSON.stringify(resolve(modules, name, "dist/index.js"))}`,
    );
}

function homeOf(folder: string): NodeJS.ProcessEnv {
  const home = join(folder, "home");
  return { HOME: home, USERPROFILE: home, XDG_STATE_HOME: home, XDG_CONFIG_HOME: join(home, ".config"), NO_COLOR: "1" };
}

function withoutTimes(text: string): string {
  return text.replaceAll(/\d+(?:\.\d+)? (?:ms|s)\b/g, "some time");
}
