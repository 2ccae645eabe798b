import type { ElicitationRequest, JsonObject } from "@hostside/core";
import { expect, it } from "vitest";
import { redactQuestions } from "../../src/parts/redact-parts.ts";

/** Whether a question is asked of somebody, where nothing is secret. */
async function isAsked(requestedSchema: JsonObject): Promise<boolean> {
  const asked: ElicitationRequest[] = [];
  const ask = redactQuestions(async (request) => (asked.push(request), { action: "decline" }), {
    policy: { redactText: (text) => text },
    report: () => undefined,
  });
  const params = { message: "Which one?", requestedSchema };
  await ask?.({ serverId: "a", mode: "form", message: "Which one?", params }, new AbortController().signal);
  return asked.length === 1;
}

function nested(levels: number): JsonObject {
  let schema: JsonObject = { type: "string" };
  for (let level = 0; level < levels; level += 1) schema = { items: schema };
  return schema;
}

it.each<[string, JsonObject, boolean]>([
  ["some choices", { enum: Array.from({ length: 1000 }, String) }, true],
  ["more choices than anybody reads", { enum: Array.from({ length: 6000 }, String) }, false],
  ["some levels", nested(100), true],
  ["more levels than are looked through", nested(10_000), false],
])("asks a question with %s, where it can be looked through", async (_, schema, expected) => {
  expect(await isAsked(schema)).toBe(expected);
});
