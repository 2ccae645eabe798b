import { inOption } from "../contract/check-options.ts";
import type { Admit, Interceptor, ToolProvider } from "@hostside/core";
import { onBehalfOf } from "@hostside/core/implement";
import { createToolbox, type StaticTool, type Toolbox } from "@hostside/discovery";
import type { OAuth } from "@hostside/auth";
import type { NamingStrategy } from "@hostside/naming";
import type { McpProvider } from "@hostside/provider";
import type { PartsContext } from "./parts-context.ts";

/** A toolbox, and those of conversations that have more than all share. */
export interface OpenToolboxes {
  readonly toolbox: Toolbox;
  /** Makes a toolbox of these beside all that the first one has. The caller closes it. */
  readonly toolboxWith: (providers: readonly ToolProvider[]) => Toolbox;
  /** Makes the tools for signing in to servers of a provider, if there are to be any. */
  readonly signInTools: ((provider: McpProvider, principal: string | undefined) => ToolProvider) | undefined;
  /** Has all toolboxes that are open ask anew what is on offer. */
  readonly recheckTools: () => void;
}

/** Makes the toolbox over everything that brings tools. */
export async function openToolboxes(
  context: PartsContext,
  provider: McpProvider,
  own: { readonly tools: readonly StaticTool[]; readonly resourceTools: readonly ToolProvider[] },
): Promise<OpenToolboxes> {
  const { options, closing, report, policy, auth, telemetry } = context;
  const { oauth } = auth;
  const { interceptors = [], ...given } = options.toolbox ?? {};
  const { principal } = options.provider ?? {};
  const signInTools =
    options.authenticateTools === true && oauth !== undefined
      ? await makerOfSignInTools(oauth, options.provider?.naming)
      : undefined;
  const shared = [...own.resourceTools, ...(signInTools === undefined ? [] : [signInTools(provider, principal)])];
  for (const made of shared) closing.add((reason) => made.close(reason));
  closing.add(telemetry?.watch({ policy }) ?? (() => undefined));
  // A tool that is not the provider's is called on behalf of the same principal.
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
        tools: own.tools,
        providers: [provider, ...more, ...shared, ...(options.providers ?? [])],
        admit: admitByBoth(options.allowTool, policy.admit),
        interceptors: [...outermost, ...interceptors, ...policy.interceptors],
        onDiagnostic: report,
      }),
    );
    open.add(made);
    const close = made.close.bind(made);
    // Not a spread, which would merge all tools to read the revision.
    return Object.assign(made, {
      close(reason?: string) {
        open.delete(made);
        close(reason);
      },
    });
  };
  const toolbox = toolboxWith([]);
  closing.add((reason) => toolbox.close(reason));
  return { toolbox, toolboxWith, signInTools, recheckTools: () => open.forEach((one) => one.readmit()) };
}

async function makerOfSignInTools(
  oauth: OAuth,
  naming: NamingStrategy | undefined,
): Promise<NonNullable<OpenToolboxes["signInTools"]>> {
  const { createAuthenticateTools } = await import("@hostside/auth");
  return (provider, principal) => createAuthenticateTools({ oauth, provider, principal, naming });
}

/** Offers what both offer, and hides what either hides. */
function admitByBoth(first: Admit | undefined, second: Admit): Admit {
  if (first === undefined) return second;
  return (tool, server) => {
    const answer = first(tool, server);
    if (answer === "hide") return "hide";
    const other = second(tool, server);
    return other === "offer" ? answer : other;
  };
}
