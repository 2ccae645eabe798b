import type { CallContext, CallOptions, HostsideError, ToolDefinition, ToolOutcome } from "@hostside/core";
import { sameDefinition, unknownToolError } from "@hostside/core/implement";
import type { ToolboxCatalog, ToolboxTool } from "../catalog/toolbox-catalog.ts";
import { changedTool, quarantinedTool, removedTool } from "../catalog/changed-tool.ts";
import type { ToolboxCalls } from "../catalog/toolbox-calls.ts";
import { findAbsent } from "../catalog/wait-for-tool.ts";
import type { Helpers } from "../discovery-tools/discovery-tools.ts";
import type { Offer } from "../offer/offer.ts";
import type { PermittedPart } from "../offer/permitted.ts";

/** The parts of the calls of a view. */
export interface ViewCallsInit {
  readonly catalog: () => ToolboxCatalog;
  readonly calls: ToolboxCalls;
  /** The error for a tool that cannot be there any more, if that is known. */
  readonly permitted: () => PermittedPart;
  readonly offer: Offer;
  readonly helpers: Helpers;
  readonly refuseChanged: boolean;
  /** Puts the context of the view under that of a call. */
  readonly contextOf: (given: CallContext | undefined) => CallContext | undefined;
}

type AllOptions = { readonly [Name in keyof Required<CallOptions>]: CallOptions[Name] };

const noOptions: CallOptions = {};

/**
 * How long servers are waited for that are not known yet: most that come at all have come by then,
 * and a model that waits longer may be given up.
 */
export const serversWaitMs = 5000;

/** Makes the calls of one view: of helpers, and of what is permitted, as the model read it. */
export function createViewCalls(
  init: ViewCallsInit,
): (name: string, args?: unknown, options?: CallOptions) => Promise<ToolOutcome> {
  const { calls, permitted, offer, helpers, contextOf } = init;
  // One promise and one copy of the options in all: each more is paid with every call.
  return async (name, args, given = noOptions) => {
    calls.check(name, given);
    const context = contextOf(given.context);
    if (helpers.has(name)) {
      if (given.wait === "servers") await calls.waitForServers({ ...given, waitMs: serversWaitMs });
      return await helpers.call(name, args, { ...given, context });
    }
    let options = given;
    let tool = permitted().find(name);
    if (tool === undefined && given.wait === "servers" && mayCome(name, permitted())) {
      options = await calls.waitForTool(name, given);
      tool = permitted().find(name);
    }
    if (tool === undefined) throw whyMissing(name, init);
    const { selected = readLast(name, tool, init) } = given;
    offer.touch(tool.definition.name);
    const { signal, timeoutMs, wait, meta, onProgress, deadline, observer } = options;
    // Written out: all that comes after it reads objects of one shape faster than copies.
    const whole: AllOptions = { signal, timeoutMs, selected, wait, meta, context, onProgress, deadline, observer };
    return await calls.run(tool, name, { args, options: whole });
  };
}

function mayCome(name: string, { allows, findHeld }: PermittedPart): boolean {
  return allows(name) && findHeld(name) === undefined;
}

function whyMissing(name: string, { permitted, offer, calls, catalog }: ViewCallsInit): HostsideError {
  const held = permitted().findHeld(name);
  if (held !== undefined) return quarantinedTool(held);
  if (offer.has(name)) return removedTool(name);
  return unknownToolError(name, permitted().definitions, findAbsent(calls.unready(), catalog()));
}

/** Returns the definition that the call is held to, unless the caller says. */
function readLast(
  name: string,
  { definition }: ToolboxTool,
  { refuseChanged, offer }: ViewCallsInit,
): ToolDefinition | undefined {
  const last = refuseChanged ? offer.shown(name) : undefined;
  if (last !== undefined && !sameDefinition(last, definition)) throw changedTool(name, definition);
  return last;
}
