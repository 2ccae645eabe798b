import type { ToolDefinition } from "@toolport/core";
import type { GroupAnswer, ToolAnswer, ToolsAnswer } from "./answers.ts";
import { describeGroup, describeTool } from "./describe.ts";
import { fitAnswer, fitNames } from "./fit-answer.ts";
import type { HelperContext } from "./helper-context.ts";

/** Selects the tools and describes them with their groups: what a search or selection answers. */
export function answerTools(
  context: HelperContext,
  found: readonly ToolDefinition[],
  { maxMembers = Number.POSITIVE_INFINITY }: { readonly maxMembers?: number } = {},
): ToolsAnswer {
  const refused = context.select(found.map(({ name }) => name));
  const names = new Set(found.map(({ name }) => name));
  const related = context.groups().filter(({ members }) => members.some((member) => names.has(member)));
  const answer = fitTools(context, {
    tools: found.map((definition) => describeTool(definition)),
    groups: related.map((group) => describeGroup(group, maxMembers)),
  });
  const notDeclared = fitNames(refused, context.maxAnswerBytes / 16);
  return notDeclared === undefined ? answer : { ...answer, not_declared: notDeclared };
}

/** An answer within the limit of bytes. */
export function fitTools(
  { visible, maxAnswerBytes }: HelperContext,
  parts: { readonly tools: readonly ToolAnswer[]; readonly groups: readonly GroupAnswer[] },
): ToolsAnswer {
  // An eighth is kept for names that were unknown or could not be declared.
  const { tools, groups, omittedTools, omittedGroups } = fitAnswer(parts, (maxAnswerBytes * 7) / 8);
  return {
    tools,
    groups,
    total_tools: visible().length,
    ...(omittedTools && { omitted_tools: omittedTools }),
    ...(omittedGroups && { omitted_groups: omittedGroups }),
  };
}
