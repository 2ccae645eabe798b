import type { EntrySettings } from "@hostside/core";
import { createTransportContext, type TransportContext } from "../src/context/server-context.ts";
import { Pauses } from "../src/time/pauses.ts";

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
    { signal: new AbortController().signal, onDiagnostic: () => undefined, onLog: () => undefined },
  );
  const given = {
    ...context,
    redact: (text: string) => text,
    pauses: new Pauses(),
    ...members,
  };
  return { ...given, lasting: given };
}
