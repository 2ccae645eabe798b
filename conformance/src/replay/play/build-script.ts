import { messagesOf, tokenOf, subscriptionMember } from "../recording/change-ids.ts";
import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { HostEvent, RecordedEvent, Recording, ServerEvent } from "../recording/recorded-event.ts";
import { isHostEvent, type HostStep, type ServerScript, type ServerStep } from "./recorded-step.ts";

/**
 * Reads from the order of a recording what came of what. An answer waits for its request, and for
 * what the host did about that request before it: answered a question, cancelled. Anything else
 * waits for the last thing that the host did before it.
 */
export function buildScript(recording: Recording, serverId: string): ServerScript {
  const reading = createReading(serverId);
  const runs = new Set<number>();
  for (const event of exitsLast(recording.events)) {
    if ((event.type === "start" || event.type === "request") && event.server === serverId) runs.add(event.run);
    if (!runs.has(event.run)) continue;
    if (isHostEvent(event)) readHostEvent(event, reading);
    else readServerEvent(event, reading);
  }
  return reading;
}

type Reading = ReturnType<typeof createReading>;

function createReading(id: string) {
  return {
    id,
    hosts: [] as HostStep[],
    servers: [] as ServerStep[],
    requests: new Map<string, HostStep>(),
    questions: new Map<string, HostStep>(),
    tokens: new Map<string, HostStep>(),
    /** Requests without an answer, the latest last. */
    pending: new Set<HostStep>(),
    /** How each run began, and the last thing that the host did on it. */
    openers: new Map<number, HostStep>(),
    latest: new Map<number, HostStep>(),
    /** What the host did about a request after it. */
    related: new Map<HostStep, HostStep[]>(),
    /** Whose bodies have begun, and which of them are event streams. */
    begun: new Set<HostStep>(),
    streaming: new Set<HostStep>(),
  };
}

// What a process wrote is sometimes read after its end was reported.
function exitsLast(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const lastOf = new Map<number, RecordedEvent>();
  for (const event of events) if (!isHostEvent(event)) lastOf.set(event.run, event);
  const exits = new Map(events.filter(({ type }) => type === "exit").map((event) => [event.run, event]));
  return events.flatMap((event) => {
    const exit = exits.get(event.run);
    if (exit === undefined || lastOf.get(event.run) === exit) return [event];
    if (event === exit) return [];
    return lastOf.get(event.run) === event ? [event, exit] : [event];
  });
}

function readHostEvent(event: HostEvent, reading: Reading): void {
  const { run } = event;
  switch (event.type) {
    case "start":
      return addHost({ kind: "start", event, run, used: false }, reading);
    case "stdin-end":
      return addHost({ kind: "input-end", event, run, used: false }, reading);
    case "taken-back":
      return;
    case "sent":
      return messagesOf(event.message).forEach((message) => addMessage(message, event, reading));
    case "request": {
      if (event.message !== undefined)
        return messagesOf(event.message).forEach((message) => addMessage(message, event, reading));
      const kind = event.method === "DELETE" ? "delete" : "stream";
      return addHost({ kind, event, run, used: false }, reading);
    }
  }
}

function addMessage(message: JsonObject, event: HostEvent, reading: Reading): void {
  const { requests, questions, tokens, pending, related } = reading;
  const { id, method, params } = message;
  const token = tokenOf(message);
  const step: HostStep = {
    kind: "message",
    event,
    run: event.run,
    message,
    ...(typeof id === "string" && { id }),
    ...(typeof token === "string" && { token }),
    used: false,
  };
  addHost(step, reading);
  if (typeof method === "string" && typeof id === "string") {
    requests.set(id, step);
    pending.add(step);
    if (typeof token === "string") tokens.set(token, step);
    return;
  }
  const about =
    typeof method === "string"
      ? isJsonObject(params) && typeof params["requestId"] === "string" && requests.get(params["requestId"])
      : typeof id === "string" && questions.get(id);
  if (about) related.set(about, [...(related.get(about) ?? []), step]);
}

function addHost(step: HostStep, reading: Reading): void {
  const { hosts, openers, latest } = reading;
  hosts.push(step);
  if (!openers.has(step.run)) openers.set(step.run, step);
  latest.set(step.run, step);
}

