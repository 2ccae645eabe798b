import { execa, execaNode } from "execa";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A small repository on disk, for trying the scripts of this one on it. */
export interface TemporaryTree extends AsyncDisposable {
  readonly folder: string;
  /** Writes files, by path; a value that is not a text is written as JSON. */
  write(files: Readonly<Record<string, unknown>>): Promise<void>;
  /** Runs `scripts/<name>.mjs` of this repository there. */
  run(
    name: string,
    ...args: readonly string[]
  ): Promise<{ readonly exitCode: number | undefined; readonly output: string }>;
  /** Runs a program of this repository's `node_modules/.bin` there. */
  runTool(
    name: string,
    ...args: readonly string[]
  ): Promise<{ readonly exitCode: number | undefined; readonly output: string }>;
  git(...args: readonly string[]): Promise<void>;
}

/** Makes a {@linkcode TemporaryTree} with the given files. */
export async function createTemporaryTree(files: Readonly<Record<string, unknown>>): Promise<TemporaryTree> {
  const folder = await mkdtemp(join(tmpdir(), "hostside-tree-"));
  const write = async (more: Readonly<Record<string, unknown>>): Promise<void> => {
    for (const [path, content] of Object.entries(more)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), typeof content === "string" ? content : JSON.stringify(content));
    }
  };
  await write(files);
  return {
    folder,
    write,
    async run(name, ...args) {
      const script = fileURLToPath(new URL(`../scripts/${name}.mjs`, import.meta.url));
      const { exitCode, all } = await execaNode(script, args, {
        nodeOptions: [],
        cwd: folder,
        all: true,
        reject: false,
      });
      return { exitCode, output: all };
    },
    async runTool(name, ...args) {
      const { exitCode, all } = await execa(name, args, {
        cwd: folder,
        localDir: fileURLToPath(new URL("..", import.meta.url)),
        preferLocal: true,
        all: true,
        reject: false,
        env: { NO_COLOR: "1" },
      });
      return { exitCode, output: all };
    },
    async git(...args) {
      const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
      await execa("git", [...identity, ...args], { cwd: folder });
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The same, as a git repository: for scripts that look at what git tracks. */
export async function createTemporaryRepository(files: Readonly<Record<string, unknown>>): Promise<TemporaryTree> {
  const tree = await createTemporaryTree(files);
  await tree.git("init", "--quiet");
  return tree;
}
