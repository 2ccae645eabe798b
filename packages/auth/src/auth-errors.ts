import {
  cleanText,
  isHostsideError,
  HostsideError,
  truncateText,
  type ErrorDetails,
  type HostsideErrorInit,
} from "@hostside/core";
import { safeCause, untilAborted, withErrorContext, type Redactor } from "@hostside/core/implement";

/** The server that an error is about. An account is one. */
export interface Troubled {
  readonly serverId: string;
  readonly secrets: { readonly redact: Redactor };
}

/** Details and cause of an error. */
export interface TroubleExtras {
  readonly details?: ErrorDetails | undefined;
  readonly cause?: unknown;
}

/**
 * `auth_required`: a user or an operator has to act. `text` says what is wrong and what to do;
 * without the server, which is put in front.
 */
export function authRequired(about: Troubled, text: string, { details, cause }: TroubleExtras = {}): HostsideError {
  const known = isHostsideError(cause) ? cause : safeCause(cause, about.secrets.redact);
  return serverError(about, text, { code: "auth_required", details, cause: known });
}

/** An error about a server, whose name is put in front of the text. */
export function serverError(
  { serverId }: Pick<Troubled, "serverId">,
  text: string,
  init: Omit<HostsideErrorInit, "serverId">,
): HostsideError {
  return new HostsideError(`${nameServer(serverId)}: ${text}`, { ...init, serverId });
}

const showing = "show the authorization page";

/**
 * `auth_required`: nobody was shown the page. If it cannot be shown here (`cause` is
 * `auth_required`), the message has its whole address, because the page can still be answered. The
 * `state` in that address gives nobody access. Any other cause is a refusal of the host's: the page
 * is nowhere.
 */
export function pageNotShownError(about: Troubled, page: URL, cause: unknown): HostsideError {
  const said = isHostsideError(cause) ? cause.rawMessage : cause instanceof Error ? cause.message : undefined;
  const reason = said === undefined ? "no reason given" : safeExcerptOf(about, said);
  if (!isHostsideError(cause, "auth_required"))
    return authRequired(about, `the host did not show the authorization page: ${reason}`, { cause });
  const byHand = `to go on by hand, open ${page.href} and hand the whole address at which the browser ends to complete()`;
  return authRequired(about, `the authorization page could not be shown: ${reason}; ${byHand}`, {
    details: { operation: showing },
    cause,
  });
}

/** Tells whether it is such an error of a page that can still be answered. */
export function isNotShown(error: unknown): boolean {
  return isHostsideError(error, "auth_required") && error.details.operation === showing;
}

/** Names a server in a message. */
export function nameServer(serverId: string): string {
  return `server ${JSON.stringify(cleanText(serverId, 200))}`;
}

/** A text with the server's name in front, once. */
export function withServerName(serverId: string, text: string): string {
  return `${nameServer(serverId)}: ${withoutServerName(serverId, text)}`;
}

/** A text without the server's name in front, to stand within another that has it. */
export function withoutServerName(serverId: string, text: string): string {
  const name = `${nameServer(serverId)}: `;
  return text.startsWith(name) ? text.slice(name.length) : text;
}

// More than any message quotes, so that white space does not use up the room; and a bound on the
// work.
const longestSource = 16_384;

/**
 * Makes a text of an authorization server or a browser fit for a message: one line, without
 * control characters and secrets, of at most `maxLength` UTF-16 units. It is cleaned first and cut
 * last, because a cut would leave half of a secret.
 */
export function safeExcerptOf(about: Troubled, text: string, maxLength = 300): string {
  const safe = about.secrets.redact(cleanText(text.slice(0, longestSource)));
  const whole = text.length > longestSource ? safe.slice(0, Math.max(0, safe.search(/\s\S*$/))) : safe;
  return truncateText(whole.replaceAll(/\s+/g, " ").trim(), maxLength);
}

/**
 * Makes the error of a failed request. `doing` is in words, such as
 * `reading the metadata`. A failure of a `fetch` has the `HostsideError` as its cause; one without
 * was no connection.
 */
export function toAuthError(error: unknown, about: Troubled, doing: string): HostsideError {
  const known = hostsideErrorIn(error);
  if (known !== undefined) {
    return known.serverId === undefined ? withErrorContext(known, { serverId: about.serverId }) : known;
  }
  const reason =
    error instanceof Error
      ? safeExcerptOf(about, `${error.name}: ${error.message}${codeBeneath(error)}`)
      : "no reason given";
  const code = error instanceof TypeError ? "unreachable" : "auth_required";
  return serverError(about, `${doing} failed: ${reason}`, { code, cause: safeCause(error, about.secrets.redact) });
}

// Of a `fetch` all that says more: ECONNREFUSED, DEPTH_ZERO_SELF_SIGNED_CERT.
function codeBeneath({ cause }: Error): string {
  if (!(cause instanceof Error)) return "";
  return "code" in cause && typeof cause.code === "string" ? ` (${cause.code})` : codeBeneath(cause);
}

/** The `HostsideError` that an error is, or that a failed `fetch` has as its cause. */
export function hostsideErrorIn(error: unknown): HostsideError | undefined {
  if (isHostsideError(error)) return error;
  return error instanceof Error && isHostsideError(error.cause) ? error.cause : undefined;
}

/** Sends a request and reads its answer. Rejects with {@linkcode toAuthError}. */
export async function readAnswer(
  about: Troubled,
  doing: string,
  send: () => Promise<Response>,
): Promise<{ readonly response: Response; readonly text: string }> {
  try {
    const response = await send();
    return { response, text: await response.text() };
  } catch (error) {
    throw toAuthError(error, about, doing);
  }
}

/** The server of an operation that was given up, if that is known. */
export interface GivenUp {
  readonly serverId?: string | undefined;
}

/**
 * The reason of a signal as an error of this package: `aborted`, with it as the cause, unless it is
 * one already.
 */
export function abortError(signal: AbortSignal, { serverId }: GivenUp, doing: string): HostsideError {
  const reason: unknown = signal.reason;
  if (isHostsideError(reason)) return reason;
  const cause = reason instanceof Error ? reason : undefined;
  const whose = serverId === undefined ? "" : `${nameServer(serverId)}: `;
  return new HostsideError(`${whose}${doing} was aborted`, { code: "aborted", serverId, cause });
}

/** Waits for some work until a signal aborts. Rejects with {@linkcode abortError} then. */
export async function untilGivenUp<T>(
  work: Promise<T>,
  signal: AbortSignal,
  { about = {}, doing }: { readonly about?: GivenUp; readonly doing: string },
): Promise<T> {
  try {
    return await untilAborted(work, signal);
  } catch (error) {
    throw signal.aborted ? abortError(signal, about, doing) : error;
  }
}

/** Throws {@linkcode abortError} when the signal has aborted. */
export function throwIfAborted(signal: AbortSignal, about: GivenUp, doing: string): void {
  if (signal.aborted) throw abortError(signal, about, doing);
}
