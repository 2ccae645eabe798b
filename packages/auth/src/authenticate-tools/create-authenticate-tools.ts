import { cleanText, type JsonObject, type ToolDefinition, type ToolProvider } from "@hostside/core";
import { assertKnownOptions, createHostTools, quoteText, type Fields, type HostTool } from "@hostside/core/implement";
import type { NamingStrategy } from "@hostside/naming";
import { createSignIns, type SignInAnswer, type SignInMeans, type SignInStatus } from "./sign-in.ts";
import { createToolNames } from "./tool-names.ts";

type HostToolResult = Awaited<ReturnType<HostTool["run"]>>;

/** Options of {@linkcode createAuthenticateTools}. */
export interface AuthenticateToolsOptions extends SignInMeans {
  /**
   * Names the tools, as those of the tool `authenticate` of each server. Default `hostsideNaming`,
   * also in place of a strategy that does not show the server.
   */
  readonly naming?: NamingStrategy | undefined;
}

const fields: Fields<AuthenticateToolsOptions> = {
  oauth: true,
  provider: true,
  principal: true,
  naming: true,
};
const group = {
  id: "authenticate",
  title: "Signing in",
  description: "MCP servers that the user has to sign in to before their tools can be used",
};

/**
 * Makes the tools by which a model asks for servers to be signed in to, for
 * `createToolbox({ providers })`: one for each server of `auth: "oauth"` that needs the user to
 * sign in, as long as it does. A call signs in by the `prompt` of `createOAuth`, or answers with
 * the URL to show where there is none, and brings the server's own tools in; so does a sign-in that
 * is completed anywhere else. Whatever comes of it is an answer that a model can read: only what
 * the caller ended rejects (`aborted`, `call_timeout`), and wrong use.
 *
 * No tool of the server's is ever taken for one of these, nor the other way around: a name that
 * another tool has is not used. `init()` and `refresh()` start nothing. Closed by `close()`, and
 * with the provider. Throws a `TypeError` that names an option that cannot be used.
 *
 * @example
 * const signIns = createAuthenticateTools({ oauth, provider });
 * const toolbox = createToolbox({ providers: [provider, signIns] });
 */
export function createAuthenticateTools(options: AuthenticateToolsOptions): ToolProvider {
  assertKnownOptions("createAuthenticateTools()", options, fields);
  const { oauth, provider, principal } = options;
  const nameTools = createToolNames(options.naming);
  const {
    provider: tools,
    show,
    closing,
  } = createHostTools(group, () => {
    for (const end of subscriptions) end();
  });
  const signIns = createSignIns({ oauth, provider, principal }, { closing });
  let offered: readonly string[] = [];

  const follow = (): void => {
    const statuses = provider.statuses();
    const names = nameTools(
      statuses.map(({ id }) => id),
      (name) => provider.has(name),
    );
    offered = statuses.filter(needsSignIn).map(({ id }) => id);
    show(
      offered.map((id) => {
        const title = cleanText(provider.describeServer?.(id)?.title ?? id, 100).replaceAll(/\s+/g, " ");
        const definition = defineTool(id, title, names.get(id) ?? "");
        return {
          definition,
          run: (args, { signal = closing }) =>
            run(definition.name, args, () => signIns.signIn({ serverId: id, shown: JSON.stringify(title) }, signal)),
        };
      }),
    );
  };
  const subscriptions = [
    provider.onStatusChanged(({ id, state }) => {
      if (state === "removed") signIns.forget(id);
      follow();
    }),
    provider.onToolsChanged(follow),
    provider.onClosed(() => void tools.close()),
    oauth.onSignedIn(({ serverId, principal: whose }) => {
      if (whose === principal && offered.includes(serverId)) void signIns.bringTools(serverId);
    }),
  ];
  if (provider.closed) void tools.close();
  else follow();
  return tools;
}

// While it is tried again, a server says what its latest attempt failed with.
function needsSignIn({ state, auth, error }: SignInStatus): boolean {
  const wasRefused = error?.code === "auth_required" || error?.code === "forbidden";
  return auth === "oauth" && (state === "needs-auth" || (state === "connecting" && wasRefused));
}

// Nothing in it is the server's.
function defineTool(serverId: string, title: string, name: string): ToolDefinition {
  const which = title === serverId ? "" : ` (${quoteText(serverId)})`;
  const description = [
    `Signs the user in to the MCP server ${JSON.stringify(title)}${which}, whose tools are not available before.`,
    "Call it when the task needs that server. It takes no arguments.",
    "The user is shown a page, or the answer has the URL of one to show them; once they have signed in, the server's tools are available.",
  ].join(" ");
  const definition: ToolDefinition = {
    name,
    title: `Sign in to ${title}`,
    description,
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    effect: "external",
    groupIds: [group.id],
  };
  return Object.freeze(definition);
}

async function run(name: string, args: JsonObject, signIn: () => Promise<SignInAnswer>): Promise<HostToolResult> {
  const { text, isError } =
    Object.keys(args).length > 0
      ? { text: `${name} takes no arguments: call it with {}.`, isError: true }
      : await signIn();
  return { content: [{ type: "text", text }], isError };
}
