import type { CallOptions, JsonObject, ToolOutcome } from "@hostside/core";
import { foldCase, isCallArguments } from "@hostside/core/implement";
import { runStaticTool, type RunnableTool, type StaticResult } from "../catalog/static-tool.ts";
import type { GroupsAnswer, ToolsAnswer } from "./answers.ts";
import type { HelperContext, HelperOptions, HelperResult } from "./helper-context.ts";
import type { HelperNames } from "./helper-definitions.ts";
import type { ParsedInput } from "./parse-input.ts";
import { listGroups, parseGroupsInput, type GroupsInput } from "./tools-groups.ts";
import { parseSearchInput, searchTools, type SearchInput } from "./tools-search.ts";
import { parseSelectInput, selectTools, type SelectInput } from "./tools-select.ts";

/** The helpers of one view, for models and for code. */
export interface Helpers {
  has(name: string): boolean;
  call(name: string, args: unknown, options?: CallOptions): Promise<ToolOutcome>;
  listGroups(input: GroupsInput): GroupsAnswer;
  selectTools(input: SelectInput, options?: HelperOptions): Promise<ToolsAnswer>;
  searchTools(input: SearchInput, options?: HelperOptions): Promise<ToolsAnswer>;
}

/** Makes the helpers. */
export function createHelpers(context: HelperContext, names: HelperNames): Helpers {
  const helpers = new Map<string, RunnableTool>();
  const add = <Input, Answer extends JsonObject>(
    name: string,
    parse: (args: JsonObject) => ParsedInput<Input>,
    work: (input: Input, options: HelperOptions) => HelperResult<Answer> | Promise<HelperResult<Answer>>,
  ): void => {
    const run: RunnableTool["run"] = async (args, { signal, context: who }) => {
      const parsed = parse(args);
      if ("problem" in parsed) return problemResult(parsed.problem);
      const { answer, usage } = await work(parsed.value, { signal, context: who });
      return { structuredContent: answer, ...(usage && { meta: { usage } }) };
    };
    helpers.set(foldCase(name), { definition: { name }, run });
  };
  add(names.groups, parseGroupsInput, (input) => ({ answer: listGroups(context, input) }));
  add(names.select, parseSelectInput, (input, options) => selectTools(context, input, options));
  add(names.search, parseSearchInput, (input, options) => searchTools(context, input, options));

  return {
    has: (name) => helpers.has(foldCase(name)),
    async call(name, args, options = {}) {
      const helper = helpers.get(foldCase(name));
      if (helper === undefined) throw new TypeError(`${name} is no helper`);
      const input = args ?? {};
      const isReadable = isCallArguments(input);
      const tool = isReadable ? helper : { ...helper, run: () => problemResult(noObject) };
      return await runStaticTool(tool, { args: isReadable ? input : {}, options });
    },
    listGroups: (input) => listGroups(context, valid(parseGroupsInput({ ...input }))),
    async selectTools(input, options = {}) {
      return (await selectTools(context, valid(parseSelectInput({ ...input })), options)).answer;
    },
    async searchTools(input, options = {}) {
      return (await searchTools(context, valid(parseSearchInput({ ...input })), options)).answer;
    },
  };
}

const noObject = "Invalid input: arguments must be a JSON object";

function problemResult(problem: string): StaticResult {
  return { content: [{ type: "text", text: problem }], isError: true };
}

function valid<T>(parsed: ParsedInput<T>): T {
  if ("problem" in parsed) throw new TypeError(parsed.problem);
  return parsed.value;
}
