import { createOAuth, type OAuth, type OAuthOptions } from "@hostside/auth";
import { loopbackRedirect } from "@hostside/auth/node";
import type { Diagnostic, ServerSpec } from "@hostside/core";
import { consentTo, type AuthorizedServer } from "@hostside/fixtures";
import { createProvider, type McpProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import type { PromptRequest } from "../../src/oauth-options.ts";

/** Options of {@linkcode startHost}. */
export interface HostOptions extends OAuthOptions {
  /** Who sits at the browser. Default `"ada"`. */
  readonly user?: string | undefined;
}

/** A product with one OAuth server, and a user who consents to everything. */
export interface SigningHost extends AsyncDisposable {
  readonly oauth: OAuth;
  readonly spec: ServerSpec;
  /** Every page that was to be shown. */
  readonly prompts: readonly PromptRequest[];
  /** What the user's browser showed in the end. */
  readonly pages: readonly Promise<string>[];
  readonly diagnostics: readonly Diagnostic[];
  /** A provider on somebody's behalf; nothing is connected yet. */
  providerFor(principal?: string): McpProvider;
}

/** The id of the server in a {@linkcode SigningHost}. */
export const serverId = "notes";

/** Starts a product. It ends with its providers. */
export function startHost({ url }: Pick<AuthorizedServer, "url">, { user, ...options }: HostOptions = {}): SigningHost {
  const prompts: PromptRequest[] = [];
  const pages: Promise<string>[] = [];
  const diagnostics: Diagnostic[] = [];
  const providers: McpProvider[] = [];
  const oauth = createOAuth({
    redirect: loopbackRedirect(),
    async prompt(request) {
      prompts.push(request);
      // The page comes when the sign-in is over, which is after this answer.
      const callback = await consentTo(request.url, { user: user ?? request.principal ?? "ada" });
      pages.push(fetch(callback).then((response) => response.text()));
      return "completed";
    },
    ...options,
  });
  const spec: ServerSpec = { id: serverId, title: "My notes", type: "http", url, auth: "oauth" };
  const connector = createConnector({
    authProvider: (server, request) => oauth.authProvider(server, request),
  });
  return {
    oauth,
    spec,
    prompts,
    pages,
    diagnostics,
    providerFor(principal) {
      const provider = createProvider({ connector, servers: [spec], ...(principal !== undefined && { principal }) });
      provider.onDiagnostic((diagnostic) => diagnostics.push(diagnostic));
      providers.push(provider);
      return provider;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(providers.map((provider) => provider.close()));
      await oauth.close();
    },
  };
}

/** Whom the server takes a provider's calls for. */
export async function whoami(provider: McpProvider): Promise<{ user?: string; clientId: string; scope: string }> {
  const { content } = await provider.call(`mcp_${serverId}_whoami`);
  const [block] = content;
  if (block?.type !== "text" || typeof block["text"] !== "string") throw new TypeError("the tool answers with a text");
  return JSON.parse(block["text"]) as { user?: string; clientId: string; scope: string };
}

/** How often an endpoint was asked. */
export async function countOf(server: AuthorizedServer, endpoint: string): Promise<number> {
  return (await server.log()).filter((entry) => entry.endpoint === endpoint).length;
}
