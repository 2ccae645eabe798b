import type { Dialogue } from "./all-dialogues.ts";
import type { Explanation } from "./explanations.ts";
import type { Peer } from "./hold-dialogue.ts";

/** A difference that was seen. */
export interface SeenDifference {
  /** As `compareTranscripts` says it. */
  readonly text: string;
  readonly dialogue: string;
  readonly venue: string;
  readonly peer: Peer;
}

/** The explanations that fit a difference; there should be one. */
export function explanationsOf(
  { text, dialogue, venue }: SeenDifference,
  explanations: readonly Explanation[],
): readonly Explanation[] {
  return explanations.filter(
    ({ differences, where = /^/ }) =>
      where.test(`${dialogue} ${venue}`) && differences.some((difference) => difference.test(text)),
  );
}

/** The page that says what is different on the wire, and why. */
export function wireDifferencesPage(
  dialogues: readonly Dialogue[],
  explanations: readonly Explanation[],
  seen: readonly SeenDifference[],
): string {
  const sections = explanations.map((explanation) => {
    const own = seen.filter((difference) => explanationsOf(difference, explanations).includes(explanation));
    const held = [...new Set(own.map(({ dialogue }) => dialogue))].toSorted();
    const peers = [...new Set(own.map(({ peer }) => peer))].toSorted();
    const many = held.length > dialogues.length / 2 ? `${held.length} dialogues` : held.join(", ");
    return `## ${explanation.what}\n\n${explanation.why}\n\nSeen beside ${peers.join(" and ")}, in ${many}.\n`;
  });
  const rows = dialogues.map(({ id, about, over }) => `| ${id} | ${about} | ${over.join(", ")} |`);
  return `# Differences on the wire

Hostside implements JSON-RPC itself. This page compares its messages with those of the official SDK. Three clients run the same ${dialogues.length} dialogues:
Hostside, \`@modelcontextprotocol/client\` (SDK v2) and, in the legacy era, \`@modelcontextprotocol/sdk\` (SDK v1). Each has its own server, with a
recorder in between. All messages are compared, with the headers of the client and the content type and session of the server.

\`pnpm proof dialogues\` fails on a difference that this page does not explain, and on an explanation without a difference.
\`npx vitest run -c vitest.proof.config.ts conformance/test/dialogues.proof.ts -u\` writes the page.

Not compared are request ids and progress tokens, but references to them must match. Session ids, the time at which a notification stream
opens, and the number of processes are not compared either.

| dialogue | what happens | held with |
| --- | --- | --- |
${rows.join("\n")}

A venue is a server and a transport. \`-2026\` means 2026-07-28; all others are the legacy era. \`fixture\` is a good server of \`@hostside/fixtures\` on the SDK.
\`script\` is a server made for the dialogue. The others are the reference servers.

${sections.join("\n")}`;
}
