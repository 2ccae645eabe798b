import type { Check, Finding, Level, Requirement } from "../../engine/check.ts";
import type { TraceEvent } from "../../engine/trace.ts";
import { describeAnswer } from "../handshake.ts";
import type { Answer, RawSession } from "../raw-session.ts";
import type { ServerTarget } from "../server-target.ts";

/** A check of a server. */
export type ServerCheck = Check<ServerTarget>;

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
    url: `https://github.com/toolport/toolport/blob/main/docs/host-advice.md#${anchor}`,
  };
}

/** A check that is only about servers over one transport: it does not apply to others. */
export function onlyOver(kind: "stdio" | "http", check: ServerCheck): ServerCheck {
  return {
    ...check,
    run: async (target, context) =>
      target.address.kind === kind
        ? check.run(target, context)
        : { status: "not-applicable", reason: `the server is not reached over ${kind}` },
  };
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

export type { Level };
