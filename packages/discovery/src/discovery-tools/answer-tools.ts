import type { ToolDefinition, ToolGroup } from "@hostside/core";
import type { OmittedNames, ToolAnswer, ToolsAnswer } from "./answers.ts";
import { describeGroup, describeTool, summarizeLargeTool, summarizeTool } from "./describe.ts";
import { type AnswerLimit, type FittedParts, fitAnswer, fitNames, limitBytes, partOfLimit } from "./fit-answer.ts";
import { mostSelected } from "../offer/offer.ts";
import type { HelperContext } from "./helper-context.ts";

/** How an answer is made. */
export interface AnswerPlan {
  /** The share of `maxToolTokens` that it may cost. */
  readonly share: number;
  /** Which other tools of its groups are named. */
  readonly others: OtherTools;
  /** Most groups with an entry; the ids of the others are named. Default: all. */
  readonly mostGroups?: number;
  /**
   * How much of a group's advice is quoted, in UTF-16 units: its first lines. Default: what a
   * helper may quote.
   */
  readonly longestAdvice?: number;
  /** Longest line about a group. Default: as in the directory. */
  readonly longestAbout?: number;
}

/**
 * An answer, and the tools that are neither in it nor declared next, without one that could never
 * be.
 */
interface ToolsResult {
  readonly answer: ToolsAnswer;
  readonly missing: readonly ToolDefinition[];
}

// `maxToolTokens` is for what is declared, turn after turn; less than this would be no answer.
const leastTokens = 1000;

/**
 * Selects the tools and describes them with their groups. A tool's schema stands in the answer, or
 * in what is declared with the next request; not in both, unless the product wants that, and what
 * is in neither is named.
 */
export function answerTools(context: HelperContext, found: readonly ToolDefinition[], plan: AnswerPlan): ToolsResult {
  return context.offer.isDeclared ? answerBeside(context, found, plan) : answerWhole(context, found, plan);
}

/**
 * The product declares what the view says: schemas come that way. A tool that is too large for it
 * stands in the answer if there is room, else in a line.
 */
function answerBeside(context: HelperContext, found: readonly ToolDefinition[], plan: AnswerPlan): ToolsResult {
  const { offer, answerSchemas } = context;
  const { placed, tooLarge } = offer.place(found);
  const limit = limitAnswer(context, plan.share);
  const tools = found.flatMap((definition) => {
    if (tooLarge.has(definition)) return describeTool(definition);
    if (!placed.has(definition.name)) return [];
    return answerSchemas === "always" ? describeTool(definition) : summarizeTool(definition);
  });
  return finish(context, { found, placed, tooLarge, limit, fitted: fitTools(context, { tools, found, plan, limit }) });
}

/**
 * The product did not declare anything yet, and may never: schemas stand in the answer as far as
 * they fit.
 */
function answerWhole(context: HelperContext, found: readonly ToolDefinition[], plan: AnswerPlan): ToolsResult {
  const limit = limitAnswer(context, plan.share);
  const fitted = fitTools(context, { tools: found.map((definition) => describeTool(definition)), found, plan, limit });
  const shown = new Set(fitted.tools.flatMap(({ name, parameters }) => (parameters === undefined ? [] : name)));
  const isShown = ({ name }: ToolDefinition): boolean => shown.has(name);
  // Where not all can be declared, those that the answer has no room for need it most.
  const inNeed =
    found.length <= mostSelected
      ? found
      : [...found.filter((definition) => !isShown(definition)), ...found.filter(isShown)];
  const { placed } = context.offer.place(inNeed);
  return finish(context, { found, placed, tooLarge: new Set(), limit, fitted });
}

interface Outcome {
  readonly found: readonly ToolDefinition[];
  readonly placed: ReadonlySet<string>;
  readonly tooLarge: ReadonlySet<ToolDefinition>;
  readonly limit: AnswerLimit;
  readonly fitted: FittedParts;
}

function finish({ offer, permitted }: HelperContext, { found, placed, tooLarge, limit, fitted }: Outcome): ToolsResult {
  const { tools, groups, omittedTools, omittedGroups } = fitted;
  const described = new Set(tools.map(({ name }) => name));
  const readable = new Set(tools.filter(({ parameters }) => parameters !== undefined).map(({ name }) => name));
  for (const definition of found) if (readable.has(definition.name)) offer.show(definition);
  const undescribed = found.filter(({ name }) => placed.has(name) && !described.has(name));
  const undeclared = found.filter(({ name }) => !placed.has(name));
  const omitted = omittedTools &&
    undescribed.length > 0 && {
      names: omittedTools.names.filter((name) => placed.has(name)),
      total: undescribed.length,
    };
  const notDeclared = nameSome(
    undeclared.map(({ name }) => name),
    limit,
  );
  const answer = {
    tools,
    groups,
    total_tools: permitted().definitions.length,
    ...(omitted && { omitted_tools: omitted }),
    ...(omittedGroups && { omitted_groups: omittedGroups }),
    ...(notDeclared && { not_declared: notDeclared }),
  };
  const isNamed = (definition: ToolDefinition): boolean =>
    readable.has(definition.name) || (tooLarge.has(definition) && described.has(definition.name));
  const missing = undeclared.filter((definition) => !isNamed(definition));
  return { answer, missing };
}

