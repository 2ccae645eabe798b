import { InvalidArgumentError } from "commander";
import { describePage } from "../program/configure-pages.ts";
import type { Declare } from "../program/declare.ts";
import { exitCodes, usageError } from "../exit-codes.ts";

interface CallOptions {
  readonly args?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly output?: string;
  readonly callTimeout?: number;
  readonly help?: boolean;
}

/** `call TOOL [arguments]`. */
export const declareCall: Declare = (program, run) => {
  const command = program
    .command("call")
    .description("call a tool")
    .usage("TOOL [--name value ...] [options]")
    .argument("[tool]", "local name, server/tool, or a name that one server alone has")
    .argument("[arguments...]", "--name value, --name=value, --flag, --no-flag, or -")
    .option("--args <json>", "arguments as JSON; - reads stdin, @file a file")
    .option("-y, --yes", "do not ask before a call that may change something")
    .option("--dry-run", "show what would be sent, and send nothing")
    .option("--output <folder>", "where pictures and other files are saved (default: hostside-output)")
    .option("--call-timeout <seconds>", "how long the call may take; --timeout is for servers to come up", readSeconds)
    // An ordinary option, so that after -- it is the tool's.
    .helpOption(false)
    .option("-h, --help", "with a tool: its arguments, as options")
    .allowUnknownOption()
    .action((tool: string | undefined, tokens: readonly string[], options: CallOptions) =>
      run(async (context) => {
        if (tool === undefined || tool.startsWith("-")) {
          if (options.help !== true) throw usageError("name the tool that is to be called", "hostside list shows them");
          command.outputHelp();
          return exitCodes.pass;
        }
        const { runCallCommand } = await import("../calling/call-tool.ts");
        const { args: json, ...rest } = options;
        return runCallCommand({ tool, tokens, json, ...rest }, context);
      }),
    );
  describePage(command, {
    purpose: "Use",
    about: [
      "A value is what the schema of the tool says it is, and a text wherever that allows one: nothing becomes a number by itself. Lists are given by repeating the option, or as JSON; objects as JSON. @file is the content of a file, @- that of stdin, and @@ a text that begins with @. A value that begins with -- is given with =.",
      "Arguments whose names are options of hostside (--json, --timeout, --output ...) are given after --, or by --args. Arguments of --args and stdin can be mixed with others, which win.",
      "What is required and missing is asked for at a terminal. You are asked before a call that may change something, unless --yes is given; where nobody can be asked, nothing is sent. A tool that says that it only reads is called unasked, unless a project brings its server.",
      "Texts are on stdout; pictures, sounds and files are saved, under names of hostside's own, and never over a file that is there.",
    ],
    examples: [
      { line: "hostside call files/read_file --path notes.txt", does: "calls read_file of the server files" },
      { line: `hostside call add --args '{"a": 1, "b": 2}' --json`, does: "arguments and result as JSON" },
      { line: "hostside call files/write_file --path a.txt --content @draft.txt --yes", does: "a text out of a file" },
      {
        line: "hostside call https://example.com/mcp search --query x",
        does: "on a server that is configured nowhere",
      },
      { line: "hostside call -- npx -y some-server -- search --query x", does: "the same for a program" },
      { line: "hostside call files/read_file --help", does: "the arguments of the tool" },
      { line: "hostside call export -- --json", does: "the tool's own --json" },
    ],
    json: [
      '{ "tool": { "name", "server", "tool" }, "ms", "isError",',
      '  "outcome": { "server_id", "tool", "structured_content", "content": [...], "_meta" }, "files": [paths] }',
      'or { "error": { "code", "kind", "message", "outcome": "not-sent" | "unknown" | "failed", ... } }',
    ].join("\n"),
    exits: {
      1: "the tool says that it failed, or the call broke off after it was sent",
      2: "the arguments do not fit, or nobody approved the call; nothing was sent",
      4: "its server could not be reached; nothing was sent",
      5: "its server wants somebody to sign in",
    },
  });
};

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== "" && seconds > 0 && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError("It must be a number of seconds above 0, at most 86400.");
}
