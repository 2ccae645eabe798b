import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** A running process, as the system lists it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  readonly command: string;
}

/**
 * Every running process: from `/proc` on Linux, where slim images have no `ps`, and from `ps`
 * elsewhere. Zombies do not run.
 */
export async function readProcessTable(): Promise<readonly ProcessEntry[]> {
  return process.platform === "linux" ? readProc() : readPs();
}

/** Children of a process, their children, and so on. */
export function descendantsOf(pid: number, table: readonly ProcessEntry[]): readonly ProcessEntry[] {
  const children = table.filter((entry) => entry.parentPid === pid);
  return children.flatMap((child) => [child, ...descendantsOf(child.pid, table)]);
}

async function readProc(): Promise<readonly ProcessEntry[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(pids.map(readProcEntry));
  return entries.filter((entry) => entry !== undefined);
}

async function readProcEntry(pid: string): Promise<ProcessEntry | undefined> {
  try {
    const [stat, cmdline] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile(`/proc/${pid}/cmdline`, "utf8"),
    ]);
    // The second field is a name in parentheses that may itself hold spaces and parentheses.
    const [state = "", parent = "", group = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z") return undefined;
    const command = cmdline.replaceAll("\0", " ").trim();
    return { pid: Number(pid), parentPid: Number(parent), groupId: Number(group), command };
  } catch {
    // It ended between the two reads, which is an answer as well.
    return undefined;
  }
}

async function readPs(): Promise<readonly ProcessEntry[]> {
  const { stdout } = await promisify(execFile)("ps", ["-axo", "pid=,ppid=,pgid=,stat=,command="]);
  return stdout.split("\n").flatMap((line) => {
    const [, pid, parent, group, state = "", command = ""] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || state.startsWith("Z") || command.startsWith("ps -axo")) return [];
    return [{ pid: Number(pid), parentPid: Number(parent), groupId: Number(group), command }];
  });
}
