import type { ToolDefinition } from "@hostside/core";
import { type Fields, assertKnownOptions, foldCase, withDefaults } from "@hostside/core/implement";
import { assertLegalName, localOrigin } from "../catalog/static-tool.ts";

/** What the discovery helpers are called. */
export interface HelperNames {
  readonly groups: string;
  readonly select: string;
  readonly search: string;
}

const defaults: HelperNames = { groups: "tools_groups", select: "tools_select", search: "tools_search" };

const fields: Fields<HelperNames> = { groups: true, select: true, search: true };

/**
 * The names with defaults filled in. Throws `TypeError` when one is not legal or for no helper, or
 * two are the same.
 */
export function resolveHelperNames(names: Partial<HelperNames> = {}): HelperNames {
  assertKnownOptions("helperNames", names, fields);
  const resolved = withDefaults(defaults, names);
  const all = Object.values(resolved);
  for (const name of all) assertLegalName(name);
  if (new Set(all.map(foldCase)).size < all.length) throw new TypeError(`helper names must differ: ${all.join(", ")}`);
  return resolved;
}

/** How many tools a search returns when it does not say, and at most. */
export const searchLimits = { fallback: 5, most: 64 } as const;

/** How many tools a selection by query returns when it does not say, and at most. */
export const selectLimits = { fallback: 5, most: 16 } as const;

/** The definitions of the three helpers, in the order groups, select, search. */
export function helperDefinitions({ groups, select, search }: HelperNames): readonly ToolDefinition[] {
  const readOnly = { readOnlyHint: true, openWorldHint: false };
  const text = (description: string): Readonly<Record<string, string>> => ({ type: "string", description });
  const limit = (limits: {
    readonly fallback: number;
    readonly most: number;
  }): Readonly<Record<string, string | number>> => ({
    type: "integer",
    minimum: 0,
    maximum: limits.most,
    description: `Most tools to return. 0 or absent: ${limits.fallback}.`,
  });
  return [
    {
      name: groups,
      description:
        "Lists the groups of tools that exist, such as all tools of one server, without their schemas. Start here when you do not know " +
        `which tools there are, then expand a group with ${select}.`,
      inputSchema: {
        type: "object",
        properties: { query: text("Part of a group's id, title or description. Absent: all groups.") },
        required: [],
        additionalProperties: false,
      },
      annotations: readOnly,
      origin: localOrigin(groups),
    },
    {
      name: select,
      description:
        "Makes tools available from your next step on, with their full definitions. Give exact tool names, or the id of a group to get " +
        "all of its tools, or a query. When the answer has `next`, pass that to get the rest.",
      inputSchema: {
        type: "object",
        properties: {
          tools: { type: "array", items: { type: "string" }, description: "Exact names of tools." },
          group: text(`The id of a group, as ${groups} lists it.`),
          after: text("Name of a tool of the group: only those after it."),
          query: text("What the tool should do. Ignored when tools or group is given."),
          limit: limit(selectLimits),
        },
        required: [],
        additionalProperties: false,
      },
      annotations: readOnly,
      origin: localOrigin(select),
    },
    {
      name: search,
      description:
        "Finds tools by name or by what they do, best first, and makes them available from your next step on. A few telling words work " +
        'best, such as "create issue github". `members` of its groups are the next best, by name. "*" lists names and descriptions only.',
      inputSchema: {
        type: "object",
        properties: {
          query: text(
            'Words, a name, or the beginning of one. "+word" must occur; "select:a,b" takes tools by exact name.',
          ),
          limit: limit(searchLimits),
        },
        required: ["query"],
        additionalProperties: false,
      },
      annotations: readOnly,
      origin: localOrigin(search),
    },
  ];
}
