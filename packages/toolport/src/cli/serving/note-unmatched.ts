import type { Toolport } from "../../toolport.ts";
import { oneLine } from "../render/one-line.ts";
import type { ServeOffer } from "./serve-offer.ts";

/** Says once of each entry of the list of tools that its server, which is ready, has no such tool. Returns what is called whenever that may have changed. */
export function createUnmatchedNotes(
  { provider }: Pick<Toolport, "provider">,
  note: (text: string) => void,
): (offer: ServeOffer) => void {
  const said = new Set<string>();
  return (offer) => {
    // What is hidden because it changes something is not among them, and is not missing.
    if (offer.readOnly) return;
    const held = provider.quarantined().map(({ definition }) => definition);
    const tools = [...provider.definitions(), ...held];
    for (const { id, state } of provider.statuses()) {
      const entries = state === "ready" ? offer.unmatched(id, tools) : [];
      for (const entry of entries.filter((one) => !said.has(one))) {
        said.add(entry);
        const shown = JSON.stringify(oneLine(entry, 200));
        note(`serve.tools of toolport.json names ${shown}, and server ${id} offers no such tool`);
      }
    }
  };
}
