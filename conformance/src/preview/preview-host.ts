import type { OAuth } from "@hostside/auth";
import { redactSpec, type Diagnostic, type ServerSpec } from "@hostside/core";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import type { HostPreview } from "../engine/run-report.ts";

/**
 * Connects to the server as Hostside does, lists its tools, and closes. Calls nothing. Never
 * rejects.
 */
export async function previewHost(spec: ServerSpec, authProvider?: OAuth["authProvider"]): Promise<HostPreview> {
  const diagnostics: Diagnostic[] = [];
  const provider = createProvider({
    connector: createConnector({ ...(authProvider && { authProvider }) }),
    servers: [spec],
  });
  try {
    provider.onDiagnostic((diagnostic) => diagnostics.push(diagnostic));
    await provider.init();
    const failure = provider.statuses()[0]?.error;
    return {
      tools: provider.tools().map(({ name, origin }) => ({ name, toolName: origin?.toolName ?? name })),
      groups: provider.groups().map(({ id, title, members }) => ({ id, title, members: members.length })),
      notes: diagnostics.map(({ kind, message }) => `${kind}: ${message}`),
      ...(failure && { failure: failure.message }),
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { tools: [], groups: [], notes: [], failure: `${message} (${JSON.stringify(redactSpec(spec).id)})` };
  } finally {
    await provider.close();
  }
}
