import { assertServerSpec, type ServerSpec } from "@toolport/core";
import type { ServerDraft } from "../configured-server.ts";
import type { ConfigScope, LayeredServer } from "./config-layer.ts";

const nowhere = "https://disabled.invalid/";

/** A draft with the labels that say where its entry comes from; what the entry itself says of them does not count. */
export function withLabels(draft: ServerDraft, scope: ConfigScope, off?: LayeredServer["off"]): ServerDraft {
  const labels = { ...draft.labels, scope, ...(off === undefined ? {} : { off }) };
  return { ...draft, labels };
}

/**
 * The spec of a server that does not start, so that it keeps its place in every list: what it is called and what it would be, as it is
 * written, and nothing that could be a secret. Nothing is expanded for it.
 */
export function specOfOff({ server, scope, off }: LayeredServer): ServerSpec {
  const { id, transport, title } = server.draft;
  const shown = transport.kind === "stdio" ? { kind: "stdio", command: transport.command } : shownUrl(transport.url);
  const named = title === undefined ? {} : { title };
  const labels = off === undefined ? { scope } : { scope, off };
  return { id, transport: shown as ServerSpec["transport"], ...named, labels, disabled: true };
}

// A URL may be a reference, or have one in it, and is none then; its query may have a secret.
function shownUrl(url: string): ServerSpec["transport"] {
  const [plain = ""] = url.split(/[?#]/);
  const spec = { id: "shown", transport: { kind: "http", url: plain } } as const;
  try {
    assertServerSpec(spec);
    return spec.transport;
  } catch {
    // What cannot be shown is written in its file.
    return { kind: "http", url: nowhere };
  }
}
