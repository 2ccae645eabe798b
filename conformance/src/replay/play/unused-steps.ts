import { quoteText } from "@hostside/core/implement";
import { describe } from "./find-step.ts";
import { lastEventIdOf, type HostStep, type ServerScript } from "./recorded-step.ts";

/**
 * What of a recording nobody asked for: requests, and the rest of an answer whose stream broke off.
 * What a host does in its own time is not among it.
 */
export function unusedSteps(script: ServerScript): readonly HostStep[] {
  const unresumed = new Set(unusedResumptions(script));
  return script.hosts.filter(
    (step) => unresumed.has(step) || (!step.used && step.id !== undefined && step.message?.["method"] !== "ping"),
  );
}

/** A step in words. */
export function describeStep({ message, event }: HostStep): string {
  const lastEventId = lastEventIdOf(event);
  if (message !== undefined || lastEventId === undefined) return describe(message ?? {});
  return `the rest of a stream after the event ${quoteText(lastEventId, 100)}`;
}

// How often a host comes back before it gives up is chance, too: one attempt stands for all at the
// same place.
function unusedResumptions(script: ServerScript): Iterable<HostStep> {
  const ids = idsInAnswers(script);
  const first = new Map<string, HostStep>();
  const resumed = new Set<string>();
  for (const step of script.hosts) {
    const lastEventId = lastEventIdOf(step.event);
    if (step.kind !== "stream" || lastEventId === undefined || !ids.has(lastEventId)) continue;
    if (step.used) resumed.add(lastEventId);
    else if (!first.has(lastEventId)) first.set(lastEventId, step);
  }
  for (const lastEventId of resumed) first.delete(lastEventId);
  return first.values();
}

// Other streams are opened again whenever their host likes.
function idsInAnswers({ servers }: ServerScript): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { event, owner } of servers) {
    if (event.type !== "event" || event.id === undefined) continue;
    const from = lastEventIdOf(owner.event);
    if (owner.kind === "message" || (from !== undefined && ids.has(from))) ids.add(event.id);
  }
  return ids;
}
