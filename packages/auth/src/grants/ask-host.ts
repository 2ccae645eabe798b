import { HostsideError } from "@hostside/core";
import { createDeadline, formatMs, quoteText, safeCause, untilAborted } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { AssertionRequest } from "../oauth-options.ts";

const answerMs = 30_000;

/** What a host is asked for, and by which of its functions. */
export interface HostQuestion {
  /** The option as an error names it: `"assertion"`. */
  readonly option: string;
  readonly ask: (request: AssertionRequest) => Promise<string> | string;
  readonly request: Omit<AssertionRequest, "serverId" | "principal" | "signal">;
  readonly signal: AbortSignal;
}

/**
 * Asks the host for an assertion, and waits 30 s for it. Rejects with `internal_error`, which names
 * the server and the option, when the host's function throws or gives no text, with
 * `request_timeout` when it does not come back, and with the reason of the signal.
 */
export async function askHost(
  { clock }: Pick<AuthParts, "clock">,
  account: Account,
  { option, ask, request, signal }: HostQuestion,
): Promise<string> {
  const { serverId, principal, secrets } = account;
  const subject = `server ${quoteText(serverId)}: the host's own ${option}()`;
  const onTimeout = (): HostsideError =>
    new HostsideError(`${subject} gave no assertion within ${formatMs(answerMs)}`, {
      code: "request_timeout",
      serverId,
      outcome: "not-sent",
      details: { timeoutMs: answerMs },
    });
  const deadline = createDeadline({ timeoutMs: answerMs, signal, onTimeout, clock });
  let answer: unknown;
  try {
    const asked = { ...request, serverId, principal, signal: deadline.signal };
    answer = await untilAborted(new Promise((resolve) => resolve(ask(asked))), deadline.signal);
  } catch (error) {
    if (deadline.signal.aborted) throw deadline.signal.reason;
    throw failed(account, `${subject} failed`, safeCause(error, secrets.redact));
  } finally {
    deadline.dispose();
  }
  if (typeof answer !== "string" || answer.trim() === "") throw failed(account, `${subject} gave no text`);
  secrets.learn(answer);
  return answer;
}

function failed({ serverId }: Account, problem: string, cause?: Error): HostsideError {
  return new HostsideError(cause === undefined ? problem : `${problem}: ${cause.message}`, {
    code: "internal_error",
    serverId,
    outcome: "not-sent",
    cause,
  });
}
