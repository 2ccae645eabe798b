import { cleanText, type ToolDefinition } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import { summarizeChanges } from "../pins/compare-entries.ts";
import type { PinVerdict } from "../pins/judge-pin.ts";
import type { ToolChange } from "../pins/tool-change.ts";
import { decide } from "../rules/decide.ts";
import type { RuleAction } from "../rules/rule-options.ts";
import type { RuleLayer } from "../rules/rule.ts";
import type { ToolSubject } from "../rules/tool-subject.ts";

/** What an explanation is made from. */
export interface ExplainedAdmission {
  readonly definition: ToolDefinition;
  readonly decision: RuleAction;
  readonly layers: readonly RuleLayer[];
  readonly subject: ToolSubject;
  /** `undefined` where nothing depends on what the tool is. */
  readonly verdict: PinVerdict | undefined;
  readonly isPinning: boolean;
  readonly changes: readonly ToolChange[] | undefined;
}

// More than this of a server's texts is for who asks for the changes themselves.
const mostChanges = 10;

const outcomes: Readonly<Record<RuleAction, string>> = {
  allow: "on offer",
  approval: "on offer, and each call of it is to be approved",
  quarantine: "held back: shown to the host alone, and a call is refused with tool_quarantined",
  deny: "hidden, and a call is refused with not_allowed",
};

/** What becomes of a tool, which rule or pin decides, and how to approve it; in sentences. */
export function explainAdmission(explained: ExplainedAdmission): readonly string[] {
  const { decision, layers, subject, verdict } = explained;
  const owner = subject.serverId === "" ? "on no server" : `of server ${JSON.stringify(subject.serverId)}`;
  return [
    `Tool ${quoteText(subject.toolName)} ${owner} is ${outcomes[decision]}.`,
    ...(layers.length === 0 ? [] : [`By the rules it ${decide(layers, subject, verdict?.approved === true).why}.`]),
    ...explainPins(explained),
  ];
}

function explainPins({ verdict, isPinning, changes = [], subject }: ExplainedAdmission): readonly string[] {
  if (!isPinning || verdict === undefined) return [];
  const { kind, held, rule, why } = verdict;
  const sentences = [`By pins it ${why}.`];
  if (!held) return sentences;
  if ((kind === "drifted" || kind === "other-words") && changes.length > 0) {
    const shown = changes.slice(0, mostChanges).map(describeChange).join("; ");
    const rest = changes.length > mostChanges ? `; and ${changes.length - mostChanges} more` : "";
    sentences.push(`What changed (${summarizeChanges(changes)}): ${shown}${rest}.`);
  }
  sentences.push(describeRemedy(verdict, subject, rule));
  return sentences;
}

function describeRemedy({ kind }: PinVerdict, { serverId, toolName }: ToolSubject, rule: string): string {
  switch (kind) {
    case "other-version":
      return `To change it, change ${rule}; an approval does not.`;
    case "unfingerprinted":
      return "An approval cannot change it: a tool without a fingerprint could be another one each time.";
    case "unread":
      return "To change it, wait for ready(): it rejects if the store fails.";
    case "unseen":
      return "To change it, hand admit of the policy to the provider or the toolbox.";
    default:
      return `To change it, approve it: approveTools(${JSON.stringify(serverId)}, [${quoteText(toolName)}]).`;
  }
}

function describeChange({ kind, path, what }: ToolChange): string {
  return cleanText(`${kind}: ${path} ${what}`, 300).replaceAll("\n", " ");
}
