import { isHostsideError, type JsonObject, type JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Prompt } from "@hostside/provider/resources";
import type { ActiveRequest } from "../message/active-request.ts";
import { rpcCodes, rpcError } from "../message/json-rpc.ts";
import { passOn } from "../message/meta.ts";
import { toWireContent } from "../message/wire-content.ts";
import type { NamedPrompt } from "../offer/routed-resources.ts";
import type { PeerContext, PeerRequestHandler } from "../peer/peer-context.ts";
import { bounded } from "./bounded.ts";
import { listAll, listRouted, routedOf, toWireEntry } from "./resources.ts";

/** `prompts/list`. */
export const listPrompts: PeerRequestHandler = listRouted({
  member: "prompts",
  key: "name",
  ask: (routed, options) => routed.listPrompts(options),
  entries: (routed) => routed.prompts().map(toWirePrompt),
});

/** `prompts/get`. */
export const handleGetPrompt: PeerRequestHandler = async (context, request) => {
  const routed = routedOf(context);
  const { name, arguments: args } = request.params;
  const prompt = await findPrompt(context, request, name);
  const { serverId } = prompt;
  request.serverId = serverId;
  try {
    const target = { serverId, name: prompt.name };
    const filled = await bounded(context, request, (options) => routed.all.getPrompt(target, readTexts(args), options));
    const meta = passOn(filled.meta);
    return {
      ...(filled.description !== undefined && { description: filled.description }),
      messages: filled.messages.flatMap(({ role, content }) =>
        toWireContent(content).map((block) => ({ role, content: block })),
      ),
      ...(meta !== undefined && { _meta: meta }),
    };
  } catch (error) {
    if (isHostsideError(error, "invalid_arguments")) throw rpcError(rpcCodes.invalidParams, error.rawMessage);
    throw error;
  }
};

/** `completion/complete`. */
export const handleComplete: PeerRequestHandler = async (context, request) => {
  const routed = routedOf(context);
  const { ref, argument, context: given } = request.params;
  const { name, value } = isJsonObject(argument) ? argument : {};
  if (!isJsonObject(ref) || typeof name !== "string" || typeof value !== "string") {
    const needs = "completion/complete needs a ref, and an argument with a name and a value";
    throw rpcError(rpcCodes.invalidParams, needs);
  }
  const target = await findTarget(context, request, ref);
  const others = isJsonObject(given) ? given["arguments"] : undefined;
  const input = { argument: name, value, ...(others !== undefined && { given: readTexts(others) }) };
  try {
    const { values, total, hasMore } = await bounded(context, request, (options) =>
      routed.all.complete(target, input, options),
    );
    return { completion: { values: values.slice(0, 100), ...(Number.isSafeInteger(total) && { total }), hasMore } };
  } catch (error) {
    // Nobody has to complete anything: no proposals are an answer, too.
    if (isHostsideError(error, "unsupported_operation")) return { completion: { values: [], hasMore: false } };
    throw error;
  }
};

async function findTarget(
  context: PeerContext,
  request: ActiveRequest,
  { type, name, uri }: JsonObject,
): Promise<
  { readonly serverId: string; readonly name: string } | { readonly serverId: string; readonly uriTemplate: string }
> {
  if (type === "ref/prompt") return findPrompt(context, request, name);
  if (type !== "ref/resource" || typeof uri !== "string") {
    throw rpcError(rpcCodes.invalidParams, "ref must be a ref/prompt with a name or a ref/resource with a uri");
  }
  const routed = routedOf(context);
  const find = (): { readonly serverId: string; readonly uriTemplate: string } | undefined => {
    const route = routed.routeOf(uri);
    return routed.templateOf(uri) ?? (route && { serverId: route.serverId, uriTemplate: route.uri });
  };
  const known = find();
  if (known === undefined) await listAll(context, request);
  const target = known ?? find();
  if (target === undefined) throw rpcError(rpcCodes.invalidParams, "No server has this template");
  return { serverId: target.serverId, uriTemplate: target.uriTemplate };
}

async function findPrompt(context: PeerContext, request: ActiveRequest, name: JsonValue | undefined): Promise<Prompt> {
  if (typeof name !== "string" || name === "") throw rpcError(rpcCodes.invalidParams, "a prompt has a name");
  const routed = routedOf(context);
  const known = routed.promptOf(name);
  if (known !== undefined) return known;
  const { requestMs: waitMs } = context.settings.limits;
  await bounded(context, request, (options) => routed.listPrompts({ ...options, waitMs }));
  const found = routed.promptOf(name);
  if (found === undefined) throw rpcError(rpcCodes.invalidParams, `Unknown prompt: ${name.slice(0, 256)}`);
  return found;
}

function readTexts(args: unknown): Readonly<Record<string, string>> {
  if (args === undefined) return {};
  if (isJsonObject(args) && Object.values(args).every((value) => typeof value === "string")) {
    return args as Readonly<Record<string, string>>;
  }
  throw rpcError(rpcCodes.invalidParams, "arguments must be an object of texts");
}

function toWirePrompt({ name, prompt }: NamedPrompt): JsonObject {
  const args = prompt.arguments.map(({ name: argument, title, description, required }) => ({
    name: argument,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    required,
  }));
  return { ...toWireEntry(prompt), name, ...(args.length > 0 && { arguments: args }) };
}
