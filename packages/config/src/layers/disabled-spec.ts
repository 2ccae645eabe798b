import { assertServerSpec, type ServerSpec } from "@hostside/core";
import type { ConfiguredServer, ServerDraft } from "../configured-server.ts";
import type { ConfigScope, LayeredServer } from "./config-layer.ts";

const nowhere = "https://disabled.invalid/";

/**
 * The draft of a server with the labels that say where its entry comes from, and `approval` where
 * somebody is to be asked about its tools; what the entry itself says of them does not count.
 */
export function withLabels({ draft, extras }: ConfiguredServer, scope: ConfigScope): ServerDraft {
  const { approval: _own, ...own } = draft.labels ?? {};
  const asked = extras.approval === "always" ? { approval: "always" } : {};
  return { ...draft, labels: { ...own, scope, ...asked } };
}

/**
 * The spec of a server that does not start, so that it keeps its place in every list: what it is
 * called and what it would be, as it is written, and nothing that could be a secret. Nothing is
 * expanded for it.
 */
export function disabledSpec({ server, scope, off }: LayeredServer): ServerSpec {
  const { id, command, url, title } = server.draft;
  const named = title === undefined ? {} : { title };
  const labels = off === undefined ? { scope } : { scope, off };
  const about = { id, ...named, labels, disabled: true };
  return command === undefined ? { ...about, type: "http", url: shownUrl(url) } : { ...about, type: "stdio", command };
}

// A URL may be a reference, or have one in it, and is none then; its query may have a secret.
function shownUrl(url: string): string {
  const [plain = ""] = url.split(/[?#]/);
  try {
    assertServerSpec({ id: "shown", type: "http", url: plain });
    return plain;
  } catch {
    // What cannot be shown is written in its file.
    return nowhere;
  }
}
