import type { JsonObject, ToolDefinition } from "@hostside/core";
import type { Toolbox, ToolboxView } from "@hostside/discovery";
import { chooseByWords, contentWords, type Option } from "./choose-by-words.ts";
import { countDeclared, countTokens } from "./count-tokens.ts";
import { requiredOf } from "./set-toolbox.ts";

/** How a scripted model goes about it. */
export const ways = ["everything", "search", "groups", "search, else groups"] as const;
export type Way = (typeof ways)[number];

/** What became of one task. */
export interface Attempt {
  /** The right tool was called, with all of its required arguments. */
  readonly solved: boolean;
  /** The right tool was before the model when it chose. */
  readonly shown: boolean;
  /** Answers of the model, the call included. */
  readonly turns: number;
  /**
   * What the model read in all of them: what was declared, and every answer that it had by then.
   */
  readonly tokens: number;
}

/**
 * A task: what a user says, and the local names of the tools that do it. The model is given the
 * sentence alone.
 */
export interface Task {
  readonly sentence: string;
  readonly answers: ReadonlySet<string>;
}

// Less of a sentence than this in the best of what was found, and it may be somewhere else.
const enough = 0.3;
const maxToolTokens = 8000;

/**
 * Lets a scripted model, which chooses by words and knows only what it is shown, do a task over a
 * toolbox.
 */
export async function solveTask(toolbox: Toolbox, task: Task, way: Way): Promise<Attempt> {
  if (way === "everything") return callOutOf(toolbox, task);
  const run = createRun(toolbox.view());
  const { sentence, answers } = task;
  let shown: readonly Option[] = [];
  if (way !== "groups") shown = await run.find("tools_search", { query: contentWords(sentence).join(" ") });
  const isSure = (chooseByWords(sentence, shown)?.share ?? 0) >= enough;
  if (way === "groups" || (way === "search, else groups" && !isSure)) {
    // A search says of which groups the tools are that it found; without one, the directory is read
    // first.
    const groups = way === "groups" ? await run.list() : run.groups();
    const group = chooseByWords(sentence, groups)?.option;
    if (group !== undefined) shown = [...shown, ...(await run.find("tools_select", { group: group.id }))];
  }
  const wasShown = shown.some(({ id }) => answers.has(id));
  const choice = chooseByWords(sentence, shown)?.option.id;
  const isDone = choice !== undefined && (await run.call(choice));
  const solved = isDone && answers.has(choice);
  return { solved, shown: wasShown, turns: run.turns(), tokens: run.tokens() };
}

async function callOutOf(toolbox: Toolbox, { sentence, answers }: Task): Promise<Attempt> {
  const definitions = toolbox.tools();
  const name = chooseByWords(sentence, definitions.map(toOption))?.option.id ?? "";
  const definition = definitions.find((candidate) => candidate.name === name);
  const outcome = definition && (await toolbox.call(name, argumentsFor(definition)));
  const solved = outcome?.isError === false && answers.has(name);
  return { solved, shown: true, turns: 1, tokens: countDeclared(definitions) };
}

/** A conversation with the helpers. */
export interface Run {
  list(input?: JsonObject): Promise<readonly Option[]>;
  find(helper: string, input: JsonObject): Promise<readonly Option[]>;
  /** The groups that the last answer named. */
  groups(): readonly Option[];
  /**
   * Calls a tool that is declared by now; one that is not is selected first. Whether it was done.
   */
  call(name: string): Promise<boolean>;
  turns(): number;
  tokens(): number;
}

/** Begins a conversation, with nothing declared but the helpers. */
export function createRun(view: ToolboxView): Run {
  let turns = 0;
  let tokens = 0;
  let read = 0;
  let groups: readonly Option[] = [];
  const takeTurn = (): readonly ToolDefinition[] => {
    const declared = view.tools({ maxToolTokens });
    turns += 1;
    tokens += countDeclared(declared) + read;
    return declared;
  };
  const ask = async (helper: string, input: JsonObject): Promise<JsonObject> => {
    takeTurn();
    const { structuredContent } = await view.call(helper, input);
    read += countTokens(JSON.stringify(structuredContent));
    const answer = structuredContent as JsonObject;
    groups = (answer["groups"] as unknown as readonly ShownGroup[]).map(toGroupOption);
    return answer;
  };
  return {
    turns: () => turns,
    tokens: () => tokens,
    groups: () => groups,
    async list(input = { query: "*" }) {
      await ask("tools_groups", input);
      return groups;
    },
    async find(helper, input) {
      const answer = await ask(helper, input);
      return (answer["tools"] as unknown as readonly Shown[]).map(toOption);
    },
    async call(name) {
      const isDeclared = view.tools({ maxToolTokens }).some((definition) => definition.name === name);
      if (!isDeclared) await ask("tools_select", { tools: [name] });
      const definition = takeTurn().find((candidate) => candidate.name === name);
      if (definition === undefined) return false;
      return !(await view.call(name, argumentsFor(definition))).isError;
    },
  };
}

type Shown = Pick<ToolDefinition, "name" | "title" | "description">;

function toOption({ name, title = "", description }: Shown): Option {
  return { id: name, title: `${name} ${title}`, text: description };
}

interface ShownGroup {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly members?: readonly string[];
}

function toGroupOption({ id, title, description, members = [] }: ShownGroup): Option {
  return { id, title: `${id} ${title}`, text: `${description} ${members.join(" ")}` };
}

/**
 * Something of the right type for each required argument: what a sentence says of them is not what
 * is looked at here.
 */
function argumentsFor(definition: ToolDefinition): JsonObject {
  const { properties } = definition.inputSchema;
  const schemas = (properties ?? {}) as Readonly<Record<string, JsonObject | undefined>>;
  return Object.fromEntries(requiredOf(definition).map((name) => [name, valueFor(schemas[name])]));
}

const values: Readonly<Record<string, JsonObject[string]>> = {
  number: 1,
  integer: 1,
  boolean: true,
  array: [],
  object: {},
  null: null,
};

function valueFor(schema: JsonObject | undefined): NonNullable<JsonObject[string]> | null {
  const choices = schema?.["enum"];
  if (Array.isArray(choices) && choices[0] !== undefined) return choices[0];
  const type = schema?.["type"];
  return (typeof type === "string" ? values[type] : undefined) ?? "text";
}
