import type { JsonObject } from "@hostside/core";
import { isConstraint, toObject, without, withMembers } from "./keywords.ts";

const longest = 300;

/**
 * A schema without some of its keywords; those that say what is valid are written at the end of its
 * description, as JSON of at most 300 characters each, so that the model knows what the server will
 * ask for.
 */
export function describeLoss(schema: JsonObject, keywords: readonly string[]): JsonObject {
  const lost = Object.entries(schema).filter(([keyword]) => keywords.includes(keyword) && isConstraint(keyword));
  const kept = without(schema, ...keywords);
  if (lost.length === 0) return kept;
  const words = lost.map(([keyword, value]) => {
    const text = JSON.stringify(toObject([[keyword, value]]));
    return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
  });
  const { description } = kept;
  const text = `Also: ${words.join(" ")}`;
  return withMembers(kept, {
    description: typeof description === "string" && description !== "" ? `${description}\n\n${text}` : text,
  });
}
