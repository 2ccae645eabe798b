import { Option } from "commander";
import type { CommandWork } from "../command-context.ts";
import { exitCodes, usageError } from "../exit-codes.ts";
import { findCommand } from "../program/find-option.ts";
import { editors } from "../serving/editors.ts";
import { readSeconds, type CommandSpec } from "./declare.ts";

interface CallOptions {
  readonly tool: string | undefined;
  readonly arguments: readonly string[];
  readonly args?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly output?: string;
  readonly callTimeout?: number;
  readonly help?: boolean;
}

const call: CommandSpec = {
  name: "call",
  does: "call a tool",
  about: [
    "A value is what the schema of the tool says it is, and a text wherever that allows one: nothing becomes a number by itself. Lists are given by repeating the option, or as JSON; objects as JSON. @file is the content of a file, @- that of stdin, and @@ a text that begins with @. A value that begins with -- is given with =.",
    "Arguments whose names are options of hostside (--json, --timeout, --output ...) are given after --, or by --args. Arguments of --args and stdin can be mixed with others, which win.",
    "You are asked before a call that may change something, unless --yes is given; where nobody can be asked, nothing is sent. A tool that says that it only reads is called unasked, unless a project brings its server.",
    "Texts are on stdout; pictures, sounds and files are saved, under names of hostside's own, and never over a file that is there.",
  ],
  examples: {
    "hostside call files/read_file --path notes.txt": "calls read_file of the server files",
    [`hostside call add --args '{"a": 1, "b": 2}' --json`]: "arguments and result as JSON",
    "hostside call files/write_file --path a.txt --content @draft.txt --yes": "a text out of a file",
    "hostside call https://example.com/mcp search --query x": "on a server that is configured nowhere",
    "hostside call -- npx -y some-server -- search --query x": "the same for a program",
    "hostside call files/read_file --help": "the arguments of the tool",
    "hostside call export -- --json": "the tool's own --json",
  },
  json: [
    '{ "tool": { "name", "server", "tool" }, "ms", "isError",',
    '  "outcome": { "server_id", "tool", "structured_content", "content": [...], "_meta" }, "files": [paths] }',
    'or { "error": { "code", "kind", "message", "outcome": "not-sent" | "unknown" | "failed", ... } }',
  ].join("\n"),
  takes: (command) =>
    command
      .usage("TOOL [--name value ...] [options]")
      .argument("[tool]", "local name, server/tool, or a name that one server alone has")
      .argument("[arguments...]", "--name value, --name=value, --flag, --no-flag, or -")
      .option("--args <json>", "arguments as JSON; - reads stdin, @file a file")
      .option("-y, --yes", "do not ask before a call that may change something")
      .option("--dry-run", "show what would be sent, and send nothing")
      .option("--output <folder>", "where pictures and other files are saved (default: hostside-output)")
      .option("--call-timeout <seconds>", "how long the call may take; --timeout is for servers to come up", (text) =>
        readSeconds(text, 86_400),
      )
      // An ordinary option, so that after -- it is the tool's.
      .helpOption(false)
      .option("-h, --help", "with a tool: its arguments, as options")
      .allowUnknownOption(),
  work: async () => runCall,
};

const runCall: CommandWork<CallOptions> = async ({ tool, arguments: tokens, args: json, ...options }, context) => {
  if (tool !== undefined && !tool.startsWith("-")) {
    const { runCallCommand } = await import("../calling/call-tool.ts");
    return runCallCommand({ tool, tokens, json, ...options }, context);
  }
  if (options.help !== true) throw usageError("name the tool that is to be called", "hostside list shows them");
  if (context.program !== undefined) findCommand(context.program, "call")?.outputHelp();
  return exitCodes.pass;
};

const serve: CommandSpec = {
  name: "serve",
  does: "all your servers as one, for a host",
  about: [
    "One MCP server in front of all that are configured: over stdio, as a host starts it, or over HTTP. What is offered is said by --expose, or by serve in hostside.json; where neither says anything, it does not start. With search and groups a host sees five tools, whatever number there is: three that find tools, tools_read, which calls those that only read, and tools_call, which calls any.",
    "Policy, trust and sign-ins are those of every other command. Over stdio, stdout is the protocol's, and what people should know is on stderr. A server that a project brings and nobody trusted is not started: hostside trust, then start anew. An entry that starts hostside serve itself is left out.",
    "It ends when its host closes stdin, or on a signal, and every server with it. Edits of the configuration are taken over while it runs.",
  ],
  examples: {
    "hostside serve --expose search --print-config cursor": "what to put into Cursor's mcp.json",
    "hostside serve --expose search": "as a host starts it",
    "hostside serve --expose all --read-only": "nothing that changes anything",
    "hostside serve --expose search --http": "for several hosts of this machine, with a token",
  },
  json: '{ "host", "title", "file", "text", "notes": [text] } of --print-config; { "token", "file" } of --print-token; nothing while it serves',
  takes: (command) =>
    command
      .addOption(
        new Option("--expose <how>", "all: every tool by its name; search, groups: tools that find the others").choices(
          ["all", "groups", "search"],
        ),
      )
      .option("--read-only", "only tools that are known to change nothing")
      .option("--require-approval", "have the user approve calls of tools that are not known to change nothing")
      .option("--redact", "mask secrets in results: those of the configuration, and what looks like one")
      .option("--lock <file>", "hold back tools that are not as hostside lock has written them down")
      .option("--call-log <file>", "add a line of JSON to this file for each call")
      .option("--otel", "traces and metrics by OpenTelemetry, whose SDK NODE_OPTIONS=--import has set up")
      .option("--http [address]", "listen for HTTP in place of stdio: a port, or HOST:PORT (default: 127.0.0.1:7077)")
      .option("--any-address", "with --http: also one that other machines reach")
      .option("--public-url <url>", "with --http: where clients reach it, behind a proxy")
      .option("--token-file <file>", "with --http: the token that clients need; made where there is none")
      .option("--print-token", "with --http: print the token, and end")
      .addOption(
        new Option("--print-config <host>", "print the entry of a host for this command line, and end").choices(
          editors,
        ),
      ),
  work: async () => (await import("../serving/serve.ts")).serve,
};

/** Commands that use tools. */
export const use: readonly CommandSpec[] = [call, serve];
