import type { CallOptions, JsonObject, ToolOutcome } from "@hostside/core";
import { foldCase, isCallArguments } from "@hostside/core/implement";
import { runStaticTool, type RunnableTool, type StaticResult } from "../catalog/static-tool.ts";
import type { GroupsAnswer, ToolsAnswer } from "./answers.ts";
import type { HelperContext, HelperOptions, HelperResult } from "./helper-context.ts";
import { type helperDefinitions, type ParsedInput, parseInput } from "./helper-definitions.ts";
import { listGroups, type GroupsInput } from "./tools-groups.ts";
import { searchTools, type SearchInput } from "./tools-search.ts";
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
export function createHelpers(context: HelperContext, definitions: ReturnType<typeof helperDefinitions>): Helpers {
  const { groups, select, search } = definitions;
  const parseGroups = (args: JsonObject): ParsedInput<GroupsInput> => parseInput(groups, args);
  const parseSelect = (args: JsonObject): ReturnType<typeof parseSelectInput> => parseSelectInput(select, args);
  const parseSearch = (args: JsonObject): ParsedInput<Required<SearchInput>> => parseInput(search, args);
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
  add(groups.name, parseGroups, (input) => ({ answer: listGroups(context, input) }));
  add(select.name, parseSelect, (input, options) => selectTools(context, input, options));
  add(search.name, parseSearch, (input, options) => searchTools(context, input, options));

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
    listGroups: (input) => listGroups(context, valid(parseGroups({ ...input }))),
    async selectTools(input, options = {}) {
      return (await selectTools(context, valid(parseSelect({ ...input })), options)).answer;
    },
    async searchTools(input, options = {}) {
      return (await searchTools(context, valid(parseSearch({ ...input })), options)).answer;
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
