import type { CallOptions, JsonObject, ToolOutcome } from "@hostside/core";
import { foldCase, isCallArguments } from "@hostside/core/implement";
import { runStaticTool, type StaticResult } from "../catalog/static-tool.ts";
import type { GroupsAnswer, ToolsAnswer } from "./answers.ts";
import type { HelperContext, HelperOptions, HelperResult } from "./helper-context.ts";
import { helperDefinitions, InvalidInput, invalid, parseInput } from "./helper-definitions.ts";
import { listGroups, type GroupsInput } from "./tools-groups.ts";
import { searchTools, type SearchInput } from "./tools-search.ts";
import { parseSelectInput, selectTools, type SelectInput } from "./tools-select.ts";

/** The helpers of one view, for models and for code. */
export interface Helpers {
  has(name: string): boolean;
  call(name: string, args: unknown, options?: CallOptions): Promise<ToolOutcome>;
  listGroups(input?: GroupsInput): GroupsAnswer;
  selectTools(input: SelectInput, options?: HelperOptions): Promise<ToolsAnswer>;
  searchTools(input: SearchInput, options?: HelperOptions): Promise<ToolsAnswer>;
}

/** Makes the helpers. */
export function createHelpers(context: HelperContext): Helpers {
  const { groups, select, search } = helperDefinitions;
  const listGroupsBy = (input: object): HelperResult<GroupsAnswer> => ({
    answer: listGroups(context, parseInput(groups, input)),
  });
  const selectBy = async (input: object, options: HelperOptions): Promise<HelperResult<ToolsAnswer>> =>
    await selectTools(context, parseSelectInput(select, input), options);
  const searchBy = async (input: object, options: HelperOptions): Promise<HelperResult<ToolsAnswer>> =>
    await searchTools(context, parseInput(search, input) as unknown as Required<SearchInput>, options);
  const work = new Map<string, typeof listGroupsBy | typeof selectBy>([
    [foldCase(groups.name), listGroupsBy],
    [foldCase(select.name), selectBy],
    [foldCase(search.name), searchBy],
  ]);
  return {
    has: (name) => work.has(foldCase(name)),
    async call(name, args, options = {}) {
      const run = async (_: JsonObject, { signal, context: who }: CallOptions): Promise<StaticResult> => {
        try {
          const input = args ?? {};
          if (!isCallArguments(input)) throw invalid("arguments must be a JSON object");
          const found = await work.get(foldCase(name))?.(input, { signal, context: who });
          return { structuredContent: found?.answer ?? {}, ...(found?.usage && { meta: { usage: found.usage } }) };
        } catch (error) {
          if (!(error instanceof InvalidInput)) throw error;
          return { content: [{ type: "text", text: error.message }], isError: true };
        }
      };
      return await runStaticTool({ definition: { name }, run }, { args: {}, options });
    },
    listGroups: (input) => listGroupsBy(input ?? {}).answer,
    selectTools: async (input, options = {}) => (await selectBy(input ?? {}, options)).answer,
    searchTools: async (input, options = {}) => (await searchBy(input ?? {}, options)).answer,
  };
}