/** Tools and the groups that they are in, within the limit. */
export function fitTools(context: HelperContext, { tools, found, plan, limit }: FitRequest): FittedParts {
  const all = groupsWithSiblings(context.permitted().groups, {
    found: found.map(({ name }) => name),
    described: new Set(tools.map(({ name }) => name)),
    others: plan.others,
  });
  const shown = all.slice(0, plan.mostGroups);
  const groups = shown.map(({ group, siblings }) =>
    describeGroup(group, { about: context.about(group), siblings, ...plan }),
  );
  const unshown = all.slice(shown.length).flatMap(({ group, hasFound }) => (hasFound ? group.id : []));
  const byName = new Map(found.map((definition) => [definition.name, definition]));
  const shorten = (tool: ToolAnswer): ToolAnswer | undefined => {
    const definition = tool.parameters === undefined ? undefined : byName.get(tool.name);
    return definition && summarizeLargeTool(definition);
  };
  return fitAnswer({ tools, groups, unshown, shorten }, partOfLimit(limit, 12 / 16));
}

interface FitRequest {
  readonly tools: readonly ToolAnswer[];
  /** The tools whose groups are described. */
  readonly found: readonly ToolDefinition[];
  readonly plan: AnswerPlan;
  readonly limit: AnswerLimit;
}

const maxAnswerBytes = 262_144;

/** How large an answer may be: its bytes, and a share of `maxToolTokens`. */
export function limitAnswer({ offer }: HelperContext, share: number): AnswerLimit {
  return limitBytes(maxAnswerBytes, Math.max(leastTokens, offer.maxToolTokens * share));
}

/**
 * As many names as an answer has room for beside everything else; there may be four such lists.
 */
export function nameSome(names: readonly string[], limit: AnswerLimit): OmittedNames | undefined {
  return fitNames(names, partOfLimit(limit, 1 / 16));
}

/**
 * Which tools of a group an answer names beside those that it describes: these, the first ones
 * first, and then others up to so many.
 */
interface OtherTools {
  readonly ranked: readonly string[];
  readonly upTo: number;
}

/** The contents of an answer, by names. */
interface AnsweredNames {
  /** In the order of the answer, described or not. */
  readonly found: readonly string[];
  readonly described: ReadonlySet<string>;
  readonly others: OtherTools;
}

/**
 * The groups of the tools that were found, then those of other tools only, each kind by its best
 * tool.
 */
function groupsWithSiblings(
  groups: readonly ToolGroup[],
  { found, described, others }: AnsweredNames,
): readonly { readonly group: ToolGroup; readonly siblings: readonly string[]; readonly hasFound: boolean }[] {
  const { ranked, upTo } = others;
  const wanted = new Set(ranked);
  const ranks = new Map(Array.from(new Set([...found, ...ranked]), (name, rank) => [name, rank]));
  const rankOf = (name: string): number => ranks.get(name) ?? 0;
  const siblingsOf = (named: readonly string[], { members }: ToolGroup, hasFound: boolean): readonly string[] => {
    const next = named.filter((name) => wanted.has(name) && !described.has(name)).sort((a, b) => rankOf(a) - rankOf(b));
    const isRest = (name: string): boolean => !wanted.has(name) && !described.has(name);
    // A group of which only a runner-up is known is named for that one alone.
    return [...next, ...(hasFound ? members.filter(isRest).slice(0, Math.max(0, upTo - next.length)) : [])];
  };
  return groups
    .map((group) => ({ group, named: group.members.filter((member) => ranks.has(member)) }))
    .filter(({ named }) => named.length > 0)
    .map(({ group, named }) => ({
      group,
      named,
      best: named.reduce((best, name) => Math.min(best, rankOf(name)), ranks.size),
    }))
    .sort((a, b) => a.best - b.best)
    .map(({ group, named, best }) => ({
      group,
      siblings: siblingsOf(named, group, best < found.length),
      hasFound: best < found.length,
    }));
}