function readServerEvent(event: ServerEvent, reading: Reading): void {
  const opener = reading.openers.get(event.run);
  if (opener === undefined) return;
  const messages = "message" in event && event.message !== undefined ? messagesOf(event.message) : [];
  const [first] = messages;
  const cause = first === undefined ? causeOfText(event, reading) : causeOf(first, reading);
  for (const message of messages) noteMessage(message, event, reading);
  const { owner, needs } = whoWaits(event, { opener, ...cause }, reading);
  reading.servers.push({ event, owner, needs: [...new Set([owner, ...needs])], played: false });
  if (event.type !== "reply") reading.begun.add(opener);
  else if (/^text\/event-stream\b/i.test(event.headers?.["content-type"] ?? "")) reading.streaming.add(opener);
}

interface Cause {
  /** The request that it answers or belongs to. */
  readonly request?: HostStep | undefined;
  readonly isAnswer?: boolean;
}

function causeOf(message: JsonObject, { requests, tokens }: Reading): Cause {
  const { id, method, params, result } = message;
  if (typeof method !== "string")
    return { request: typeof id === "string" ? requests.get(id.replace(/'$/, "")) : undefined, isAnswer: true };
  const meta = isJsonObject(params) ? params["_meta"] : isJsonObject(result) ? result["_meta"] : undefined;
  const subscription = isJsonObject(meta) ? meta[subscriptionMember] : undefined;
  if (typeof subscription === "string") return { request: requests.get(subscription) };
  const token = isJsonObject(params) ? params["progressToken"] : undefined;
  return { request: typeof token === "string" ? (tokens.get(token) ?? requests.get(token)) : undefined };
}

const furthestId = 1000;

// What is no message, or no longer one, can be meant as an answer all the same: a host finds the id
// in it, and may have gone on before it was over.
function causeOfText(event: ServerEvent, { requests }: Reading): Cause {
  if (event.type === "stderr" || !("text" in event) || event.text === undefined) return {};
  const [, id = ""] = /"id":"(#\d{1,9})"/.exec(event.text.slice(0, furthestId)) ?? [];
  const request = requests.get(id);
  return request === undefined ? {} : { request, isAnswer: true };
}

// Afterwards, so that the message itself is not among what it waits for.
function noteMessage(
  message: JsonObject,
  event: ServerEvent,
  { requests, pending, questions, openers }: Reading,
): void {
  const { id, method } = message;
  if (typeof id !== "string") return;
  if (typeof method === "string") {
    const opener = openers.get(event.run);
    const asked = opener?.message !== undefined && pending.has(opener) ? opener : [...pending].at(-1);
    if (asked !== undefined) questions.set(id, asked);
    return;
  }
  const request = requests.get(id);
  if (request !== undefined) pending.delete(request);
}

interface Waiting extends Cause {
  readonly opener: HostStep;
}

function whoWaits(
  event: ServerEvent,
  { opener, request, isAnswer = false }: Waiting,
  reading: Reading,
): Pick<ServerStep, "owner" | "needs"> {
  const { related, latest, hosts } = reading;
  const isProcess = opener.kind === "start";
  const about = request === undefined ? [] : [request, ...(related.get(request) ?? [])];
  const latestOfRun = latest.get(event.run) ?? opener;
  if (isProcess && request !== undefined && isAnswer) return { owner: request, needs: about };
  if (isProcess) return { owner: latestOfRun, needs: request === undefined ? [] : about };
  // What comes on the exchange of a message belongs to it; what comes on a stream, to what the host
  // did last.
  const isListening = opener.kind === "stream" || opener.message?.["method"] === "subscriptions/listen";
  const own = related.get(opener) ?? [];
  if (!isListening || !reading.streaming.has(opener)) return { owner: opener, needs: own };
  if (request !== undefined && (isAnswer || request !== opener)) return { owner: opener, needs: about };
  // A stream of 2026-07-28 begins with its own acknowledgement.
  const isAcknowledgement = opener.kind !== "stream" && !reading.begun.has(opener);
  return { owner: opener, needs: isAcknowledgement ? [] : [hosts.at(-1) ?? opener] };
}
