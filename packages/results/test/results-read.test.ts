import type { JsonObject } from "@hostside/core";
import { createToolbox, type StaticTool } from "@hostside/discovery";
import { createProvider } from "@hostside/provider";
import { createMemorySink, createResults, type Presented, type Results } from "@hostside/results";
import { createConnector } from "@hostside/transports";
import { expect, expectTypeOf, it } from "vitest";
import { createAnsweringServer } from "./answering-server.ts";

function textOf({ blocks }: Presented): string {
  return blocks.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

/** What a model copies out of a notice: the arguments behind the name of the tool. */
function argumentsIn(text: string): JsonObject {
  const [, json = ""] = /results_read (\{[^{}]*\})/.exec(text) ?? [];
  return JSON.parse(json) as JsonObject;
}

it("is a tool that a toolbox takes", () => {
  expectTypeOf<Results["tool"]>().toExtend<StaticTool>();
});

it("lets a model read and search the rest of 4 MB that a server sent, in its own conversation alone", async () => {
  const line = (number: number): string => `line ${number}: nothing but 🦊 here\n`;
  const lines = Array.from({ length: 130_000 }, (_, number) => (number === 99_999 ? "Needle in HAY\n" : line(number)));
  const whole = lines.join("");
  expect(new TextEncoder().encode(whole).length).toBeGreaterThan(4 * 1024 * 1024);
  const sink = createMemorySink();
  const results = createResults({ sink, delimiters: true });
  const provider = createProvider({ connector: createConnector() });
  await provider.addServer({
    id: "logs",
    ...createAnsweringServer({ content: [{ type: "text", text: whole }] }),
  });
  const toolbox = createToolbox({ tools: [results.tool], providers: [provider] });
  await toolbox.init();
  const context = { conversation: "c1" };
  const ask = async (name: string, args: JsonObject, from = context): Promise<Presented> =>
    results.present(await toolbox.call(name, args, { context: from }), { context: from });

  const head = textOf(await ask("mcp_logs_dump", {}));
  expect(new TextEncoder().encode(head).length).toBeLessThanOrEqual(32 * 1024);
  const points = Array.from(whole).length;
  expect(head).toContain(` of ${points} characters are not shown`);
  const first = argumentsIn(head);

  // As the model would: each call is copied from the answer before.
  const page = await ask("results_read", first);
  expect(page.omitted).toEqual([]);
  expect(textOf(page)).toContain('⟦server "logs", tool "dump"⟧');
  const second = argumentsIn(textOf(page));
  expect(second).toEqual({ handle: first["handle"], offset: Number(first["offset"]) + 10_000 });
  const [, body = ""] = /⟧\n([^]*)\n⟦end⟧/.exec(textOf(page)) ?? [];
  expect(body).toBe(
    Array.from(whole.slice(0, 100_000)).slice(Number(first["offset"]), Number(second["offset"])).join(""),
  );

  const found = textOf(await ask("results_read", { handle: first["handle"] ?? "", query: "needle IN hay" }));
  expect(found).toContain("[1 match in ");
  const [, place = ""] = /character (\d+), line 100000: Needle in HAY\n/.exec(found) ?? [];
  const around = textOf(await ask("results_read", { handle: first["handle"] ?? "", offset: Number(place), limit: 13 }));
  expect(around).toContain("\nNeedle in HAY\n");

  const other = await ask("results_read", first, { conversation: "c2" });
  const unknown = await ask("results_read", { handle: "0".repeat(32) }, { conversation: "c2" });
  expect(other).toMatchObject({ isError: true });
  expect(textOf(other)).toBe(textOf(unknown));

  await results.forget({ conversation: "c1" });
  expect(await ask("results_read", first)).toMatchObject({ isError: true });
  toolbox.close();
  await provider.close();
  await results.close();
  await sink.close();
});
