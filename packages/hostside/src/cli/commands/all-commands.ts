import type { Declare } from "../program/declare.ts";
import { declareAdd } from "./add.ts";
import { declareCall } from "./call.ts";
import { declareCheck } from "./check.ts";
import { declareComplete, declareCompletion } from "./completion.ts";
import { declareHelp } from "./help.ts";
import { declareList } from "./list.ts";
import { declareLogin } from "./login.ts";
import { declareServe } from "./serve.ts";
import { declareDisable, declareEnable } from "./switch.ts";
import { declareTrust } from "./trust.ts";
import { describePage } from "../program/configure-pages.ts";
import type { InitArguments } from "../configuring/init-config.ts";
import { exitCodes } from "../exit-codes.ts";
import type { RemoveArguments } from "../configuring/remove-server.ts";
import { InvalidArgumentError } from "commander";

/** `show TOOL`. */
const declareShow: Declare = (program, run) => {
  const command = program
    .command("show")
    .description("a tool as a model gets it: its schema, tokens, effect and rules")
    .argument("<tool>", "its name, server/tool, or its remote name where one server alone has it")
    .action((tool: string) =>
      run(async (context) => (await import("../listing/show-tool.ts")).showTool({ tool }, context)),
    );
  describePage(command, {
    purpose: "Look",
    about: [
      "Shows name, description and schemas as a model gets them, how many tokens that costs, what is odd about them, and which rule decides over its calls.",
      "Where the name says which server it is on, that one alone is started.",
    ],
    examples: [
      { line: "hostside show files/read_file", does: "starts the server files alone" },
      { line: "hostside show mcp_files_read_file --json", does: "the raw definition, and the facts" },
    ],
    json: "{ definition, server, tool, signature, tokens,\n  effect, flags, fingerprint?, rules: [sentence] }",
    exits: {
      [exitCodes.unreachable]: "its server could not be reached",
      [exitCodes.authRequired]: "its server wants somebody to sign in",
    },
  });
};

/** `search WORDS…`. */
const declareSearch: Declare = (program, run) => {
  const command = program
    .command("search")
    .description("the tools that a model would find")
    .argument("<words...>", "what the tool does, or the beginning of its name")
    .option("--limit <number>", "most tools to show, up to 64", readLimit, 10)
    .action((words: readonly string[], { limit }: { readonly limit: number }) =>
      run(async (context) => (await import("../listing/search-tools.ts")).runSearchCommand({ words, limit }, context)),
    );
  describePage(command, {
    purpose: "Look",
    about: ["Ranks the tools of all servers as tools_search does for a model."],
    examples: [
      { line: "hostside search read a file", does: "the ten best" },
      { line: "hostside search issue --limit 3 --json", does: "three, for a script" },
    ],
    json: "{ query, totalTools,\n  tools: [{ name, server, tool, title?,\n    description, effect, tokens }] }",
    exits: { 1: "nothing was found" },
  });
};

function readLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 64) {
    throw new InvalidArgumentError("It must be a whole number from 1 to 64.");
  }
  return limit;
}

/** `repl`. */
const declareRepl: Declare = (program, run, runLine) => {
  const command = program
    .command("repl")
    .description("connect once, then type calls with completion")
    .action(() => run(async (context) => (await import("../interactive/run-repl.ts")).runRepl({ runLine }, context)));
  describePage(command, {
    purpose: "Use",
    about: [
      "Each line is one of the commands list, show, call, search and help, without hostside in front and quoted as in a shell; exit or Ctrl-D ends. Tab completes names of commands, servers, tools and arguments. Ctrl-C clears the line, or ends the call that is under way.",
      "Where stdin is no terminal, its lines are run one after the other, and it exits with what the first one exits with that fails; blank ones and those that begin with # are left out. Lines are remembered until it ends, and written nowhere.",
    ],
    examples: [
      { line: "hostside repl", does: "every server that is configured, until Ctrl-D" },
      { line: "hostside repl < calls.txt", does: "runs the lines of a file" },
      { line: "hostside --config mcp.json --json repl < calls.txt", does: "one JSON document for each line" },
    ],
    json: "one document for each line: that of its command",
  });
};

