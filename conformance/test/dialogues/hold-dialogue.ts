import type { Dialogue } from "./all-dialogues.ts";
import { startSdkV1 } from "./sdk-v1-talker.ts";
import { startSdkV2 } from "./sdk-v2-talker.ts";
import type { StartTalker } from "./talker.ts";
import { startHostside } from "./hostside-talker.ts";
import { transcribe, type Transcript } from "./transcript.ts";
import type { WireMessage } from "./wire-message.ts";
import { openVenue, type OpenVenue, type VenueName } from "./venues.ts";

/** The clients of the official SDK. Version 1 speaks the legacy era alone. */
export const peers = ["SDK v2", "SDK v1"] as const;

/** One of {@linkcode peers}. */
export type Peer = (typeof peers)[number];

const starters: Readonly<Record<Peer | "Hostside", StartTalker>> = {
  Hostside: startHostside,
  "SDK v2": startSdkV2,
  "SDK v1": startSdkV1,
};

/** Whether a client speaks the era of a venue. */
export function canTalk(peer: Peer, venue: VenueName): boolean {
  return peer !== "SDK v1" || !venue.endsWith("-2026");
}

/**
 * Holds a dialogue with a server of its own, and says what went over the wire until both had ended.
 */
export async function holdDialogue(
  { script, answersQuestions = false, talk }: Dialogue,
  venue: VenueName,
  client: Peer | "Hostside",
): Promise<Transcript> {
  const server = await openVenue(venue, script);
  try {
    const talker = await starters[client]({ address: server.address, era: server.era, answersQuestions });
    try {
      await untilListening(server);
      await talk(talker, server.stage);
    } finally {
      await talker.close();
    }
    return transcribe(server.seen(), server.ownText);
  } finally {
    await server.close();
  }
}

const listenMs = 5000;

// A stream for what servers say by themselves is opened beside whatever else happens. A client that
// opens none is waited for in vain, and differs from the others in that.
async function untilListening(server: OpenVenue): Promise<void> {
  if (server.address.type === "stdio" && server.era === "legacy") return;
  const isListener = ({ message, http }: WireMessage): boolean =>
    message?.["method"] === "notifications/subscriptions/acknowledged" || http?.line === "GET";
  const endsAt = performance.now() + listenMs;
  while (!server.seen().some(isListener) && performance.now() < endsAt)
    await new Promise((resolve) => setTimeout(resolve, 10));
}
