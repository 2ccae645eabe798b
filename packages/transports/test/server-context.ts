import type { EntrySettings } from "@hostside/core";
import { createTransportContext, type TransportContext } from "../src/context/transport-context.ts";

/**
 * What the parts of a connection go by, for a server "srv" unless `spec` says otherwise, with
 * `members` in place of the defaults.
 */
export function createServerContext(
  members: Partial<TransportContext> = {},
  spec: Partial<EntrySettings> = {},
): TransportContext {
  const context = createTransportContext(
    { id: "srv", type: "stdio", command: "none", ...spec },
    { signal: new AbortController().signal, onDiagnostic: () => undefined, onLog: () => undefined, random: () => 0 },
  );
  return { ...context, redact: (text) => text, ...members };
}
