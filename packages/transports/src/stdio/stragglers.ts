import { readdir, readFile } from "node:fs/promises";
import { startVariable } from "./start-variable.ts";

const readAtOnce = 32;

/**
 * Finds the processes whose environment carries a mark: those of one start that left their group,
 * to lead a session of their own. On Linux alone, and only those of the same user; elsewhere, and
 * without `/proc`, none. A process that had the variable removed is not found: that is how one says
 * that it is to stay. Never rejects.
 */
export async function findStragglers(mark: string, platform: NodeJS.Platform): Promise<readonly number[]> {
  if (platform !== "linux") return [];
  const entries = await readdir("/proc").catch((): string[] => []);
  const pids = entries.filter((entry) => /^\d+$/.test(entry)).map(Number);
  const found: number[] = [];
  for (let start = 0; start < pids.length; start += readAtOnce) {
    const some = pids.slice(start, start + readAtOnce).filter((pid) => pid !== process.pid);
    const marked = await Promise.all(some.map((pid) => isMarked(pid, mark)));
    found.push(...some.filter((_, index) => marked[index]));
  }
  return found;
}

async function isMarked(pid: number, mark: string): Promise<boolean> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, "latin1");
    return environment.split("\0").some((entry) => entry.startsWith(`${startVariable}=`) && entry.includes(mark));
  } catch {
    // It ended, or is somebody else's.
    return false;
  }
}
