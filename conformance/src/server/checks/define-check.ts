import type { Check, Finding, Requirement } from "../../engine/check.ts";
import type { TraceEvent } from "../../engine/trace.ts";
import { describeAnswer } from "../handshake.ts";
import type { Answer, RawSession } from "../raw-session.ts";
import type { ServerAddress } from "../server-address.ts";
import type { ServerTarget } from "../server-target.ts";

/** A check of a server. */
export interface ServerCheck extends Check<ServerTarget> {
  /** The one transport that it is about; absent: all. It does not apply to servers over another. */
  readonly over?: ServerAddress["type"];
  /**
   * It sends what a careless server may end of: the first to be suspected when one at a URL goes
   * away.
   */
  readonly rough?: boolean;
}

/** A section of the newest legacy revision of the specification. */
export function legacySpec(page: string, section: string): Pick<Requirement, "section" | "url"> {
  return { section, url: `https://modelcontextprotocol.io/specification/2025-11-25/${page}` };
}

/** A section of the 2026-07-28 specification. */
export function modernSpec(page: string, section: string): Pick<Requirement, "section" | "url"> {
  return { section, url: `https://modelcontextprotocol.io/specification/2026-07-28/${page}` };
}

/** A paragraph of this kit's page of host advice, which says what hosts do and why. */
export function hostAdvice(anchor: string): Pick<Requirement, "section" | "url"> {
  return {
    section: `host advice: ${anchor}`,
    url: `https://github.com/hostside/hostside/blob/main/docs/host-advice.md#${anchor}`,
  };
}

/** A check that is only about servers over one transport. */
export function onlyOver(over: ServerAddress["type"], check: ServerCheck): ServerCheck {
  return { ...check, over };
}

/** A finding that passed, with what was seen. */
export function pass(observed: string): Finding {
  return { status: "pass", observed };
}

/** A failure with what was seen and what happened on the session until then. */
export function fail(observed: string, session?: RawSession, target?: ServerTarget): Finding {
  const trace: readonly TraceEvent[] = session && target ? target.trace.slice(session.id) : [];
  return { status: "fail", observed, trace };
}

/** A failure because of an answer. */
export function failWith(answer: Answer, session: RawSession, target: ServerTarget): Finding {
  return fail(describeAnswer(answer), session, target);
}
