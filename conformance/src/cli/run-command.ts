import type { CheckInfo } from "../engine/check.ts";
import { kitVersion } from "../engine/kit-version.ts";
import { exitCodes } from "../engine/run-report.ts";
import { serverChecks } from "../server/checks/server-checks.ts";
import { checksMeant } from "./select-checks.ts";
import type { CommandIo } from "./command-io.ts";
import { parseCommand } from "./command.ts";

/** Runs a command line and resolves with the exit code. Rejects only for a bug of the kit. */
export async function runCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  const command = parseCommand(argv);
  switch (command.kind) {
    case "help":
      io.out(helpText);
      return argv.length === 0 ? exitCodes.usage : exitCodes.pass;
    case "version":
      io.out(`${kitVersion()}\n`);
      return exitCodes.pass;
    case "list":
      io.out(listChecks(await allChecks(command.verb)));
      return exitCodes.pass;
    case "explain": {
      const { checkId } = command;
      const checks = await allChecks();
      const explained = explainId(checkId, checks);
      if (explained === undefined) return mistake(noCheck(checkId, checks), io);
      io.out(explained);
      return exitCodes.pass;
    }
    case "mistake":
      return mistake(command.message, io);
    // Loaded on demand, so that --help and a mistake are told at once.
    case "server":
      return (await import("./run-server-command.ts")).runServerCommand(command, io);
    case "host":
      return (await import("../host/run-host-command.ts")).runHostCommand(command, io);
    case "compare":
      return (await import("./run-compare-command.ts")).runCompareCommand(command, io);
  }
}

async function allChecks(verb?: string): Promise<readonly CheckInfo[]> {
  if (verb === "server") return serverChecks;
  const { hostChecks } = await import("../host/host-checks.ts");
  return verb === "host" ? hostChecks : [...serverChecks, ...hostChecks];
}

function noCheck(wanted: string, checks: readonly CheckInfo[]): string {
  const name = JSON.stringify(wanted);
  const ids = checks.map(({ id }) => id);
  const within = ids.filter((id) => id.startsWith(`${wanted}/`)).length;
  return within === 0
    ? `no check ${name}${checksMeant(wanted, ids)}`
    : `${name} is an area of ${within} checks; --list shows their ids`;
}

function mistake(message: string, { err }: CommandIo): number {
  err(`${message}\nRun hostside-conformance --help for the options.\n`);
  return exitCodes.usage;
}

/** What `--help` prints. */
const helpText = `Usage: hostside-conformance <command> [options] [-- program args…]

  server -- node my-server.js        check a server that the kit starts
  server --url https://…/mcp         check a server over Streamable HTTP, or HTTP+SSE if it speaks that alone
  server --sse URL                   check a server over HTTP+SSE of 2024-11-05
  server --config mcp.json --server NAME
  host   -- ./my-driver              check a host through its driver
  compare before.json after.json     what two --json reports differ in, as Markdown
  record FILE -- program args…       record what a host says with a server; also: play FILE, play --help

Which checks
  --only ID|AREA    run these, and what they need (repeatable)
  --skip ID|AREA    leave these out (repeatable)
  --list            print every check, or those of the command
  --explain ID      print what a check stands on, and how to mend a failure
  --strict          failed SHOULD and HOST checks fail the run, too
  --baseline FILE   accepted failures: {"entries": [{"check", "reason", "expires"}]}
  --seed N          repeat a run

Calling tools (default: only tools that declare readOnlyHint)
  --call NAME       also this one; NAME={"json":"arguments"} gives its arguments (repeatable)
  --allow-calls     all of them, with arguments made from their schemas

Reports, each written whole or not at all
  --json FILE  --junit FILE  --sarif FILE  --html FILE  --markdown FILE
  --badge FILE             for shields.io: how many of the checks that apply passed

Servers
  --header "Name: value"   sent with every request to a URL (repeatable)
  --token-env NAME         a bearer token for a URL, from this environment variable
  --oauth                  sign in with OAuth, on a page in the browser
  --oauth-client ID        as this client; with --oauth-secret-env NAME without a user
  --oauth-scope SCOPE      ask for this scope (repeatable)
  --start-timeout SECONDS  how long the first answer may take; default 30
  --no-preview             do not show what a host makes of the server

Hosts
  --level LEVEL            survive, recover, consistent or hostile

Exit codes: 0 pass, 1 fail, 2 usage, 3 incomplete, 4 unreachable, 5 authentication required.
`;

/** One line per check, for `--list`. */
function listChecks(checks: readonly CheckInfo[]): string {
  const width = Math.max(...checks.map(({ id }) => id.length));
  return checks.map(({ id, level, title }) => `${id.padEnd(width)}  ${level.padEnd(6)}  ${title}\n`).join("");
}

/**
 * What `--explain` prints: all about the check of an id, or of a scenario (`recover/dpop-proof`),
 * as it is in the first of its variants, with the ids of the others. `undefined` for an id that
 * none has.
 */
function explainId(wanted: string, checks: readonly CheckInfo[]): string | undefined {
  const exact = checks.find(({ id }) => id === wanted);
  if (exact !== undefined) return explainCheck(exact);
  const [first, ...others] = wanted.includes("/") ? checks.filter(({ id }) => id.startsWith(`${wanted}/`)) : [];
  if (first === undefined) return undefined;
  const also = others.length === 0 ? "" : `  also    ${others.map(({ id }) => id).join(", ")}\n`;
  return `${explainCheck(first)}${also}`;
}

/** All about one check, for `--explain`. */
function explainCheck({ id, title, level, requirement, legal, fix }: CheckInfo): string {
  return `${id} [${level}]
  ${title}

  rule    ${requirement.sentence}
          ${requirement.section}
          ${requirement.url}
  passes  ${legal.join("\n          ")}
  fix     ${fix}
${requirement.revisions ? `  applies to ${requirement.revisions.join(", ")}\n` : ""}`;
}
