import { attemptHandshake, describeAnswer } from "../handshake.ts";
import { readySession, type ReadySession } from "../ready-session.ts";
import type { ServerTarget } from "../server-target.ts";
import { fail, pass, legacySpec, type CheckInit } from "./define-check.ts";

/**
 * Whether a server over HTTP serves more than one client. Nearly all other checks open a session of
 * their own, so that one server object for all clients, which is the commonest mistake of servers
 * over HTTP, would fail them one by one for reasons that hide it.
 */
export const secondClientCheck: CheckInit = {
  title: "A second client is served while the first is connected",
  level: "MUST",
  rule: "Over HTTP a server is a process of its own that handles the connections of many clients.",
  source: legacySpec("basic/transports#streamable-http", "Transports, Streamable HTTP"),
  legal: ["a second handshake succeeds, and both clients are answered, each its own request"],
  fix: "Make a server object and a transport for each session (or for each request, without sessions); one of them for all clients knows the first, or the last, alone.",
  needs: ["lifecycle/initialize"],
  run: async (target) => {
    if (target.address.type === "stdio") return pass("each client has a process of its own");
    const first = await target.shared();
    const session = await target.open();
    const attempt = await attemptHandshake(session, target);
    if (!attempt.ok) return fail(`the second client: ${attempt.reason}`);
    const second = readySession(session, attempt.handshake);
    for (const [asking, other, name] of [
      [first, second, "first"],
      [second, first, "second"],
    ] as const) {
      const problem = await probe(asking, other, { name, answerMs: target.answerMs });
      if (problem !== undefined) return fail(problem);
    }
    return pass("both clients were answered");
  },
};

/** What went wrong, which silence on a busy machine is not. */
async function probe(
  asking: ReadySession,
  other: ReadySession,
  { name, answerMs }: { readonly name: string; readonly answerMs: ServerTarget["answerMs"] },
): Promise<string | undefined> {
  const id = `${name}-client`;
  const answer = await asking.probe({ id });
  if (answer.kind === "result" || answer.kind === "error") return undefined;
  const astray = other.session.unsolicited.some((message) => message["id"] === id);
  if (astray) return `the answer to the ${name} client went to the other one`;
  if (answer.kind !== "silence") return `the ${name} client, once there are two: ${describeAnswer(answer)}`;
  // Where the other one is silent, too, it is not a matter of two clients: a server that answers no
  // probe, or a busy machine.
  const alive = await other.probe({ timeoutMs: answerMs * 2 });
  if (alive.kind === "silence") return undefined;
  const again = await asking.probe({ id: `${id}-again`, timeoutMs: answerMs * 2 });
  if (again.kind === "silence")
    return `the ${name} client, once there are two: ${describeAnswer(again)}, while the other one was answered`;
  return undefined;
}
