import type { JsonObject } from "@hostside/core";
import { parseObject } from "../engine/parse-json.ts";
import { checkServer } from "../server/check-server.ts";
import { serverChecks } from "../server/checks/server-checks.ts";
import type { CallConsent } from "../server/consented-tools.ts";
import { describeAddress } from "../server/server-address.ts";
import { refuse, type CommandIo } from "./command-io.ts";
import type { RunCommandLine } from "./command.ts";
import { readTarget } from "./read-target.ts";
import { prepareRun, runAndReport } from "./run-checks-command.ts";

/** Runs the `server` command and resolves with the exit code. */
export async function runServerCommand(commandLine: RunCommandLine, io: CommandIo): Promise<number> {
  const { values } = commandLine;
  const prepared = await prepareRun(serverChecks, values);
  if (typeof prepared === "string") return refuse(prepared, io);
  const consent = readConsent(values.call ?? [], values["allow-calls"] ?? false);
  if (typeof consent === "string") return refuse(consent, io);
  const address = await readTarget(commandLine, io.signal);
  if (typeof address === "string") return refuse(address, io);
  const seconds = values["start-timeout"];
  const start = seconds === undefined ? {} : { startMs: Number(seconds) * 1000 };
  const options = { address, consent, preview: values["no-preview"] !== true, ...prepared, ...start };
  try {
    const run = { ...prepared, target: describeAddress(address) };
    return await runAndReport((watch) => checkServer({ ...options, ...watch }), run, { values, io });
  } finally {
    if (address.type !== "stdio") await address.signIn?.close();
  }
}

/** Reads `--call` and `--allow-calls`. A text is what is wrong with them. */
function readConsent(calls: readonly string[], all: boolean): CallConsent | string {
  const named = new Map<string, JsonObject | undefined>();
  for (const call of calls) {
    const equals = call.indexOf("=");
    const name = equals === -1 ? call : call.slice(0, equals);
    if (name === "") return "--call needs the name of a tool";
    if (equals === -1) {
      named.set(name, undefined);
      continue;
    }
    const args = parseObject(call.slice(equals + 1));
    if (args === undefined) return `--call ${name}: what follows = must be a JSON object with the arguments`;
    named.set(name, args);
  }
  return { named, all };
}
