import { adaptSchema, anthropic, gemini, openai } from "@hostside/adapters";
import type { ToolDefinition } from "@hostside/core";
import { estimateDefinitionTokens } from "@hostside/discovery";
import { formatCount } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import type { DoctorFinding, RunFor } from "./finding.ts";

const area = "tools";
const tokenBudget = 8000;
const mostNames = 5;
const apis = Object.entries({ OpenAI: openai, Anthropic: anthropic, Gemini: gemini });
const harmless: ReadonlySet<string> = new Set(["truncated", "schema-replaced", "extras-dropped"]);

/** Looks at the tools of a server: hidden characters, tokens, and what model APIs do not take. */
export function examineTools(
  server: string,
  tools: readonly ToolDefinition[],
  runFor: RunFor,
): readonly DoctorFinding[] {
  const advice = { level: "advice", area, server } as const;
  if (tools.length === 0) return [{ ...advice, what: "offers no tools", mend: runFor("list", server, "--verbose") }];
  const nameOf = ({ name, origin }: ToolDefinition): string => terminalLine(origin?.toolName ?? name, 200);
  const findings: DoctorFinding[] = [];
  const hidden = tools.flatMap((tool) => {
    const flags = (tool.flags ?? []).filter((flag) => !harmless.has(flag));
    return flags.length === 0 ? [] : [`${nameOf(tool)}: ${flags.join(", ")}`];
  });
  if (hidden.length > 0) {
    const what = `${formatCount(hidden.length, "tool")} with characters in their texts that people do not see`;
    const mend = { text: "read what they say before you use them: hostside show TOOL" };
    findings.push({ ...advice, what, evidence: some(hidden), mend });
  }
  for (const [api, profile] of apis) {
    const leftOut = tools.flatMap((tool) => {
      const adapted = adaptSchema(tool.inputSchema, profile);
      return adapted.ok ? [] : [`${nameOf(tool)}: ${terminalLine(adapted.reason, 200)}`];
    });
    if (leftOut.length === 0) continue;
    const what = `${formatCount(leftOut.length, "tool")} of ${tools.length} cannot be offered by ${api}, and are left out there`;
    findings.push({
      ...advice,
      what,
      evidence: some(leftOut),
      mend: { text: "report to its author what the API does not take" },
    });
  }
  const costs = tools.map((tool) => ({ name: nameOf(tool), tokens: estimateDefinitionTokens(tool) }));
  const dearest = costs.toSorted((a, b) => b.tokens - a.tokens).slice(0, mostNames);
  const mend = 'name the tools that you need in the "allow" of its entry';
  const sum = judgeTokens(`its ${formatCount(tools.length, "tool")}`, tools, mend);
  return [...findings, { ...sum, server, evidence: dearest.map(({ name, tokens }) => `${name}: ${tokens}`) }];
}

/** Adds up what the tools of all servers cost. */
export function examineAllTools(tools: readonly ToolDefinition[]): readonly DoctorFinding[] {
  if (new Set(tools.map(({ origin }) => origin?.serverId)).size < 2) return [];
  const mend = "let a conversation find its tools: await host.conversation({ maxToolTokens: 8000 })";
  const sum = judgeTokens(`${formatCount(tools.length, "tool")} of all servers`, tools, mend);
  const { maxTools = Number.POSITIVE_INFINITY } = openai;
  if (tools.length <= maxTools) return [sum];
  const what = `OpenAI takes ${maxTools} tools in one request, these are ${tools.length}`;
  return [sum, { level: "advice", area, what, mend: { text: mend } }];
}

function judgeTokens(subject: string, tools: readonly ToolDefinition[], mend: string): DoctorFinding {
  const tokens = tools.reduce((sum, tool) => sum + estimateDefinitionTokens(tool), 0);
  const what = `${subject} cost about ${tokens} tokens in each request`;
  if (tokens <= tokenBudget) return { level: "ok", area, what };
  return { level: "advice", area, what: `${what}, more than ${tokenBudget}`, mend: { text: mend } };
}

/** The first of many lines, and how many are left. */
export function some(lines: readonly string[]): readonly string[] {
  const left = lines.length - mostNames;
  return left > 0 ? [...lines.slice(0, mostNames), `… and ${left} more`] : lines;
}
