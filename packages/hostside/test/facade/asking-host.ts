import type { ServerSpec } from "@hostside/core";
import type { PolicyEvent, PolicyOptions } from "@hostside/policy";
import { generateText, isStepCount, type ModelMessage } from "ai";
import { createHost, type Conversation, type ConversationOptions, type Host } from "hostside";
import { createAiSdkTools } from "hostside/ai-sdk";
import { expect } from "vitest";
import { resultsIn, scripted } from "../../../adapters/test/mock-model.ts";
import { byName } from "./by-name.ts";
import { createFakeConnector, type FakeConnector } from "./fake-connector.ts";

export const servers: readonly ServerSpec[] = [{ id: "files", type: "stdio", command: "x" }];
export const tool = "mcp_files_write_note";
export const note = { text: "milk" };
export const written = "files did write_note";

interface Opened extends AsyncDisposable {
  readonly conversation: Conversation;
  /** What the server was sent. */
  readonly sent: FakeConnector["sent"];
  /** What the policy reported, in order. */
  readonly events: string[];
  readonly host: Host;
  readonly another: (options: ConversationOptions) => Promise<Conversation>;
}

export async function open(policy: PolicyOptions = {}): Promise<Opened> {
  const connector = createFakeConnector({ files: { tools: ["write_note", "write_page", "read_note"] } });
  const events: string[] = [];
  const onEvent = (event: PolicyEvent): void => {
    events.push(event.type === "approval-answered" ? `${event.type}: ${event.decision}` : event.type);
  };
  const host = await createHost({
    connector,
    servers: byName(servers),
    policy: { requireApproval: ["files/write_*"], onEvent, ...policy },
  });
  return {
    conversation: await host.conversation({ id: "42", principal: "ada" }),
    sent: connector.sent,
    events,
    host,
    another: async (options) => host.conversation(options),
    [Symbol.asyncDispose]: () => host.close(),
  };
}

type Messages = ModelMessage[];

/** Runs a generation of the AI SDK until it asks, and gives the messages with the user's answer. */
export async function askBySdk(conversation: Conversation, approved = true): Promise<Messages> {
  const { tools, prepareStep, toolApproval } = createAiSdkTools(conversation);
  const messages: Messages = [{ role: "user", content: "write" }];
  const first = await generateText({ model: scripted([[[tool, note]]]), tools, prepareStep, toolApproval, messages });
  const asked = first.content.filter((part) => part.type === "tool-approval-request");
  expect(asked.map(({ toolCall }) => toolCall.input)).toEqual([note]);
  const content = asked.map(({ approvalId }) => ({ type: "tool-approval-response", approvalId, approved }) as const);
  return structuredClone([...messages, ...first.responseMessages, { role: "tool", content }]);
}

/** What the model of the AI SDK reads of the call when the request with the answer comes. */
export async function goOnBySdk(conversation: Conversation, messages: Messages): Promise<readonly unknown[]> {
  const { tools, prepareStep, toolApproval } = createAiSdkTools(conversation);
  const model = scripted(["done"]);
  const settings = { model, tools, prepareStep, toolApproval, stopWhen: isStepCount(5) };
  expect((await generateText({ ...settings, messages })).text).toBe("done");
  return resultsIn(model.doGenerateCalls[0]?.prompt);
}

/** The messages with something else in the call that was asked about. */
export function changed(messages: Messages, change: object): Messages {
  return JSON.parse(JSON.stringify(messages), (_key, value: { type?: string }) =>
    value?.type === "tool-call" ? { ...value, ...change } : value,
  ) as Messages;
}

export const denied = (reason: RegExp): object => ({
  type: "error-json",
  value: { code: "approval_denied", message: expect.stringMatching(reason) },
});
