import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, readlink, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The built command line. */
export const program: string = fileURLToPath(new URL("../../bin/hostside.js", import.meta.url));

/**
 * A folder to work in, the home of somebody who has nothing yet, and the environment of a shell
 * there.
 */
export interface WorkFolder extends AsyncDisposable {
  /** Where commands are started. Its path has no link in it. */
  readonly folder: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /**
   * Writes files by their paths in the folder; what is no text is written as JSON. Resolves to the
   * path of the last one.
   */
  write(files: Readonly<Record<string, unknown>>): Promise<string>;
  read(path: string): Promise<string>;
  /**
   * The command lines of processes that were started here, by the command line or by what it
   * started. Elsewhere than on Linux none is found.
   */
  processes(): Promise<readonly string[]>;
}

/**
 * Makes a {@linkcode WorkFolder}. Nothing of the environment of the tests is in it but where
 * programs are found.
 */
export async function createWorkFolder(): Promise<WorkFolder> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "hostside-cli-")));
  const [folder, home] = [join(root, "work"), join(root, "home")];
  await Promise.all([mkdir(folder), mkdir(home)]);
  const kept = ["PATH", "SystemRoot", "ComSpec", "PATHEXT", "TEMP", "TMP"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const env = { ...Object.fromEntries(kept), HOME: home, USERPROFILE: home, LANG: "C.UTF-8" };
  return {
    folder,
    home,
    env,
    async write(files) {
      let last = folder;
      for (const [path, content] of Object.entries(files)) {
        last = join(folder, path);
        await mkdir(dirname(last), { recursive: true });
        // Renamed into place, so that a command that watches never sees half a file.
        const fresh = `${last}.${randomUUID()}`;
        await writeFile(fresh, typeof content === "string" ? content : JSON.stringify(content, undefined, 2));
        await rename(fresh, last);
      }
      return last;
    },
    read: (path) => readFile(join(folder, path), "utf8"),
    async processes() {
      if (process.platform !== "linux") return [];
      const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
      const found = await Promise.all(pids.map((pid) => commandWithin(root, pid)));
      return found.filter((command) => command !== undefined);
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

// Servers get hardly any of the environment, and a session of their own; the folder that they work
// in is what they all inherit.
async function commandWithin(root: string, pid: string): Promise<string | undefined> {
  try {
    const [cwd, commandLine] = await Promise.all([
      readlink(`/proc/${pid}/cwd`),
      readFile(`/proc/${pid}/cmdline`, "utf8"),
    ]);
    // A zombie has no command line, and does not run.
    const isOurs = `${cwd}${sep}`.startsWith(`${root}${sep}`) && commandLine !== "";
    return isOurs ? commandLine.replaceAll("\0", " ").trim() : undefined;
  } catch {
    // It ended between two reads, or is somebody else's.
    return undefined;
  }
}
