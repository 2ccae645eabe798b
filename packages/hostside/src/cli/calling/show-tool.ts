import type { ToolDefinition, ToolEffect, ToolFlag } from "@hostside/core";
import { estimateDefinitionTokens } from "@hostside/discovery";
import type { Policy } from "@hostside/policy";
import { signatureOf, toolPage } from "./describe-parameters.ts";
import { formatTokens, jsonText, printResult } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { wrapText } from "../render/text-width.ts";
import type { Terminal } from "../terminal.ts";
import { findServerAndTool } from "../opening/find-tool.ts";
import type { CommandContext, CommandWork, OpenedHost, TypedServer } from "../command-context.ts";

/** The output of `show --json`. */
export interface ToolFacts {
  /** As a model gets it, and as its server said it: raw. */
  readonly definition: ToolDefinition;
  /** Id of its server; `""` for one of the host's own. */
  readonly server: string;
  /** The remote name, byte for byte. */
  readonly tool: string;
  readonly signature: string;
  /** About how many its definition costs a model. */
  readonly tokens: number;
  readonly effect: ToolEffect;
  /** Oddities of its texts or its schema. */
  readonly flags: readonly ToolFlag[];
  readonly fingerprint?: string | undefined;
  /** Sentences about the rule that decides, and what else is done with its calls. */
  readonly rules: readonly string[];
}

/** All that is known of one tool. Pure. */
export function toolFactsOf(definition: ToolDefinition, policy: Pick<Policy, "explain">): ToolFacts {
  const { name, origin, effect = "external", flags = [], fingerprint } = definition;
  return {
    definition,
    server: origin?.serverId ?? "",
    tool: origin?.toolName ?? name,
    signature: signatureOf(definition),
    tokens: estimateDefinitionTokens(definition),
    effect,
    flags,
    ...(fingerprint !== undefined && { fingerprint }),
    rules: policy.explain(definition).split("\n"),
  };
}

type View = Pick<Terminal, "columns" | "paint"> & { readonly typed?: TypedServer | undefined };

/** A tool with its arguments as options, then what is known of it besides. */
export function renderTool(facts: ToolFacts, view: View): readonly string[] {
  const { definition, server, tool, tokens, flags, fingerprint = "", rules } = facts;
  const rows: Readonly<Record<string, readonly string[]>> = {
    server: [server === "" ? "none: the host's own" : server],
    // One that a terminal would not show as it is has its escapes shown.
    "remote name": [server === "" || terminalLine(tool) === tool ? tool : jsonText(tool)],
    tokens: [formatTokens(tokens)],
    annotations: [annotationsOf(definition)],
    odd: [flags.join(", ")],
    fingerprint: [fingerprint],
    rules,
  };
  const hanging = " ".repeat(15);
  const lines = Object.entries(rows).flatMap(([name, values]) =>
    values
      .filter((value) => value !== "")
      .flatMap((value, index) => {
        const [first = "", ...rest] = wrapText(terminalLine(value), {
          width: Math.max(view.columns, 40),
          indent: hanging,
        });
        const label = (index === 0 ? name : "").padEnd(13);
        return [`  ${view.paint("dim", label)}${first.slice(hanging.length)}`, ...rest];
      }),
  );
  return [...toolPage(definition, view), "", view.paint("bold", "Facts"), ...lines];
}

function annotationsOf({ annotations = {} }: ToolDefinition): string {
  const hints = Object.entries(annotations).filter(([name]) => name !== "title");
  const said = hints.map(([name, value]) => `${name} ${String(value)}`).join(", ");
  return said === "" ? "" : `${said} (its server says so)`;
}

/**
 * Shows one tool: its definition, and all that is known of it. Starts its server alone, where the
 * name says which that is.
 */
export const showTool: CommandWork<{ readonly tool: string }> = async ({ tool }, context) => {
  const { opened, definition } = await findServerAndTool(tool, context, {});
  await using _open = opened;
  return showDefinition(definition, opened, context);
};

/** Prints all that is known of a tool. */
export function showDefinition(definition: ToolDefinition, { host }: OpenedHost, context: CommandContext): number {
  const { terminal, options } = context;
  const facts = toolFactsOf(definition, host.policy);
  const { columns, paint } = terminal;
  return printResult(context, facts, () => renderTool(facts, { columns, paint, typed: options.typed }));
}