/** `remove NAME`. */
const declareRemove: Declare = (program, run) => {
  const command = program
    .command("remove")
    .description("take a server out of a hostside.json")
    .argument("<name>", "the server")
    .option("--user", "out of yours alone")
    .option("--project", "out of that of the project alone")
    .action((name: string, options: Omit<RemoveArguments, "name">) =>
      run(async (context) =>
        (await import("../configuring/remove-server.ts")).removeServer({ ...options, name }, context),
      ),
    );
  describePage(command, {
    purpose: "Set up",
    about: ["A server that another tool's file brings stays there: hostside disable has it off here."],
    examples: [{ line: "hostside remove files", does: "the server files, wherever a hostside.json has it" }],
    json: '{ "changes": [{ "file", "name", "change": "removed" }], "notes": […] }',
    exits: { 2: "there is no such server, or another tool's file brings it" },
  });
};

/** `logout SERVER`. */
const declareLogout: Declare = (program, run) => {
  const command = program
    .command("logout")
    .description("revoke and forget a sign-in")
    .argument("[server]", "a server, also one that is not configured any more")
    .option("--all", "of all servers")
    .action((server: string | undefined, { all = false }: { readonly all?: boolean }) =>
      run(async (context) => (await import("../signing-in/logout.ts")).logout({ server, all }, context)),
    );
  describePage(command, {
    purpose: "Sign in",
    about: [
      "Asks the authorization server to revoke the tokens, where it offers that, and forgets them, also when it cannot be reached.",
    ],
    examples: [
      { line: "hostside logout notes", does: "sign out of the server notes" },
      { line: "hostside logout --all", does: "sign out everywhere" },
    ],
    json: '{ "accounts": [{ "server", "principal"?, "existed", "revoked": true | false | null }] }',
  });
};

/** `lock [file]`. */
const declareLock: Declare = (program, run) => {
  const command = program
    .command("lock")
    .description("write down what the servers offer")
    .argument("[file]", "the lock file (default: hostside-lock.json)")
    .option("--server <name...>", "ask these servers alone; the others stay as they are in the file")
    .action((file: string | undefined, { server }: { readonly server?: readonly string[] }) =>
      run(async (context) =>
        (await import("../checking/lock-servers.ts")).lockServers({ file, servers: server }, context),
      ),
    );
  describePage(command, {
    purpose: "Examine",
    about: [
      "Writes every tool's whole definition down, server by server, with a hash: keep the file with your code. hostside diff says what changed since, and a policy holds tools back that are not the ones in it: pins: { locks: JSON.parse(text).servers }.",
      "A server that cannot be reached keeps the lock that it has. The file is written whole or not at all.",
    ],
    examples: [
      { line: "hostside lock", does: "all servers, to hostside-lock.json" },
      { line: "hostside lock --server github", does: "accepts what github offers now" },
    ],
    json: '{ "file", "written": boolean, "locked": [{ "server", "tools": number, "hash", "was": "new" | "same" | "changed" }],\n  "kept": [{ "server", "reason" }], "removed": [server], "failed": [{ "server", "reason" }] }',
    exits: {
      2: "the file is something else, or cannot be written",
      4: "a server could not be reached; the others are written",
    },
  });
};

/** `init`. */
const declareInit: Declare = (program, run) => {
  const command = program
    .command("init")
    .description("find the servers that you have, and use them")
    .option("--user", "write it for you, everywhere (default)")
    .option("--project", "write ./hostside.json, for whoever works on the project")
    .option("-y, --yes", "take all that is known for sure, and ask nothing")
    .option("--dry-run", "show what would be written")
    .action((options: InitArguments) =>
      run(async (context) => (await import("../configuring/init-config.ts")).initConfig(options, context)),
    );
  describePage(command, {
    purpose: "Set up",
    about: [
      "Looks at the configurations of your other tools (Claude Code, Cursor, VS Code, Codex and others), shows their servers, and writes one hostside.json that imports those that you choose. No other file is touched, and no server is started.",
      "A hostside.json that is there already stays as it is; imports that it lacks are added to it.",
    ],
    examples: [
      { line: "hostside init", does: "choose what is used" },
      { line: "hostside init --yes", does: "use all of it" },
      { line: "hostside init --dry-run --json", does: "what there is, for a script" },
    ],
    json: '{ "found": [{ "tool", "dialect", "file", "scope", "certain", "servers": [{ "name", "starts", "disabled" }], "errors", "warnings" }],\n  "file", "imports": […], "change": "created" | "added" | "unchanged" | "none", "notes": […], "dryRun" }',
    exits: {
      2: "there was nobody to ask, or the hostside.json that is there is broken",
      3: "somebody wanted no more of it",
    },
  });
};

