import { isHostsideError } from "@hostside/core";
import type { StdioEntry } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { createReplay, type Replay } from "./play/create-replay.ts";
import { createRecorder } from "./record/create-recorder.ts";
import { joinPipes, playOverStdio, type ProgramEnd } from "./serve/play-over-stdio.ts";
import { startReplayServer } from "./serve/start-replay-server.ts";

const help = `Plays recorded MCP servers, and records those over stdio.

  hostside-conformance play FILE [--server ID]           a recorded server over stdio: the command of a host's configuration
  hostside-conformance play FILE --http [--port PORT]    a recorded server over HTTP, on 127.0.0.1
  hostside-conformance record FILE -- COMMAND [ARG…]     starts a server over stdio and records what its host says with it
`;

const options = {
  server: { type: "string" },
  http: { type: "boolean" },
  port: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

/**
 * Plays or records, as the arguments of a command line say. Exits with 2 for wrong use, and with 1
 * for a recording that cannot be played.
 */
export async function runReplayCommand(args: readonly string[]): Promise<void> {
  try {
    await run(args);
  } catch (error) {
    const isUse = !isHostsideError(error) && error instanceof TypeError;
    process.stderr.write(`hostside-conformance: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = isUse ? 2 : 1;
  }
}

async function run(args: readonly string[]): Promise<void> {
  const split = args.indexOf("--");
  const own = split === -1 ? args : args.slice(0, split);
  const { values, positionals } = parseArgs({ args: [...own], options, allowPositionals: true });
  const [command, file, ...rest] = positionals;
  if (values.help === true || command === undefined) return void process.stdout.write(help);
  if (file === undefined || rest.length > 0)
    throw new TypeError(
      `${command} takes one file${command === "record" ? ", and -- before the command: record FILE -- COMMAND" : ""}; see --help`,
    );
  if (command === "record") return recordProgram(file, split === -1 ? [] : args.slice(split + 1), values);
  const replay = await createReplay(file);
  if (values.http === true) return playOverHttp(replay, values);
  endAs(await playOverStdio(replay, values.server, process), replay);
}

async function playOverHttp(replay: Replay, values: Values): Promise<void> {
  const port = values.port === undefined ? 0 : Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new TypeError("--port must be a port");
  const server = await startReplayServer({ replay, serverId: values.server, port });
  process.stdout.write(`${server.url}\n`);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void server.close().then(() => report(replay)));
}

async function recordProgram(
  file: string,
  [command, ...args]: readonly string[],
  { server = "server" }: Values,
): Promise<void> {
  if (command === undefined) throw new TypeError("record needs a command behind --; see --help");
  const recorder = createRecorder({ to: file });
  // All that this program was given is the server's; of its environment only what looks like a
  // secret is one.
  const transport: StdioEntry = { type: "stdio", command, args };
  const { spawn: record } = recorder.effects({ id: server, ...transport });
  const own = (program: string, given: readonly string[]): ReturnType<typeof spawn> =>
    spawn(program, given, { stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
  const child = record?.(command, args, undefined as never, own) as ReturnType<typeof spawn>;
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void child.kill(signal));
  try {
    const end = await joinPipes(child, process);
    recorder.close();
    endAs(end);
  } catch (error) {
    recorder.close();
    throw startError(command, error);
  }
}

function startError(command: string, error: unknown): unknown {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) return error;
  const where = /[/\\]/.test(command) ? "" : " on the PATH";
  return new Error(`there is no program ${quoteText(command, 200)}${where}`, { cause: error });
}

function report(replay: Replay): void {
  for (const miss of replay.misses()) process.stderr.write(`${miss}\n`);
}

// As the recorded process did.
function endAs({ code, signal }: ProgramEnd, replay?: Replay): void {
  if (replay !== undefined) report(replay);
  if (signal !== null) {
    process.kill(process.pid, signal);
    return;
  }
  process.exit(code ?? 0);
}
