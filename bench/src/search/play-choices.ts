import { readFileSync } from "node:fs";
import type { JsonObject } from "@hostside/core";
import type { Toolbox } from "@hostside/discovery";
import { createRun, type Attempt, type Task } from "./solve-task.ts";

/**
 * What a model chose to do in one turn: a helper with its arguments, or the tool that it takes for
 * the right one.
 */
export interface ChosenTurn {
  readonly tool: string;
  readonly args?: JsonObject;
}

/** What a model chose to do about 50 tasks, each in a conversation of its own. */
export interface RecordedChoices {
  /** Of the draw of servers and tasks. */
  readonly seed: number;
  readonly tasks: readonly { readonly sentence: string; readonly turns: readonly ChosenTurn[] }[];
}

/** The choices that are kept in the repository. */
export function readChoices(): RecordedChoices {
  return JSON.parse(
    readFileSync(new URL("../../data/search/choices.json", import.meta.url), "utf8"),
  ) as RecordedChoices;
}

/**
 * Does again what a model chose to do. Its helpers are asked anew, so that a tool that they do not
 * show any more cannot be called: the model would not have known of it.
 */
export async function playChoices(toolbox: Toolbox, task: Task, turns: readonly ChosenTurn[]): Promise<Attempt> {
  const run = createRun(toolbox.view());
  const shown = new Set<string>();
  let solved = false;
  for (const { tool, args = {} } of turns) {
    if (tool === "tools_groups") await run.list(args);
    else if (tool === "tools_search" || tool === "tools_select")
      for (const { id } of await run.find(tool, args)) shown.add(id);
    else solved = shown.has(tool) && (await run.call(tool)) && task.answers.has(tool);
  }
  const wasShown = Array.from(task.answers).some((answer) => shown.has(answer));
  return { solved, shown: wasShown, turns: run.turns(), tokens: run.tokens() };
}
