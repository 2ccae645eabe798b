import type { ServerSpec } from "@hostside/core";
import { terminalLine } from "../render/one-line.ts";
import type { ServeOffer } from "./serve-offer.ts";

/**
 * What whoever starts it should know where less is on offer than they may think, as sentences.
 * `servers`: those that are used. Pure.
 */
export function noteOffer({ readOnly }: Pick<ServeOffer, "readOnly">, servers: readonly ServerSpec[]): string[] {
  const used = servers.filter(({ disabled }) => disabled !== true);
  if (used.length === 0) return ["there is no server to serve: hostside list shows those that it would be"];
  const unknown = readOnly ? used.filter((spec) => !isKnown(spec)).map(({ id }) => id) : [];
  if (unknown.length === 0) return [];
  return [
    `read-only: nothing of ${terminalLine(unknown.join(", "), 200)} is on offer, because nobody says what its tools change; "trustAnnotations": true in your own hostside.json believes its server`,
  ];
}

function isKnown({ trustAnnotations, tools = {} }: ServerSpec): boolean {
  return trustAnnotations === true || Object.values(tools).some(({ effect }) => effect === "pure");
}

const parts = ["expose", "readOnly", "requireApproval", "redact"] as const;

/** What an edit has changed, as a sentence; `undefined` where that is nothing of these. Pure. */
export function noteEdit(before: ServeOffer, after: ServeOffer): string | undefined {
  const changed = parts.filter((name) => before[name] !== after[name]);
  if (changed.length === 0) return undefined;
  return `taken over from hostside.json: ${changed.map((name) => `serve.${name} is ${JSON.stringify(after[name])}`).join(", ")}`;
}
