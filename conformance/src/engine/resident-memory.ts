import { readdirSync, readFileSync } from "node:fs";

/**
 * How many bytes of memory a group of processes has, by the number of the process that leads it; of
 * this process without one. `undefined` where the system has no `/proc` to look it up in.
 */
export function residentMemory(leader: number | undefined): number | undefined {
  if (leader === undefined) return process.memoryUsage.rss();
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .reduce((sum, pid) => sum + memoryIn(pid, leader), 0);
  } catch {
    // No such folder: not a system that tells.
    return undefined;
  }
}

function memoryIn(pid: string, leader: number): number {
  try {
    // After the name, which may have spaces and brackets of its own: state, parent, group.
    const [, , group] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    if (Number(group) !== leader) return 0;
    const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    // It ended meanwhile.
    return 0;
  }
}
