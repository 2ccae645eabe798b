import { Option } from "commander";
import { describePage } from "../program/configure-pages.ts";
import type { Declare } from "../program/declare.ts";
import { editors } from "../serving/editors.ts";
import type { ServeArguments } from "../serving/serve-offer.ts";

/** `serve`. */
export const declareServe: Declare = (program, run) => {
  const command = program
    .command("serve")
    .description("all your servers as one, for a host")
    .addOption(
      new Option("--expose <how>", "all: every tool by its name; search, groups: tools that find the others").choices([
        "all",
        "groups",
        "search",
      ]),
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
      new Option("--print-config <host>", "print the entry of a host for this command line, and end").choices(editors),
    )
    .action((given: ServeArguments) =>
      run(async (context) => (await import("../serving/serve.ts")).serve(given, context)),
    );
  describePage(command, {
    purpose: "Use",
    about: [
      "One MCP server in front of all that are configured: over stdio, as a host starts it, or over HTTP. What is offered is said by --expose, or by serve in hostside.json; where neither says anything, it does not start. With search and groups a host sees five tools, whatever number there is: three that find tools, tools_read, which calls those that only read, and tools_call, which calls any.",
      "Policy, trust and sign-ins are those of every other command. Over stdio, stdout is the protocol's, and what people should know is on stderr. A server that a project brings and nobody trusted is not started: hostside trust, then start anew. An entry that starts hostside serve itself is left out.",
      "It ends when its host closes stdin, or on a signal, and every server with it. Edits of the configuration are taken over while it runs.",
    ],
    examples: [
      { line: "hostside serve --expose search --print-config cursor", does: "what to put into Cursor's mcp.json" },
      { line: "hostside serve --expose search", does: "as a host starts it" },
      { line: "hostside serve --expose all --read-only", does: "nothing that changes anything" },
      { line: "hostside serve --expose search --http", does: "for several hosts of this machine, with a token" },
    ],
    json: '{ "host", "title", "file", "text", "notes": [text] } of --print-config; { "token", "file" } of --print-token; nothing while it serves',
    exits: {
      0: "its host is done, or it was stopped",
      2: "nothing is offered, or the command line or the configuration is wrong",
      4: "it cannot listen there",
    },
  });
};
