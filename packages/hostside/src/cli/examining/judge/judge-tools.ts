import { openai } from "@hostside/adapters";
import type { Diagnostic } from "@hostside/core";
import { formatCount } from "../../render/format-amount.ts";
import type { ApiFacts, ServerFacts, OfferedToolFacts } from "../facts.ts";
import type { DoctorFinding } from "../finding.ts";
import { commandFor } from "./command-for.ts";

/** What a model may read of tools before it has done anything, in tokens. */
export const tokenBudget = 8000;

const dearest = 5;
const mostNames = 5;
const mostFunctions = openai.maxTools ?? Number.POSITIVE_INFINITY;

/** What becomes of a server's tools: those left out, their names, their schemas, their tokens. */
export function judgeTools(facts: ServerFacts): readonly DoctorFinding[] {
  const { id: server, ready } = facts;
  if (ready === undefined) return [];
  return [
    ...judgeListing(facts),
    ...judgeNames(server, ready.tools),
    ...judgeFlags(server, ready.tools),
    ...ready.apis.flatMap((api) => judgeApi(server, api, ready.tools.length)),
    ...judgeTokens(server, ready),
  ];
}

const listed: Partial<Record<Diagnostic["kind"], { readonly what: string; readonly mend: string }>> = {
  "tool-dropped": { what: "lists tools that cannot be used, which are left out", mend: "tell its author" },
  "duplicate-tool": { what: "lists tools of the same name; the first one counts", mend: "tell its author" },
  "schema-replaced": {
    what: "has tools with schemas that cannot be used: a model is told nothing of their arguments",
    mend: "tell its author",
  },
  "listing-truncated": { what: "did not list all of its tools", mend: 'raise the limit that is named in its "limits"' },
  "unmatched-filter": {
    what: 'has no tools of some names in its "allow" or "deny"',
    mend: "look at how they are spelt; hostside list shows its tools",
  },
  "unmatched-override": {
    what: 'has no tools of some names in its "tools"',
    mend: "look at how they are spelt; hostside list shows its tools",
  },
};

function judgeListing({ id: server, diagnostics, ready }: ServerFacts): readonly DoctorFinding[] {
  const findings = Object.entries(listed).flatMap(([kind, { what, mend }]): readonly DoctorFinding[] => {
    const messages = diagnostics.filter((one) => one.kind === kind).map(({ message }) => message);
    if (messages.length === 0) return [];
    return [{ level: "advice", area: "tools", server, what, evidence: some(messages), mend: { text: mend } }];
  });
  if (ready?.tools.length !== 0) return findings;
  const what = "offers no tools";
  return [
    ...findings,
    { level: "advice", area: "tools", server, what, mend: { command: commandFor("check", server) } },
  ];
}

function judgeNames(server: string, tools: readonly OfferedToolFacts[]): readonly DoctorFinding[] {
  const of = (reason: OfferedToolFacts["renamed"]): readonly string[] =>
    tools.filter(({ renamed }) => renamed === reason).map(({ name, localName }) => `${name}: ${localName}`);
  const [long, alike] = [of("too-long"), of("collision")];
  return [
    ...(long.length === 0
      ? []
      : [
          {
            level: "advice",
            area: "names",
            server,
            what: `${formatCount(long.length, "tool")} would have names of more than 64 characters, and ${long.length === 1 ? "has" : "have"} a hash in place of the rest`,
            evidence: some(long),
            mend: { text: "give the server a shorter name in the configuration" },
          } as const,
        ]),
    ...(alike.length === 0
      ? []
      : [
          {
            level: "advice",
            area: "names",
            server,
            what: `${formatCount(alike.length, "tool")} ${alike.length === 1 ? "has a name" : "have names"} that another one wants as well: a hash tells them apart`,
            evidence: some(alike),
            mend: { text: "give one of the servers another name in the configuration" },
          } as const,
        ]),
  ];
}

function judgeFlags(server: string, tools: readonly OfferedToolFacts[]): readonly DoctorFinding[] {
  const flagged = tools.flatMap(({ name, flags }) => {
    const hidden = flags.filter((flag) => !["truncated", "schema-replaced", "extras-dropped"].includes(flag));
    return hidden.length === 0 ? [] : [`${name}: ${hidden.join(", ")}`];
  });
  if (flagged.length === 0) return [];
  return [
    {
      level: "advice",
      area: "tools",
      server,
      what: `${formatCount(flagged.length, "tool")} ${flagged.length === 1 ? "has a text" : "have texts"} with characters that people do not see`,
      evidence: some(flagged),
      mend: { text: "read what they say before you use them: hostside show TOOL" },
    },
  ];
}

// What an API takes in other words, the adapters write in those: that is nothing to know, and
// --json has it.
function judgeApi(server: string, { api, leftOut }: ApiFacts, all: number): readonly DoctorFinding[] {
  if (leftOut.length === 0) return [];
  const about = {
    area: "schemas",
    server,
    evidence: some(leftOut.map(({ tool, reason }) => `${tool}: ${reason}`)),
  } as const;
  const tools = `${formatCount(leftOut.length, "tool")} of ${all}`;
  const are = leftOut.length === 1 ? "is" : "are";
  const mend = { text: "report to its author what the API does not take" };
  return [{ ...about, level: "advice", what: `${tools} ${are} not taken by ${api}, and left out there`, mend }];
}

function judgeTokens(server: string, { tools, tokens }: NonNullable<ServerFacts["ready"]>): readonly DoctorFinding[] {
  if (tools.length === 0) return [];
  const evidence = Array.from(tools)
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, dearest)
    .map(({ name, tokens: cost }) => `${name}: ${cost}`);
  if (tokens <= tokenBudget)
    return [{ level: "ok", area: "tokens", server, what: `its definitions cost about ${tokens} tokens`, evidence }];
  return [
    {
      level: "advice",
      area: "tokens",
      server,
      what: `its definitions cost about ${tokens} tokens, more than ${tokenBudget} by themselves`,
      evidence,
      mend: { text: 'name the tools that you need in the "allow" of its entry' },
    },
  ];
}

/** What all servers together ask of a model. */
export function judgeSum(servers: readonly ServerFacts[]): readonly DoctorFinding[] {
  const ready = servers.flatMap((server) => server.ready ?? []);
  if (ready.length < 2) return [];
  const tokens = ready.reduce((sum, server) => sum + server.tokens, 0);
  const tools = ready.reduce((sum, server) => sum + server.tools.length, 0);
  const what = `${formatCount(tools, "tool")} of ${ready.length} servers cost about ${tokens} tokens in each request`;
  const mend = { text: "let a conversation find its tools: await host.conversation({ maxToolTokens: 8000 })" };
  const findings: DoctorFinding[] = [
    tokens <= tokenBudget
      ? { level: "ok", area: "tokens", what }
      : { level: "advice", area: "tokens", what: `${what}, more than ${tokenBudget}`, mend },
  ];
  if (tools > mostFunctions)
    findings.push({
      level: "advice",
      area: "tools",
      what: `OpenAI takes ${mostFunctions} tools in one request, these are ${tools}`,
      mend,
    });
  return findings;
}

function some(lines: readonly string[]): readonly string[] {
  const left = lines.length - mostNames;
  return left > 0 ? [...lines.slice(0, mostNames), `… and ${left} more`] : lines;
}
