import { Option } from "commander";
import { editors } from "../serving/editors.ts";
import { readSeconds, type CommandSpec } from "./declare.ts";

const call: CommandSpec = {
  name: "call",
  does: "call a tool",
  about: [
    "Values have the types of the tool's schema; a value stays a text wherever the schema allows one. Repeat an option for a list, or pass JSON. Objects are JSON. @file reads a file, @- reads stdin, and @@ starts a text with @. Use = for a value that begins with --.",
    "Pass arguments with the names of hostside options (--json, --timeout, --output ...) after --, or by --args. Single arguments override those of --args.",
    "It asks before a call that may change something, unless --yes is given. Without a terminal, such a call is not sent. Tools that report to be read-only are called without a question, except on servers of a project.",
    "Texts go to stdout. Pictures, sounds and files are saved under new names, and never replace a file.",
  ],
  examples: {
    "hostside call files/read_file --path notes.txt": "call read_file of the server files",
    [`hostside call add --args '{"a": 1, "b": 2}' --json`]: "arguments and result as JSON",
    "hostside call files/write_file --path a.txt --content @draft.txt --yes": "read a value from a file",
    "hostside call https://example.com/mcp search --query x": "a server without a configuration",
    "hostside call -- npx -y some-server -- search --query x": "a program without a configuration",
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
      .argument("[tool]", "local name, server/tool, or a name that only one server has")
      .argument("[arguments...]", "--name value, --name=value, --flag or --no-flag")
      .option("--args <json>", "arguments as JSON; - reads stdin, @file a file")
      .option("-y, --yes", "do not ask before a call that may change something")
      .option("--dry-run", "show the call without sending it")
      .option("--output <folder>", "folder for pictures and other files (default: hostside-output)")
      .option("--call-timeout <seconds>", "time for the call; --timeout is for the start of servers", (text) =>
        readSeconds(text, 86_400),
      )
      // An ordinary option, so that after -- it is the tool's.
      .helpOption(false)
      .option("-h, --help", "with a tool: show its arguments")
      .allowUnknownOption(),
  work: async () => (await import("../calling/call-tool.ts")).runCallCommand,
};

const serve: CommandSpec = {
  name: "serve",
  does: "serve all servers as one",
  about: [
    "Serves all configured servers as one MCP server, over stdio or HTTP. --expose, or serve in hostside.json, says what is offered; without either it does not start. With search and groups a host sees five tools. Three find tools, tools_read calls read-only tools, and tools_call calls any.",
    "Policy, trust and sign-ins are the same as in other commands. Over stdio, messages for people go to stderr. Untrusted servers of a project do not start: run hostside trust, then start serve again. An entry of hostside serve itself is left out.",
    "It ends with all servers when the host closes stdin, or on a signal. Edits of the configuration are applied while it runs, those of serve from the next start.",
  ],
  examples: {
    "hostside serve --expose search --print-config cursor": "print the entry for Cursor's mcp.json",
    "hostside serve --expose search": "as a host starts it",
    "hostside serve --expose all --read-only": "read-only tools",
    "hostside serve --expose search --http": "for several hosts, with a token",
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
      .option("--require-approval", "ask the user before calls of other tools")
      .option("--redact", "mask known and likely secrets in results")
      .option("--lock <file>", "hold back tools that differ from this lock file")
      .option("--call-log <file>", "add a line of JSON to this file for each call")
      .option("--otel", "traces and metrics with the OpenTelemetry SDK of NODE_OPTIONS=--import")
      .option("--http [address]", "listen for HTTP in place of stdio: a port, or HOST:PORT (default: 127.0.0.1:7077)")
      .option("--any-address", "with --http: allow addresses that other machines reach")
      .option("--public-url <url>", "with --http: the address for clients behind a proxy")
      .option("--token-file <file>", "with --http: file of the token; created if missing")
      .option("--print-token", "with --http: print the token and exit")
      .addOption(new Option("--print-config <host>", "print the entry for this host and exit").choices(editors)),
  work: async () => (await import("../serving/serve.ts")).serve,
};

/** Commands that use tools. */
export const use: readonly CommandSpec[] = [call, serve];