/** `doctor [SERVER]`. */
const declareDoctor: Declare = (program, run) => {
  const command = program
    .command("doctor")
    .description("what is wrong, and what mends it")
    .argument("[server]", "one server alone")
    .action((server: string | undefined) =>
      run(async (context) => (await import("../examining/doctor.ts")).doctor({ server }, context)),
    );
  describePage(command, {
    purpose: "Examine",
    about: [
      "Looks at this machine, the configuration files and every server: whether its program is found, how it comes up, and whether its tools have hidden characters, cost many tokens or are not taken by a model API. Every problem comes with what mends it.",
      "Servers are started side by side and ended again; no tool is called, nobody is asked, and no secret is shown. A server that a project brings and nobody trusted is not started.",
    ],
    examples: [
      { line: "hostside doctor", does: "everything" },
      { line: "hostside doctor github", does: "one server" },
      {
        line: "hostside doctor --json | jq '.findings[] | select(.level == \"problem\")'",
        does: "problems alone, for a script",
      },
    ],
    json: '{ "findings": [{ "level": "ok" | "advice" | "problem", "area", "server"?, "what", "evidence"?: [text], "mend"?: { "command" } | { "text" } }] }',
    exits: { 0: "no problem; there may be advice", 1: "there is a problem", 3: "it was interrupted" },
  });
};

interface DiffOptions {
  readonly server?: readonly string[];
  readonly strict?: boolean;
}

/** `diff [file]`. */
const declareDiff: Declare = (program, run) => {
  const command = program
    .command("diff")
    .description("what servers offer now that they did not, and the other way round")
    .argument("[file]", "the lock file (default: hostside-lock.json)")
    .option("--server <name...>", "compare these servers alone")
    .option("--strict", "fail on any change")
    .action((file: string | undefined, { server, strict = false }: DiffOptions) =>
      run(async (context) =>
        (await import("../checking/diff-servers.ts")).diffServers({ file, servers: server, strict }, context),
      ),
    );
  describePage(command, {
    purpose: "Examine",
    about: [
      "Compares what the servers offer with the file that hostside lock wrote. A change is breaking where calls or prompts that worked may not work any more, security where a model is told another thing or a person approved another one, compatible where it is neither.",
    ],
    examples: [
      { line: "hostside diff", does: "all servers" },
      { line: "hostside diff --strict --json", does: "for a pipeline" },
    ],
    json: '{ "file", "changes": [{ "server", "kind": "breaking" | "security" | "compatible", "tool"?, "path", "what" }],\n  "counts": { "breaking", "security", "compatible" }, "failed": [{ "server", "reason" }] }',
    exits: {
      0: "nothing changed, or what changed is compatible",
      1: "something breaking or security-relevant changed; with --strict, anything",
      3: "a server could not be reached, or a part of the configuration not be read, and of the others nothing changed that counts",
    },
  });
};

/** `auth [server]`. */
const declareAuth: Declare = (program, run) => {
  const command = program
    .command("auth")
    .description("who is signed in where, until when")
    .argument("[server]", "one server alone")
    .action((server: string | undefined) =>
      run(async (context) => (await import("../signing-in/list-accounts.ts")).runAuthCommand({ server }, context)),
    );
  describePage(command, {
    purpose: "Sign in",
    about: [
      "Shows each sign-in: where, as which client, for what, until when, and whether it is renewed by itself. Sign-ins of servers that are not configured any more are among them.",
      "Servers over HTTP without a sign-in are asked, without any credential, whether they want one. No server is started.",
    ],
    examples: [
      { line: "hostside auth", does: "all sign-ins" },
      { line: "hostside auth notes", does: "one server; exit code 5 when it wants a sign-in and has none" },
    ],
    json: '{ "folder", "accounts": [{ "server", "state": "signed-in" | "expired" | "signed-out" | "not-needed" | "unknown",\n  "configured", "principal"?, "issuer"?, "url"?, "clientId"?, "scopes"?, "expiresAt"?, "renews"?, "note"? }] }',
    exits: { 5: "the server that was named wants a sign-in, and has none that counts" },
  });
};

/** Every command, in the order in which help shows them within their group. One line for each. */
export const allCommands: readonly Declare[] = [
  // Look
  declareList,
  declareShow,
  declareSearch,
  // Use
  declareCall,
  declareRepl,
  declareServe,
  // Set up
  declareInit,
  declareAdd,
  declareRemove,
  declareEnable,
  declareDisable,
  declareTrust,
  // Sign in
  declareLogin,
  declareLogout,
  declareAuth,
  // Examine
  declareDoctor,
  declareLock,
  declareDiff,
  declareCheck,
  // More
  declareCompletion,
  declareComplete,
  declareHelp,
];
