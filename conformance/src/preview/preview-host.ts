import { redactSpec, type Diagnostic, type ServerSpec } from "@toolport/core";
import { createProvider } from "@toolport/provider";
import { createConnector } from "@toolport/transports";

/** What a host makes of a server: computed by Toolport's own provider, not by a copy of its rules. */
export interface HostPreview {
  /** Local names, with the remote name behind each, in the order in which a model gets them. */
  readonly tools: readonly { readonly name: string; readonly toolName: string }[];
  readonly groups: readonly { readonly id: string; readonly title: string; readonly members: number }[];
  /** What was dropped, cut, flagged or renamed, and why. */
  readonly notes: readonly string[];
  /** Why the server could not be used at all. */
  readonly failure?: string;
}

/** Connects to the server as Toolport does, lists its tools, and closes. Calls nothing. Never rejects. */
export async function previewHost(spec: ServerSpec): Promise<HostPreview> {
  const diagnostics: Diagnostic[] = [];
  const provider = createProvider({ connector: createConnector(), servers: [spec] });
  try {
    provider.onDiagnostic((diagnostic) => diagnostics.push(diagnostic));
    await provider.init();
    const [status] = provider.statuses();
    const failure = status?.error;
    return {
      tools: provider.definitions().map(({ name, origin }) => ({ name, toolName: origin?.toolName ?? name })),
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
