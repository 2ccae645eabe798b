import type { ProtocolEra } from "@hostside/core";
import type { RequestHandler } from "../peer/peer-context.ts";
import { discover, ping, setLogLevel } from "./lifecycle.ts";
import { complete, getPrompt, listPrompts } from "./prompts.ts";
import { listResources, listTemplates, readResource } from "./resources.ts";
import { listen, subscribe, unsubscribe } from "./subscriptions.ts";
import { cancelTask, getTask, listTasks, taskResult, updateTask } from "./tasks.ts";
import { callTool, listTools } from "./tools.ts";

const inBoth: readonly (readonly [string, RequestHandler])[] = [
  ["tools/list", listTools],
  ["tools/call", callTool],
  ["resources/list", listResources],
  ["resources/templates/list", listTemplates],
  ["resources/read", readResource],
  ["prompts/list", listPrompts],
  ["prompts/get", getPrompt],
  ["completion/complete", complete],
  ["tasks/get", getTask],
  ["tasks/cancel", cancelTask],
];

/** What each era can ask for. `initialize` is not among them: it makes the client that the others belong to. */
export const requestHandlers: Readonly<Record<ProtocolEra, ReadonlyMap<string, RequestHandler>>> = {
  legacy: new Map([
    ...inBoth,
    ["ping", ping],
    ["logging/setLevel", setLogLevel],
    ["resources/subscribe", subscribe],
    ["resources/unsubscribe", unsubscribe],
    ["tasks/result", taskResult],
    ["tasks/list", listTasks],
  ]),
  modern: new Map([
    ...inBoth,
    ["server/discover", discover],
    ["subscriptions/listen", listen],
    ["tasks/update", updateTask],
  ]),
};
