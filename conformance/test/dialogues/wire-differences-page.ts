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
  return `# What is different on the wire

Hostside speaks JSON-RPC itself. To show that servers see what they would see of the official SDK, the same ${dialogues.length} dialogues are held by
Hostside's client, by \`@modelcontextprotocol/client\` (SDK v2) and, in the legacy era, by \`@modelcontextprotocol/sdk\` (SDK v1), each with a server of its
own and a recorder in between. Every message of both sides is compared, with the headers of a client and the content type and session of a server.
\`pnpm proof dialogues\` fails when it sees a difference that this page does not explain, or no longer sees one that it does;
\`npx vitest run -c vitest.proof.config.ts conformance/test/dialogues.proof.ts -u\` writes the page.

Not compared: request ids and progress tokens, which each side is free to choose, though what refers to them must refer to the same request; the
ids of sessions; when a stream for notifications is opened, and how many processes are started.

| dialogue | what happens | held with |
| --- | --- | --- |
${rows.join("\n")}

Venues are a server and a transport; \`-2026\` means 2026-07-28, all others are the legacy era. \`fixture\` is a good server of \`@hostside/fixtures\` on the SDK,
\`script\` one that does what the dialogue needs; the others are the reference servers.

${sections.join("\n")}`;
}
