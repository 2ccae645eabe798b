import type { ProtocolEra } from "@hostside/core";
import type { PeerRequestHandler } from "../peer/peer-context.ts";
import { discover, ping, setLogLevel } from "./lifecycle.ts";
import { handleComplete, handleGetPrompt, listPrompts } from "./prompts.ts";
import { listResources, listTemplates, handleReadResource } from "./resources.ts";
import { handleSubscriptionsListen, subscribe, unsubscribe } from "./subscriptions.ts";
import { handleCallTool, handleListTools } from "./tools.ts";

const inBoth: readonly (readonly [string, PeerRequestHandler])[] = [
  ["tools/list", handleListTools],
  ["tools/call", handleCallTool],
  ["resources/list", listResources],
  ["resources/templates/list", listTemplates],
  ["resources/read", handleReadResource],
  ["prompts/list", listPrompts],
  ["prompts/get", handleGetPrompt],
  ["completion/complete", handleComplete],
];

/**
 * The requests that each era has. `initialize` is not among them: it makes the client that the
 * others belong to.
 */
export const requestHandlers: Readonly<Record<ProtocolEra, ReadonlyMap<string, PeerRequestHandler>>> = {
  legacy: new Map([
    ...inBoth,
    ["ping", ping],
    ["logging/setLevel", setLogLevel],
    ["resources/subscribe", subscribe],
    ["resources/unsubscribe", unsubscribe],
  ]),
  modern: new Map([...inBoth, ["server/discover", discover], ["subscriptions/listen", handleSubscriptionsListen]]),
};
