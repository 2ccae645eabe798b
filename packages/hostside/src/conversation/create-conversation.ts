import type { OAuth } from "@hostside/auth";
import { HostsideError, type CallContext } from "@hostside/core";
import { assertKnownOptions, kindOf, type Fields } from "@hostside/core/implement";
import { viewOptionFields, type Toolbox, type ToolboxView } from "@hostside/discovery";
import type { Policy } from "@hostside/policy";
import type { Closing } from "../lifecycle/create-closing.ts";
import type { ConversationLease } from "@hostside/cluster";
import type { McpProvider } from "@hostside/provider";
import type { Results } from "@hostside/results";
import { pendingSignIns } from "../sign-ins/pending-sign-ins.ts";
import type { Conversation, ConversationOptions } from "../contract/host.ts";

/** Parts that conversations share. */
export interface ConversationParts {
  readonly toolbox: Toolbox;
  readonly results: Results;
  readonly policy: Policy;
  /** Has the servers that all share. */
  readonly provider: McpProvider;
  readonly oauth: OAuth | undefined;
  /** The end of the host. */
  readonly closing: Pick<Closing, "assertOpen">;
  /** Lends the connections that not all share. */
  readonly lend?: (() => Promise<ConversationLease>) | undefined;
  /** Called once, when the conversation is closed. */
  readonly onClose?: (() => void) | undefined;
}

const optionFields: Fields<ConversationOptions> = { id: true, principal: true, ...viewOptionFields };

/** Throws a `TypeError` for what makes no conversation, before anything is opened for it. */
export function assertConversationOptions(owner: string, options: ConversationOptions): void {
  assertKnownOptions(owner, options, optionFields);
  const { id, principal, context } = options;
  for (const [name, text] of Object.entries({ id, principal }) as [string, unknown][]) {
    if (text !== undefined && typeof text !== "string")
      throw new TypeError(`${name} of ${owner} must be a text, not ${kindOf(text)}`);
  }
  if (principal !== undefined && context?.principal !== undefined && principal !== context.principal) {
    throw new TypeError(`principal and context.principal of ${owner} must be the same where both are given`);
  }
}

/**
 * A view of the toolbox whose calls, approvals and kept results belong to one conversation. Throws
 * a `TypeError` as a view does.
 */
export function createConversation(
  { toolbox, results, policy, provider, oauth, closing: host, lend, onClose }: ConversationParts,
  options: ConversationOptions = {},
): Conversation {
  const { id = options.context?.conversation ?? crypto.randomUUID(), principal: whose, ...viewOptions } = options;
  const context = { ...options.context, ...(whose !== undefined && { principal: whose }), conversation: id };
  const view = toolbox.view({ ...viewOptions, context });
  const approval = policy.frameworkApproval(context);
  // The discovery tools of the view are called without the policy.
  const isOwn = (name: string): boolean => view.has(name) && view.find(name) === undefined;
  let closing: Promise<void> | undefined;
  const forget = async (): Promise<void> => {
    const scope = { conversation: id, principal: context.principal };
    onClose?.();
    const forgotten = await Promise.allSettled([results.forget(scope), policy.forget(scope)]);
    for (const one of forgotten) if (one.status === "rejected") throw one.reason;
  };
  const close = (): Promise<void> => (closing ??= forget());
  const assertOwn = (given: CallContext | undefined): void => {
    assertSame("principal", context.principal, given?.principal);
    assertSame("conversation", id, given?.conversation);
  };
  const open = (): ToolboxView => {
    if (closing !== undefined) {
      throw new HostsideError(`conversation ${JSON.stringify(id)} is closed`, { code: "closed" });
    }
    host.assertOpen();
    return view;
  };
  const ofProviders = async <T>(read: (providers: readonly McpProvider[]) => T): Promise<T> => {
    open();
    // Not `using`, whose compiled form is one more file to load.
    const lease = await lend?.();
    try {
      return read([provider, ...(lease?.providers ?? [])]);
    } finally {
      lease?.[Symbol.dispose]();
    }
  };
  return {
    ...view,
    id,
    context,
    approval: {
      ...approval,
      requires: (definition) => !isOwn(definition.name) && approval.requires(definition),
    },
    presenter: {
      async present(outcome, presentContext) {
        assertOwn(presentContext?.context);
        return results.present(outcome, { ...presentContext, context: { ...context, ...presentContext?.context } });
      },
      presentError: (error, presentContext) => results.presentError(error, presentContext),
    },
    tools: (declareOptions) => open().tools(declareOptions),
    compact: () => open().compact(),
    undeclared: () => open().undeclared(),
    selection: () => open().selection(),
    groups: () => open().groups(),
    has: (name) => open().has(name),
    find: (name) => open().find(name),
    listGroups: (input) => open().listGroups(input),
    whenListed: async (listedOptions) => open().whenListed(listedOptions),
    async call(name, args, callOptions) {
      assertOwn(callOptions?.context);
      // To wait here is sooner than to hand on a promise.
      return await open().call(name, args, { wait: "servers", ...callOptions });
    },
    async selectTools(input, helperOptions) {
      assertOwn(helperOptions?.context);
      return open().selectTools(input, helperOptions);
    },
    async searchTools(input, helperOptions) {
      assertOwn(helperOptions?.context);
      return open().searchTools(input, helperOptions);
    },
    signIns: () => ofProviders((providers) => pendingSignIns(providers, oauth)),
    statuses: () => ofProviders((providers) => providers.flatMap((one) => one.statuses())),
    close,
    [Symbol.asyncDispose]: close,
  };
}

// The connections of a conversation are its own, so nothing of it is done for somebody else.
function assertSame(name: string, own: string | undefined, given: string | undefined): void {
  if (own === undefined || given === undefined || own === given) return;
  throw new TypeError(`context.${name} must be that of the conversation`);
}
