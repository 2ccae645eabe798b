import { readWith, writeWholeFile } from "./write-reports.ts";
import { cleanText } from "@hostside/core";
import { diffLocks, formatLock, lockTools, parseLock, type ToolChange, type ToolLock } from "@hostside/policy/lock";
import { exitCodes } from "../engine/run-report.ts";
import type { TextStyle } from "../report/text-style.ts";
import { readOffer } from "../server/read-offer.ts";
import { refuse, messageOf, type CommandIo } from "./command-io.ts";
import { type LockCommandLine, startTime } from "./command.ts";
import { readTarget, thenSignOut } from "./read-target.ts";

/**
 * Runs `lock` or `diff` and resolves with the exit code. `diff` fails on breaking and on
 * security-relevant changes.
 */
export async function runLockCommand(commandLine: LockCommandLine, io: CommandIo): Promise<number> {
  const { kind, file } = commandLine;
  // Read first, so that a missing lock file does not start a server.
  const locked = kind === "diff" ? await readWith(file, parseLock, `--file ${file}`) : undefined;
  if (typeof locked === "string") return refuse(locked, io);
  const current = await lockServer(commandLine, io);
  if (typeof current === "number") return current;
  if (locked !== undefined) return tell(diffLocks(locked, current), commandLine, io);
  try {
    await writeWholeFile(file, formatLock(current));
  } catch (error) {
    return refuse(`--file ${messageOf(error)}`, io);
  }
  io.out(`${file}: ${current.tools.length} ${current.tools.length === 1 ? "tool" : "tools"}, ${current.hash}\n`);
  return exitCodes.pass;
}

async function lockServer({ target }: LockCommandLine, io: CommandIo): Promise<ToolLock | number> {
  const { signal } = io;
  const address = await readTarget(target, signal);
  if (typeof address === "string") return refuse(address, io);
  const offer = await thenSignOut(address, readOffer(address, { signal, ...startTime(target) }));
  if (offer.ok) return lockTools(offer.tools, offer.server);
  const { obstacle, reason } = offer;
  if (obstacle === undefined) return refuse(reason, io, exitCodes.fail);
  const code = obstacle.kind === "auth-required" ? exitCodes.authRequired : exitCodes.unreachable;
  return refuse(obstacle.stderr === undefined ? reason : `${reason}\n${obstacle.stderr}`, io, code);
}

function tell(changes: readonly ToolChange[], { file, strict }: LockCommandLine, { out, style }: CommandIo): number {
  const count = (kind: ToolChange["kind"]): number => changes.filter((change) => change.kind === kind).length;
  const [breaking, security] = [count("breaking"), count("security")];
  for (const change of changes) out(`${describeChange(change, style)}\n`);
  const sum = `${breaking} breaking, ${security} security-relevant, ${count("compatible")} compatible`;
  out(changes.length === 0 ? `The server offers what ${file} says.\n` : `${sum}\n`);
  return breaking + security > 0 || (strict && changes.length > 0) ? exitCodes.fail : exitCodes.pass;
}

function describeChange({ kind, tool, path, what }: ToolChange, style: TextStyle): string {
  const paint = { breaking: style.bad, security: style.warn, compatible: style.good }[kind];
  const where = [tool === undefined ? "server" : JSON.stringify(tool), ...(path === "" ? [] : [path])].join(" ");
  // What changed is a stranger's text.
  return `${paint(kind.padEnd(10))}  ${cleanText(`${where} ${what}`).replaceAll("\n", " ")}`;
}
