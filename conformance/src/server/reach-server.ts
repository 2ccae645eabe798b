import { spawn } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";
import { openSseSession } from "./sse-session.ts";
import { cleanText } from "@hostside/core";
import { untilAborted, type Redactor } from "@hostside/core/implement";
import type { Obstacle } from "../engine/run-report.ts";
import { attemptHandshake, describeAnswer, type Handshake } from "./handshake.ts";
import type { Answer, RawSession, StdioSession } from "./raw-session.ts";
import { readySession } from "./ready-session.ts";
import type { HttpSessionOptions } from "./http-wire.ts";
import type { ServerAddress } from "./server-address.ts";
import type { TargetOwner } from "./server-target.ts";
import { describeStartProblem } from "./start-problem.ts";

/** What came of the first contact. */
export type Reached =
  /** The handshake is done, and its session is the target's shared one. */
  | { readonly kind: "ready"; readonly handshake: Handshake }
  /** Something answers, but not as it should, or the run was stopped: the checks tell. */
  | { readonly kind: "answers"; readonly status?: number }
  | { readonly kind: "obstacle"; readonly obstacle: Obstacle };

/** What is reached, and how. */
export interface ReachOptions {
  readonly address: ServerAddress;
  readonly answerMs: number;
  /** How long the first answer may take, in milliseconds. */
  readonly startMs: number;
  readonly redact: Redactor;
  readonly signal?: AbortSignal | undefined;
}

const stderrLength = 2000;

/**
 * Finds out whether there is a server at all, before thirty checks find out one by one. A server
 * that cannot be started, ends or hangs before its first answer, refuses the connection or asks for
 * credentials is an obstacle. Never rejects.
 */
export async function reachServer(owner: TargetOwner, options: ReachOptions): Promise<Reached> {
  const startedAt = performance.now();
  const slowdown = options.address.type === "stdio" ? measureSlowdown() : Promise.resolve(1);
  let session: RawSession;
  try {
    session = await owner.open();
  } catch (error) {
    return unreachable(
      `cannot be started: ${describeStartProblem(error, missingProgram(options))}`,
      undefined,
      options,
    );
  }
  const { signal = new AbortController().signal } = options;
  const attempt = await untilAborted(attemptHandshake(session, options), signal).catch(() => undefined);
  if (attempt === undefined) return { kind: "answers" };
  if (attempt.ok) {
    owner.share({ ready: readySession(session, attempt.handshake), tookMs: performance.now() - startedAt, slowdown });
    return { kind: "ready", handshake: attempt.handshake };
  }
  const { answer } = attempt;
  if (answer.kind === "http" && answer.status === 401)
    return { kind: "obstacle", obstacle: { kind: "auth-required", reason: authProblem(options.address) } };
  if (answer.kind !== "silence" && answer.kind !== "gone")
    return { kind: "answers", ...(answer.kind === "http" && { status: answer.status }) };
  return unreachable(silenceProblem(answer, session), session, options);
}

// What Node takes to start on a machine that has time for it.
const quietStartMs = 100;

/**
 * By how long a Node that does nothing takes from its start to its end, and by how many processes
 * wait for each core. A short program is often let in before others, so that the first alone says
 * too little.
 */
async function measureSlowdown(): Promise<number> {
  const waiting = (loadavg()[0] ?? 0) / availableParallelism();
  const startedAt = performance.now();
  const control = spawn(process.execPath, ["--eval", ""], { stdio: "ignore", windowsHide: true });
  await new Promise((resolve) => control.once("exit", resolve).once("error", resolve));
  return Math.max(1, waiting, (performance.now() - startedAt) / quietStartMs);
}

function unreachable(reason: string, session: RawSession | undefined, { redact }: ReachOptions): Reached {
  const tail = session && isStdio(session) ? session.stderrTail() : "";
  // The end of it is what tells; redaction comes before cutting, so that no half of a secret
  // remains.
  const stderr = cleanText(redact(tail)).trimEnd().slice(-stderrLength);
  return {
    kind: "obstacle",
    obstacle: {
      kind: "unreachable",
      reason: cleanText(redact(reason), 500),
      ...(stderr !== "" && { stderr }),
    },
  };
}

function missingProgram({ address }: ReachOptions): string {
  const { command = "", args = [] } = address.type === "stdio" ? address.server : {};
  const [program = "", ...rest] = command.trim().split(/\s+/);
  if (rest.length > 0 && args.length === 0)
    return `the whole line is taken for the name of a program: leave the quotes away, so that ${program} gets ${rest.join(" ")} as its arguments`;
  return "there is no such program, or its working directory does not exist";
}

function isStdio(session: RawSession): session is StdioSession {
  return "stderrTail" in session;
}

function silenceProblem(answer: Answer, session: RawSession): string {
  const anomalies = isStdio(session) ? session.anomalies[0] : undefined;
  const instead = anomalies ? `; its stdout began with ${JSON.stringify(anomalies.text)}` : "";
  if (answer.kind === "gone" && isStdio(session)) return `${answer.reason} before it answered initialize${instead}`;
  if (answer.kind === "silence")
    return `initialize: ${describeAnswer(answer)}${instead || "; if it takes longer to start, give it time with --start-timeout"}`;
  const reason = describeAnswer(answer);
  return /wrong version number/.test(reason)
    ? "no response: what listens there does not speak TLS; is its URL http://?"
    : `no response: ${reason}`;
}

function authProblem(address: ServerAddress): string {
  const given = address.type !== "stdio" && address.headers && Object.keys(address.headers).length > 0;
  return given
    ? "HTTP 401: the server does not accept the credentials that were given"
    : 'HTTP 401: the server asks for credentials; give them with --oauth, --oauth-client, --token-env, or --header "Name: value"';
}

/**
 * Answers to a POST by which a server may be one of HTTP+SSE alone (2025-11-25, transports,
 * backwards compatibility).
 */
const perhapsSse: readonly (number | undefined)[] = [400, 404, 405, 415];

/**
 * The address of the same server over HTTP+SSE, when it refused a POST in a way that leaves this
 * open, and a GET opens a stream that names an endpoint. `undefined` otherwise.
 */
export async function detectSse(
  address: ServerAddress,
  reached: Reached,
  options: Pick<HttpSessionOptions, "trace" | "answerMs">,
): Promise<ServerAddress | undefined> {
  const status = reached.kind === "answers" ? reached.status : undefined;
  if (address.type !== "http" || !perhapsSse.includes(status)) return undefined;
  const { headers, signIn } = address;
  const session = openSseSession(address.url, { ...options, id: "#sse", headers, signIn });
  const { endpoint } = await session.stream(options.answerMs);
  await session.close();
  return endpoint === undefined ? undefined : { ...address, type: "sse" };
}
