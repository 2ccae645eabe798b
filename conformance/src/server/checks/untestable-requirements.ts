import type { Requirement } from "../../engine/check.ts";
import { legacySpec, modernSpec } from "./define-check.ts";

/** A requirement on servers that this kit does not check, and why not. */
export interface UntestableRequirement extends Requirement {
  /** Stable, in the manner of the ids of checks. */
  readonly id: string;
  readonly reason: string;
}

const byId: Readonly<Record<string, Omit<UntestableRequirement, "id">>> = {
  "untestable/access-controls": {
    sentence: "Servers implement proper access controls and sanitise what tools return.",
    ...legacySpec("server/tools#security-considerations", "Tools, security considerations"),
    reason: "What access is proper only the author knows.",
  },
  "untestable/rate-limits": {
    sentence: "Servers limit the rate of tool invocations.",
    ...legacySpec("server/tools#security-considerations", "Tools, security considerations"),
    reason: "Showing it takes a flood of calls, which a kit must not send to a server that may be in use.",
  },
  "untestable/announces-every-change": {
    sentence: "Servers that declare listChanged announce it when the list changes.",
    ...legacySpec("server/tools#list-changed-notification", "Tools, list changed notification"),
    reason: "Nothing in the protocol makes a server's tools change; only announcements without a change can be seen.",
  },
  "untestable/binds-to-loopback": {
    sentence: "A server that runs locally binds only to 127.0.0.1.",
    ...legacySpec("basic/transports#security-warning", "Transports, security warning"),
    reason:
      "It takes a look at the machine's sockets, not at the server; the check of the Origin header is the part that can be seen.",
  },
  "untestable/session-ids-random": {
    sentence: "Session ids are cryptographically secure.",
    ...legacySpec("basic/transports#session-management", "Transports, session management"),
    reason: "Randomness cannot be told from two samples; length and difference can, and are.",
  },
  "untestable/one-stream-per-message": {
    sentence: "A server sends each message on one stream only.",
    ...legacySpec("basic/transports#multiple-connections", "Transports, multiple connections"),
    reason: "Nothing in the protocol makes a server send an unsolicited message.",
  },
  "untestable/resumes-streams": {
    sentence: "Event ids are unique within a session, and only the messages of the stream that broke are replayed.",
    ...legacySpec("basic/transports#resumability-and-redelivery", "Transports, resumability and redelivery"),
    reason: "It needs a stream that breaks between two messages, which only a server's own test can arrange.",
  },
  "untestable/cancellation-stops-work": {
    sentence: "A server stops the work of a cancelled request.",
    ...legacySpec("basic/utilities/cancellation#behavior-requirements", "Cancellation, behavior requirements"),
    reason: "Whether work goes on cannot be seen from outside; that the session survives can, and is.",
  },
  "untestable/hints-are-true": {
    sentence: "Annotations describe what a tool really does.",
    ...legacySpec("schema#toolannotations", "Schema, ToolAnnotations"),
    reason: "A call that writes looks like one that does not. This kit believes readOnlyHint, because it has to.",
  },
  "untestable/stateless": {
    sentence: "From 2026-07-28 on no request depends on an earlier one of the same connection.",
    ...modernSpec("basic/index", "Base protocol, overview"),
    reason: "A dependency shows only in the sequence that has it; that two listings are equal is checked.",
  },
};

/** What a pass does not say. */
export const untestableRequirements: readonly UntestableRequirement[] = Object.entries(byId).map(
  ([id, requirement]) => ({ id, ...requirement }),
);
