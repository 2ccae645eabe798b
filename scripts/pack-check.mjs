// Tries the published packages as their users get them: packs all, installs the tarballs with npm into an empty folder outside this
// repository, type-checks a consumer against them in the two ways of resolving modules that are in use, runs it against a real
// server, bundles what must run in a browser, imports each package to see that nothing happens, and goes the way of a first user.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { build } from "esbuild";
import { tryFirstMinutes } from "./first-minutes.mjs";
import { packPackages } from "./pack-packages.mjs";
import { readJson } from "./workspace.mjs";

const { folder, packed } = packPackages();
const entries = packed.flatMap((one) => one.entries);
// `transports` bundles as well: its stdio part is behind a condition that a browser does not set.
const forBrowsers = entries.filter((entry) =>
  /^@hostside\/(core|naming|provider|discovery|policy|results|config|cluster|otel|gateway|transports|adapters$|auth)(?!\/node)\b/.test(
    entry,
  ),
);

const consumer = mkdtempSync(join(tmpdir(), "hostside-consumer-"));
try {
  install();
  await step("hostside bundles for Node without its optional parts", bundleForNode);
  linkPeers();
  for (const [resolution, options] of Object.entries(resolutions())) {
    await step(`a consumer type-checks with ${resolution} resolution`, () => typeCheck(resolution, options));
  }
  await step("a consumer connects, calls and closes", () => runNode("out/connect-and-call.js"));
  await step("a consumer of the façade calls and closes", () => runNode("out/compose.js"));
  for (const name of forBrowsers) await step(`${name} bundles for a browser`, () => bundleForBrowser(name));
  await step("CommonJS can require every package", () => runNode("--input-type=commonjs", "--eval", requireAll()));
  for (const entry of entries)
    await step(`importing ${entry} does nothing`, () => runNode("import-quietly.mjs", entry, ...frameworksOf(entry)));
  await tryFirstMinutes(packed, step);
} finally {
  rmSync(folder, { recursive: true, force: true });
  rmSync(consumer, { recursive: true, force: true });
}

/**
 * Runs one step and goes on to the next, also when it fails.
 * @param {string} title
 * @param {() => unknown} run A text that it returns or resolves with is shown beside the title.
 */
async function step(title, run) {
  try {
    const note = await run();
    console.log(`ok   ${title}${typeof note === "string" ? `, ${note}` : ""}`);
  } catch (error) {
    console.log(`FAIL ${title}: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}

function install() {
  cpSync("examples/src/consumer", consumer, { recursive: true });
  cpSync("scripts/import-quietly.mjs", join(consumer, "import-quietly.mjs"));
  const dependencies = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]));
  const devDependencies = { "@types/node": readJson("node_modules/@types/node/package.json").version };
  // The packages depend on each other by version; the overrides make npm take the tarballs for those as well.
  const manifest = { private: true, type: "module", dependencies, devDependencies, overrides: dependencies };
  writeFileSync(join(consumer, "package.json"), JSON.stringify(manifest));
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"], {
    cwd: consumer,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
}

/** Whoever imports an entry for a framework has the framework. Linked, not installed: they are a third of a gigabyte. */
function linkPeers() {
  for (const { peer, path } of packed.flatMap(({ peers }) => peers)) {
    const link = join(consumer, "node_modules", peer);
    if (existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(resolve(path), link, "junction");
  }
}

/**
 * What an entry for a framework imports of it.
 * @param {string} entry
 */
function frameworksOf(entry) {
  const [, name = ""] = /^(?:@hostside\/adapters|hostside)\/(.+)$/.exec(entry) ?? [];
  const file = join(consumer, `node_modules/@hostside/adapters/dist/${name}.js`);
  if (!existsSync(file)) return [];
  const code = readFileSync(file, "utf8");
  return Array.from(code.matchAll(/ from "([^".][^"]*)"/g), ([, specifier = ""]) => specifier).filter(
    (specifier) => !specifier.startsWith("@hostside/"),
  );
}

/**
 * The two ways in which TypeScript users resolve modules; nothing of ours may need `skipLibCheck`, and away from Node nothing but the
 * language and the DOM.
 */
function resolutions() {
  const common = { target: "ES2023", strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false };
  return {
    NodeNext: {
      include: ["connect-and-call.ts", "compose.ts"],
      compilerOptions: {
        ...common,
        module: "NodeNext",
        lib: ["ES2023"],
        types: ["node"],
        outDir: "out",
      },
    },
    Bundler: {
      include: ["browser.ts"],
      compilerOptions: {
        ...common,
        target: "ES2022",
        module: "ESNext",
        moduleResolution: "Bundler",
        lib: ["ES2022", "DOM"],
        types: [],
        noEmit: true,
        listFiles: true,
      },
    },
  };
}

/** @param {string} resolution @param {object} options */
function typeCheck(resolution, options) {
  const file = join(consumer, `tsconfig.${resolution}.json`);
  writeFileSync(file, JSON.stringify(options));
  const compiler = resolve("node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", file], { cwd: consumer, encoding: "utf8" });
  const lines = stdout.split("\n");
  if (status !== 0) throw new Error(`the compiler says\n${lines.filter((line) => !isAbsolute(line)).join("\n")}`);
  // Types of a dependency in our own would be part of our contract, and change with it.
  const foreign = new Set(lines.map(packageOf).filter((name) => name !== "" && !isOurs(name)));
  if (foreign.size > 0) throw new Error(`types of ours need those of ${Array.from(foreign).join(", ")}`);
}

/**
 * The package that a file of the consumer's belongs to; `""` for any other line that the compiler prints.
 * @param {string} line
 */
function packageOf(line) {
  if (!isAbsolute(line) || !line.includes(basename(consumer))) return "";
  return /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(line)?.[1]?.replace("\\", "/") ?? "";
}

/** @param {string} name */
function isOurs(name) {
  return packed.some((one) => one.name === name);
}

/** @param {string[]} args */
function runNode(...args) {
  execFileSync(process.execPath, args, { cwd: consumer, stdio: ["ignore", "inherit", "inherit"], timeout: 60_000 });
}

function requireAll() {
  return entries.map((entry) => `require(${JSON.stringify(entry)});`).join("\n");
}

/** As Next does with a route, where nobody installed a keyring. */
async function bundleForNode() {
  await build({
    stdin: { contents: 'export * from "hostside";', resolveDir: consumer },
    bundle: true,
    platform: "node",
    format: "esm",
    outdir: join(consumer, "bundle"),
    logLevel: "error",
  });
}

/** @param {string} name */
async function bundleForBrowser(name) {
  // A Node built-in cannot be resolved for a browser, so the build itself fails on one and names the import.
  const { outputFiles } = await build({
    stdin: { contents: `export * from ${JSON.stringify(name)};`, resolveDir: consumer },
    bundle: true,
    platform: "browser",
    format: "esm",
    minify: true,
    write: false,
    logLevel: "error",
  });
  const text = outputFiles.map((file) => file.text).join("");
  const leaked = ["child_process", '"node:', "cross-spawn"].filter((word) => text.includes(word));
  if (leaked.length > 0) throw new Error(`the bundle contains ${leaked.join(" and ")}`);
  return `${Math.ceil(text.length / 1024)} kB minified`;
}
