import { assertServerSpec, type ServerSpec } from "@hostside/core";
import type { ConfiguredServer, ServerDraft } from "../configured-server.ts";
import type { ConfigScope, LayeredServer } from "./config-layer.ts";

const nowhere = "https://disabled.invalid/";

/**
 * The draft of a server with the labels that say where its entry comes from, and `approval` where somebody is to be asked about its tools; what the entry
 * itself says of them does not count.
 */
export function withLabels({ draft, extras }: ConfiguredServer, scope: ConfigScope): ServerDraft {
  const { approval: _own, ...own } = draft.labels ?? {};
  const asked = extras.approval === "always" ? { approval: "always" } : {};
  return { ...draft, labels: { ...own, scope, ...asked } };
}

/**
 * The spec of a server that does not start, so that it keeps its place in every list: what it is called and what it would be, as it is
 * written, and nothing that could be a secret. Nothing is expanded for it.
 */
export function disabledSpec({ server, scope, off }: LayeredServer): ServerSpec {
  const { id, transport, title } = server.draft;
  const shown = transport.type === "stdio" ? { type: "stdio", command: transport.command } : shownUrl(transport.url);
  const named = title === undefined ? {} : { title };
  const labels = off === undefined ? { scope } : { scope, off };
  return { id, transport: shown as ServerSpec["transport"], ...named, labels, disabled: true };
}

// A URL may be a reference, or have one in it, and is none then; its query may have a secret.
function shownUrl(url: string): ServerSpec["transport"] {
  const [plain = ""] = url.split(/[?#]/);
  const spec = { id: "shown", transport: { type: "http", url: plain } } as const;
  try {
    assertServerSpec(spec);
    return spec.transport;
  } catch {
    // What cannot be shown is written in its file.
    return { type: "http", url: nowhere };
  }
}
