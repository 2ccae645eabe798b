import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject, quoteText } from "@hostside/core/implement";
import { distance, firstDifference } from "./difference.ts";
import type { HostStep, ServerScript } from "./recorded-step.ts";

/** What a host asks for, and where. */
export interface StepQuery {
  readonly message: JsonObject;
  readonly recordedRun: number | undefined;
}

/** Another host, or another version of it, introduces itself in other words. */
export const handshakes: ReadonlySet<unknown> = new Set(["initialize", "server/discover"]);

/**
 * The step of the recording that a message is: first those of the same process, then in the order
 * of the recording.
 */
export function findStep(steps: Iterable<HostStep>, { message, recordedRun }: StepQuery): HostStep | undefined {
  let found: HostStep | undefined;
  for (const step of steps) {
    if (!isSame(step, message)) continue;
    if (step.run === recordedRun) return step;
    found ??= step;
  }
  return found;
}

/** Whether a recorded message is what is asked now. */
export function isSame(step: HostStep, message: JsonObject): boolean {
  const { message: recorded } = step;
  if (recorded === undefined || recorded["method"] !== message["method"]) return false;
  if (handshakes.has(message["method"])) return true;
  return firstDifference(whatCounts(recorded), whatCounts(message)) === undefined;
}

/** The members by which messages are compared: `_meta` has what changes from call to call. */
function whatCounts({ params, result, error }: JsonObject): JsonValue {
  return {
    ...(isJsonObject(params) && hasMembers(params) && { params: withoutMeta(params) }),
    ...(result !== undefined && { result: isJsonObject(result) ? withoutMeta(result) : result }),
    ...(isJsonObject(error) && { error: { code: error["code"] } }),
  };
}

function hasMembers(params: JsonObject): boolean {
  return Object.keys(params).some((name) => name !== "_meta");
}

function withoutMeta(params: JsonObject): JsonObject {
  return { ...params, _meta: undefined };
}

const mostNamed = 8;

/** Says why a request is in no recording: the nearest one, and how it differs. */
export function describeMiss({ id, hosts }: ServerScript, message: JsonObject): string {
  const asked = describe(message);
  const begin = `replay of server ${JSON.stringify(id)}: ${asked} was not recorded`;
  const recorded = hosts.filter(({ id: name }) => name !== undefined);
  const same = recorded.filter((step) => isSame(step, message));
  if (same.length > 0) {
    const times = same.length === 1 ? "once" : `${same.length} times`;
    return `replay of server ${JSON.stringify(id)}: ${asked} was recorded ${times} (${stepPlaceOf(same.at(-1))}) and is asked once more`;
  }
  const nearest = nearestOf(recorded, message);
  if (nearest?.message === undefined) {
    const methods = [...new Set(recorded.map((step) => methodOf(step)))];
    const named = methods.slice(0, mostNamed).map((name) => quoteText(name, 60));
    return `${begin}; ${named.length === 0 ? "no request was" : `recorded are ${named.join(", ")}`}`;
  }
  const difference = firstDifference(whatCounts(nearest.message), whatCounts(message));
  const how = difference && `${difference.path} was ${difference.recorded} there and is ${difference.live} here`;
  return `${begin}; the nearest is ${describe(nearest.message)} (${stepPlaceOf(nearest)})${how === undefined ? "" : `: ${how}`}`;
}

/** A message by its method, and by the name of what it is about. */
export function describe({ method, params }: JsonObject): string {
  const subject = isJsonObject(params) ? (params["name"] ?? params["uri"]) : undefined;
  const name = typeof method === "string" ? quoteText(method, 60).slice(1, -1) : "an answer";
  return typeof subject === "string" ? `${name} ${quoteText(subject, 100)}` : name;
}

function methodOf({ message }: HostStep): string {
  const method = message?.["method"];
  return typeof method === "string" ? method : "";
}

/** Where a step stands. */
export function stepPlaceOf(step: HostStep | undefined): string {
  return step?.event.line === undefined ? "the recording" : `line ${step.event.line}`;
}

// Comparing costs; the first of them say enough.
const mostCompared = 500;

function nearestOf(steps: readonly HostStep[], message: JsonObject): HostStep | undefined {
  const candidates = steps.filter((step) => step.message?.["method"] === message["method"]).slice(0, mostCompared);
  const far = (step: HostStep): number => {
    const [a, b] = [whatCounts(step.message ?? {}), whatCounts(message)];
    const isSameSubject = describe(step.message ?? {}) === describe(message);
    return distance(a, b) + (isSameSubject ? 0 : 1000);
  };
  return candidates
    .map((step) => [far(step), step] as const)
    .toSorted(([a], [b]) => a - b)
    .at(0)?.[1];
}
