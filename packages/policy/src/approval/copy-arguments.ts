import type { JsonObject, JsonValue } from "@hostside/core";
import { canonicalJson, freezeData, isJsonObject } from "@hostside/core/implement";

/** The arguments of a call as nobody can change them any more, and their canonical JSON. */
export interface CopiedArguments {
  readonly args: JsonObject;
  readonly canonical: string;
}

/**
 * Copies the arguments of a call: what JSON makes of them, as it is sent, with the members of every
 * object in the order of their names. `undefined` for what JSON cannot write, and for what is
 * nested more than 200 deep.
 */
export function copyArguments(args: JsonObject): CopiedArguments | undefined {
  try {
    const sent = JSON.parse(JSON.stringify(args)) as JsonValue;
    const canonical = canonicalJson(sent);
    const copy: unknown = JSON.parse(canonical);
    return isJsonObject(copy) ? { args: freezeData(copy), canonical } : undefined;
  } catch {
    return undefined;
  }
}
