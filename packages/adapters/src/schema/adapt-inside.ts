import type { JsonObject } from "@hostside/core";
import { exactlyOr, noteMore, type Adaptation } from "./adaptation.ts";
import { describeLoss } from "./describe-loss.ts";
import { mapSubschemas, schemasOf, without, withMembers } from "./keywords.ts";

type Schema = JsonObject | boolean;

/** Makes another schema of one that stands inside another by a keyword. */
export type AdaptSub = (sub: JsonObject, keyword: string, adaptation: Adaptation) => Schema;

/**
 * A schema with those directly inside it adapted. Where one that takes more would make the whole
 * take less, as in `not`, it is adapted without a change of what is valid or goes, in words: a
 * `oneOf` becomes an `anyOf` first.
 */
export function adaptInside(schema: JsonObject, adaptation: Adaptation, adapt: AdaptSub): JsonObject {
  let node = schema;
  const turned = new Map<string, JsonObject>();
  for (const keyword of ["not", "if", "oneOf", "contains"]) {
    if (node[keyword] === undefined || !turnsRound(keyword, node)) continue;
    const alone: JsonObject = { [keyword]: node[keyword] };
    const made = exactlyOr(adaptation, (exact) =>
      mapSubschemas(alone, (sub) => (typeof sub === "boolean" ? sub : adapt(sub, keyword, exact))),
    );
    if (made !== undefined) turned.set(keyword, made);
    else node = giveUp(node, keyword, adaptation);
  }
  const adapted = mapSubschemas(node, (sub, keyword) =>
    typeof sub === "boolean" || turned.has(keyword) ? sub : adapt(sub, keyword, adaptation),
  );
  return Array.from(turned.values()).reduce<JsonObject>((all, one) => withMembers(all, one), adapted);
}

function turnsRound(keyword: string, owner: JsonObject): boolean {
  return keyword !== "contains" || owner["maxContains"] !== undefined;
}

function giveUp(node: JsonObject, keyword: string, adaptation: Adaptation): JsonObject {
  if (keyword === "oneOf" && node["anyOf"] === undefined) {
    noteMore(adaptation, "oneOf written as anyOf, of which several may fit");
    return withMembers(without(node, "oneOf"), { anyOf: schemasOf(node, "oneOf") });
  }
  noteMore(adaptation, `${keyword} left out`);
  if (keyword === "if") return describeLoss(node, ["if", "then", "else"]);
  return describeLoss(node, keyword === "contains" ? ["contains", "minContains", "maxContains"] : [keyword]);
}
