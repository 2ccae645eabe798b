import { randomUUID } from "node:crypto";
import { link, readdir, readFile, realpath, unlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { isPlainObject } from "@hostside/core/implement";

/** Who holds a file. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, as its machine counts; absent where that cannot be known. */
  readonly startedAt?: string | undefined;
}

interface Turn {
  readonly file: string;
  readonly number: number;
}

const mostTries = 10;

/**
 * Makes this process the only one of those that do so as well to use a file, until the returned
 * function is called. Beside the file stands `<path>.lock.<number>` with who has it; the highest
 * number counts, and is made as one that must be new, so that of several who find a dead holder one
 * is next. Throws an `Error` that says who has it. A holder on this machine that has died has it no
 * more; of one on another machine nobody knows.
 */
export async function lockFile(path: string): Promise<() => Promise<void>> {
  const folder = await realpath(dirname(path));
  const prefix = `${basename(path)}.lock.`;
  const draft = join(folder, `${prefix}${randomUUID()}.tmp`);
  const own: Holder = { pid: process.pid, host: hostname(), startedAt: await startOf(process.pid) };
  await writeFile(draft, JSON.stringify(own), { mode: 0o600, flag: "wx" });
  try {
    for (let attempt = 0; attempt < mostTries; attempt += 1) {
      const latest = (await listTurns(folder, prefix)).at(-1);
      await assertDead(folder, latest === undefined ? [] : [latest]);
      const file = `${prefix}${(latest?.number ?? 0) + 1}`;
      if (!(await makeNew(draft, join(folder, file)))) continue;
      const others = (await listTurns(folder, prefix)).filter((turn) => turn.file !== file);
      try {
        await assertDead(folder, others);
      } catch (error) {
        await remove(join(folder, file));
        throw error;
      }
      await Promise.all(others.map((other) => remove(join(folder, other.file))));
      return () => remove(join(folder, file));
    }
    throw new Error("others take it all the time");
  } finally {
    await remove(draft);
  }
}

async function listTurns(folder: string, prefix: string): Promise<readonly Turn[]> {
  const turns = (await readdir(folder)).flatMap((file) => {
    const number = file.startsWith(prefix) ? file.slice(prefix.length) : "";
    return /^[1-9]\d{0,14}$/.test(number) ? [{ file, number: Number(number) }] : [];
  });
  return turns.toSorted((a, b) => a.number - b.number);
}

async function assertDead(folder: string, turns: readonly Turn[]): Promise<void> {
  for (const { file } of turns) {
    const holder = await readHolder(join(folder, file));
    if (holder === undefined || (await isDead(holder))) continue;
    const where = holder.host === hostname() ? "" : ` on ${JSON.stringify(holder.host.slice(0, 80))}`;
    const stale = where === "" ? "" : `; if it has ended, delete ${join(folder, file)}`;
    throw new Error(`process ${holder.pid}${where} writes to it: give each process a file of its own${stale}`);
  }
}

/** `undefined`: it is gone. */
async function readHolder(path: string): Promise<Holder | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  const { pid, host, startedAt } = toRecord(text);
  // What nobody can read is somebody's.
  if (!Number.isSafeInteger(pid) || Number(pid) < 1 || typeof host !== "string") {
    throw new Error(`${path} is not the lock of an audit log: if nobody writes to it, delete that`);
  }
  return { pid: Number(pid), host, startedAt: typeof startedAt === "string" ? startedAt : undefined };
}

function toRecord(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : {};
  } catch {
    return {};
  }
}

async function isDead({ pid, host, startedAt }: Holder): Promise<boolean> {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
  // A number is given again, the first one of a container each time.
  const now = await startOf(pid);
  return startedAt !== undefined && now !== undefined && now !== startedAt;
}

/** When a process began, in ticks since its machine did; Linux alone says so. */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    // Its name, in parentheses, may have anything in it.
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

async function makeNew(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw error;
  });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
