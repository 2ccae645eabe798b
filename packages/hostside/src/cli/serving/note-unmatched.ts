import type { McpProvider } from "@hostside/provider";
import { terminalLine } from "../render/one-line.ts";
import type { ServeOffer } from "./serve-offer.ts";

/**
 * Says once of each entry of the list of tools that its server, which is ready, has no such tool:
 * now, whenever a server becomes ready, and whenever what is returned is called, because the list
 * may have changed.
 */
export function noteUnmatched(
  provider: McpProvider,
  currentOffer: () => ServeOffer,
  note: (text: string) => void,
): () => void {
  const said = new Set<string>();
  const look = (): void => {
    const offer = currentOffer();
    // What is hidden because it changes something is not among them, and is not missing.
    if (offer.readOnly) return;
    const held = provider.quarantined().map(({ definition }) => definition);
    const tools = [...provider.tools(), ...held];
    for (const { id, state } of provider.statuses()) {
      const entries = state === "ready" ? offer.unmatched(id, tools) : [];
      for (const entry of entries.filter((one) => !said.has(one))) {
        said.add(entry);
        const shown = JSON.stringify(terminalLine(entry, 200));
        note(`serve.tools of hostside.json names ${shown}, and server ${id} offers no such tool`);
      }
    }
  };
  provider.onStatusChanged(({ state }) => {
    if (state === "ready") look();
  });
  look();
  return look;
}
