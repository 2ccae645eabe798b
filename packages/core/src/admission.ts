import type { ServerSharing } from "./server-spec.ts";
import type { ToolDefinition } from "./tool.ts";
import { kindOf } from "./json.ts";
import { quoteText, cleanText } from "./text.ts";
import { isHostsideError } from "./hostside-error.ts";
import { defaultLimits } from "./limits.ts";

/**
 * The decision about a tool: `"offer"` puts it before the model, `"hide"` leaves it out as if it
 * were not listed, `"quarantine"` leaves it out, too, but shows it to the host, and a call of it is
 * refused with `tool_quarantined`.
 */
export type Admission = "offer" | "hide" | "quarantine";

/** The texts of a server about itself that a model may read: untrusted. */
export interface ServerWords {
  /** Its title, else its name. */
  readonly title?: string;
  readonly description?: string;
  readonly instructions?: string;
}

/**
 * The server of a tool, as far as it matters for whether the tool is on offer. The host's own
 * words, but for `version` and `words`.
 */
export interface AdmissionServer {
  readonly id: string;
  /** As in its spec; empty when it has none. */
  readonly labels: Readonly<Record<string, string>>;
  /** As in its spec. */
  readonly title?: string | undefined;
  /**
   * The version that the server names, as of its latest listing: untrusted. Absent: it says none,
   * or has not been listed.
   */
  readonly version?: string | undefined;
  /** As of its latest listing. Absent: it has not been listed. */
  readonly words?: ServerWords | undefined;
  /**
   * Identifies the registration over restarts: a hash of its source, its id, and its program or
   * URL, without credentials. Whatever is kept about a server is kept for its registration.
   */
  readonly registration?: string | undefined;
  /**
   * Changes with every change of the spec, and differs between connections. Cached answers hold for
   * one revision.
   */
  readonly revision?: number | undefined;
  /** The callers who share the connection. */
  readonly sharing?: ServerSharing | undefined;
  /** As in its spec. */
  readonly perCaller?: boolean | undefined;
}

/**
 * Decides whether a tool is on offer. Asked when a catalogue is made, before a model sees anything
 * of it, and again when the host says that the answer may have changed; never with a call. `server`
 * is absent for a tool that is on no server.
 *
 * Answers at once. A rule that throws, or answers anything but an {@linkcode Admission} (a promise,
 * too), hides the tool. Decide by the identity in `tool.origin`, byte for byte,
 * `tool.effect`, `tool.fingerprint` and the labels; `tool.name` is only a view of the identity. To
 * read the fingerprint costs a hash the first time.
 */
export type Admit = (tool: ToolDefinition, server: AdmissionServer | undefined) => Admission;

/** A tool that the host holds back until it has looked at it. */
export interface QuarantinedTool {
  /** As it would be on offer. */
  readonly definition: ToolDefinition;
  /** The server as the rule saw it. Absent for a tool that is on no server. */
  readonly server?: AdmissionServer | undefined;
}

/** The decision of a host's rule about one tool. */
export interface AdmitDecision {
  readonly admission: Admission;
  /**
   * The fault of the rule, as a predicate: `"threw RangeError"`. The tool is hidden
   * then.
   */
  readonly problem?: string;
}

/**
 * Asks a host's rule about a tool. Never throws: a rule that does, or answers nothing of use, hides
 * the tool.
 */
export function askAdmit(admit: Admit, tool: ToolDefinition, server: AdmissionServer | undefined): AdmitDecision {
  try {
    const answer: unknown = admit(tool, server);
    if (answer === "offer" || answer === "hide" || answer === "quarantine") return { admission: answer };
    // A promise is no answer, and must not end the process with what it rejects with.
    if (answer instanceof Promise) answer.catch(() => {});
    return { admission: "hide", problem: `answered ${describeAnswer(answer)}` };
  } catch (error) {
    return { admission: "hide", problem: `threw ${describeThrown(error)}` };
  }
}

function describeAnswer(answer: unknown): string {
  if (answer instanceof Promise) return "a Promise, and has to answer at once";
  const shown =
    typeof answer === "string" ? quoteText(answer, 40) : typeof answer === "boolean" ? answer : kindOf(answer);
  return `${shown}, not "offer", "hide" or "quarantine"`;
}

// A foreign message may quote a secret.
function describeThrown(error: unknown): string {
  if (isHostsideError(error)) return error.code;
  return error instanceof Error ? quoteText(error.name, 40).slice(1, -1) : kindOf(error);
}

/** A server as it describes itself. */
export type ClaimedWords = { readonly [member in keyof ServerWords | "name"]?: unknown };

/**
 * Returns the part of a server's own description that a model may read, bounded and clean. Anything
 * but a text is left out.
 */
export function serverWords(info: ClaimedWords): ServerWords {
  const { maxServerTextLength } = defaultLimits;
  const [title, name] = [textOf(info.title, 256), textOf(info.name, 256)];
  const words = {
    title: title === "" ? name : title,
    description: textOf(info.description, maxServerTextLength),
    instructions: textOf(info.instructions, maxServerTextLength),
  };
  return Object.freeze(Object.fromEntries(Object.entries(words).filter(([, text]) => text !== "")));
}

function textOf(value: unknown, maxLength: number): string {
  return typeof value === "string" ? cleanText(value, maxLength).trim() : "";
}
