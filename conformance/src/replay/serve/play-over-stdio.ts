import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ServerSpec } from "@hostside/core";
import { serverTypeOf } from "@hostside/core/implement";
import type { Replay } from "../play/create-replay.ts";

/** The pipes of a program. */
export interface ProgramPipes {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/**
 * Plays one process of a recorded server over the pipes of this program. Resolves with how the
 * recorded one ended.
 */
export async function playOverStdio(
  replay: Replay,
  serverId: string | undefined,
  pipes: ProgramPipes,
): Promise<ProgramEnd> {
  const spec = recordedServer(replay, "stdio", serverId);
  const { spawn } = replay.effects(spec);
  if (spawn === undefined) throw new TypeError("it was not reached by stdio");
  return joinPipes(spawn("", [], undefined as never, () => undefined) as ChildProcess, pipes);
}

/**
 * Joins the pipes of this program with those of a process, until that has ended and all that it
 * wrote is written.
 */
export async function joinPipes(child: ChildProcess, { stdin, stdout, stderr }: ProgramPipes): Promise<ProgramEnd> {
  const ended = once(child, "exit") as Promise<[number | null, string | null]>;
  if (child.stdin === null || child.stdout === null || child.stderr === null)
    throw new TypeError("a process needs three pipes");
  for (const pipe of [child.stdin, stdout, stderr]) pipe.on("error", ignore);
  stdin.pipe(child.stdin);
  const written = Promise.allSettled([
    pipeline(child.stdout, stdout, { end: false }),
    pipeline(child.stderr, stderr, { end: false }),
  ]);
  // A server that closes its stdout and goes on is seen to do so.
  child.stdout.once("end", () => child.exitCode === null && child.signalCode === null && stdout.end());
  const [code, signal] = await ended;
  await written;
  return { code, signal };
}

function ignore(): void {}

/**
 * The one of a recording that is meant, by its id, or because there is no other one of its type.
 * Throws a `TypeError` otherwise.
 */
export function recordedServer({ servers }: Replay, type: "stdio" | "http", id: string | undefined): ServerSpec {
  const fit = servers.filter((server) => serverTypeOf(server) === type && (id === undefined || server.id === id));
  const [only] = fit;
  if (only !== undefined && fit.length === 1) return only;
  const named = servers.map((server) => `${JSON.stringify(server.id)} (${serverTypeOf(server)})`).join(", ");
  const wish = id === undefined ? `one server over ${type}` : `${JSON.stringify(id)} over ${type}`;
  throw new TypeError(`the recording does not have ${wish}; it has ${named === "" ? "none" : named}`);
}
