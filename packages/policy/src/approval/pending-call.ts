import { truncateText, type ToolCall, type ToolEffect } from "@hostside/core";
import { escapeUnseen } from "@hostside/core/implement";
import type { CopiedArguments } from "./copy-arguments.ts";
import type { WhyAsked } from "./why-asked.ts";

/** A call that runs when somebody approves it. */
export interface PendingApproval {
  readonly call: ToolCall;
  readonly copied: CopiedArguments;
  readonly why: WhyAsked;
  readonly effect: ToolEffect;
  readonly hint: string;
}

/** The question about a tool in one line. Its name is a server's, and cannot break out of it. */
export function hintFor(toolName: string): string {
  const name = escapeUnseen(truncateText(toolName, 128)).replaceAll("`", "'").replaceAll(/\s+/g, " ");
  return `Approve execution of tool \`${name}\`?`;
}
