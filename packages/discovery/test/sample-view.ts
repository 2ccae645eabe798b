import type { JsonObject, ToolDefinition, ToolGroup, ToolOutcome } from "@hostside/core";
import { expect } from "vitest";
import { createToolbox } from "../src/index.ts";
import type { ToolboxOptions, ToolboxView, ToolsAnswer, ViewOptions } from "../src/index.ts";
import { fakeProvider, groupOf, serverTool } from "./fake-provider.ts";

export const github = ["create_issue", "list_issues", "merge_pull_request"].map((name) => serverTool("github", name));
export const slack = [
  serverTool("slack", "post_message", "Posts a message in a channel."),
  serverTool("slack", "list_channels"),
];
const groups: readonly ToolGroup[] = [
  groupOf(
    "mcp:github",
    github.map(({ name }) => name),
    { title: "GitHub", instructions: "Search before you create." },
  ),
  groupOf(
    "mcp:slack",
    slack.map(({ name }) => name),
    { title: "Slack", description: "Chat for teams." },
  ),
];

/** A view of a few tools of two servers, or of the given ones. */
export function viewOf({
  definitions = [...github, ...slack],
  groups: declared = groups,
  toolbox = {},
  ...options
}: ViewOptions & {
  readonly definitions?: readonly ToolDefinition[];
  readonly groups?: readonly ToolGroup[];
  readonly toolbox?: ToolboxOptions;
} = {}): ToolboxView {
  const provider = fakeProvider("mcp");
  provider.offer(definitions, declared);
  return createToolbox({ ...toolbox, providers: [provider] }).view(options);
}

/** What a helper answers to a model. */
export async function ask(view: ToolboxView, helper: string, args: unknown): Promise<JsonObject> {
  const outcome = await view.call(helper, args);
  expect(outcome.isError, JSON.stringify(outcome.content)).toBe(false);
  const answer: JsonObject = JSON.parse(textOf(outcome));
  expect(outcome.structuredContent).toEqual(answer);
  return answer;
}

/** What a helper tells a model that got it wrong. */
export async function refuse(view: ToolboxView, helper: string, args: unknown): Promise<string> {
  const outcome = await view.call(helper, args);
  expect(outcome.isError).toBe(true);
  return textOf(outcome);
}

/** Names of the tools in an answer, in order. */
export const namesIn = (answer: { readonly tools?: unknown }): readonly string[] =>
  (answer.tools as ToolsAnswer["tools"]).map(({ name }) => name);

function textOf({ content }: ToolOutcome): string {
  const text = content[0]?.["text"];
  if (typeof text !== "string") throw new Error("no text");
  return text;
}
