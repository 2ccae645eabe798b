import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { CallConsent } from "../server/consented-tools.ts";

/** Reads `--call` and `--allow-calls`. A text is what is wrong with them. */
export function readConsent(calls: readonly string[], all: boolean): CallConsent | string {
  const named = new Map<string, JsonObject | undefined>();
  for (const call of calls) {
    const equals = call.indexOf("=");
    const name = equals === -1 ? call : call.slice(0, equals);
    if (name === "") return "--call needs the name of a tool";
    if (equals === -1) {
      named.set(name, undefined);
      continue;
    }
    const args = parseArguments(call.slice(equals + 1));
    if (args === undefined) return `--call ${name}: what follows = must be a JSON object with the arguments`;
    named.set(name, args);
  }
  return { named, all };
}

function parseArguments(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Not JSON: the caller names the option.
    return undefined;
  }
}
