import { inOption } from "../check-options.ts";
import { createAuthenticateTools } from "@hostside/auth";
import type { Admit, Interceptor, ToolProvider } from "@hostside/core";
import { onBehalfOf } from "@hostside/core/implement";
import { createToolbox, type StaticTool, type Toolbox } from "@hostside/discovery";
import type { McpProvider } from "@hostside/provider";
import type { SharedToolboxInit } from "../pooled/shared-toolbox.ts";
import { watchParts } from "./choose-telemetry.ts";
import type { PartsContext } from "./parts-context.ts";

/** What a toolbox is made with. */
export interface ToolboxMeans extends PartsContext {
  readonly provider: McpProvider;
  readonly ownTools: readonly StaticTool[];
  readonly resourceTools: readonly ToolProvider[];
}

/** A toolbox, and those of conversations that have more than all share. */
export interface OpenToolboxes {
  readonly toolbox: Toolbox;
  /** Makes one with these beside all that the first one has. Who makes one closes it. */
  readonly toolboxWith: (providers: readonly ToolProvider[]) => Toolbox;
  /** Makes the tools for signing in, if there are to be any. */
  readonly signInTools: SharedToolboxInit["signInTools"];
  /** Has all toolboxes that are open ask anew what is on offer. */
  readonly recheckTools: () => void;
}

/** Makes the toolbox over all that brings tools. */
export function openToolboxes(means: ToolboxMeans): OpenToolboxes {
  const { options, closing, report, policy, provider, ownTools, resourceTools, oauth, telemetry } = means;
  const { interceptors = [], ...given } = options.toolbox ?? {};
  const { principal } = options.provider ?? {};
  const signInTools: OpenToolboxes["signInTools"] =
    options.authenticateTools === true && oauth !== undefined
      ? (whose, of) =>
          createAuthenticateTools({ oauth, provider: whose, principal: of, naming: options.provider?.naming })
      : undefined;
  const signIns = signInTools === undefined ? [] : [signInTools(provider, principal)];
  for (const made of [...resourceTools, ...signIns]) closing.add((reason) => made.close(reason));
  const admit = admitByBoth(options.allowTool, policy.admit);
  closing.add(watchParts(telemetry, { policy }));
  // What is no tool of the provider is called on behalf of the same.
  const owned: Interceptor = (call, next) => next({ ...call, options: onBehalfOf(principal, call.options) });
  const hasEffects = options.policy !== undefined && ("explain" in options.policy || "effects" in options.policy);
  // For layers that say what a call does, such as telemetry and call logs.
  const effective: Interceptor = (call, next) =>
    next({ ...call, effect: policy.effectOf(call.definition, call.server) });
  const outermost = [
    ...(principal === undefined ? [] : [owned]),
    ...(hasEffects ? [effective] : []),
    ...(telemetry === undefined ? [] : [telemetry.interceptor]),
  ];
  const open = new Set<Toolbox>();
  const toolboxWith = (more: readonly ToolProvider[]): Toolbox => {
    const made = inOption("toolbox", () =>
      createToolbox({
        ...given,
        tools: ownTools,
        providers: [provider, ...more, ...resourceTools, ...signIns, ...(options.providers ?? [])],
        admit,
        interceptors: [...outermost, ...interceptors, ...policy.interceptors],
        onDiagnostic: report,
      }),
    );
    open.add(made);
    return {
      ...made,
      // A spread would keep the number that it was.
      get revision() {
        return made.revision;
      },
      close(reason) {
        open.delete(made);
        return made.close(reason);
      },
    };
  };
  const toolbox = toolboxWith([]);
  closing.add((reason) => toolbox.close(reason));
  return {
    toolbox,
    toolboxWith,
    signInTools,
    recheckTools() {
      for (const one of open) one.readmit();
    },
  };
}

/** What both offer is on offer; what either hides is hidden. */
function admitByBoth(first: Admit | undefined, second: Admit): Admit {
  if (first === undefined) return second;
  return (tool, server) => {
    const answer = first(tool, server);
    if (answer === "hide") return "hide";
    const other = second(tool, server);
    return other === "offer" ? answer : other;
  };
}
