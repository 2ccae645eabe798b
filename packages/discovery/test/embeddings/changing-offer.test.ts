import type { ToolDefinition } from "@hostside/core";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, vi } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { createEmbeddingRanker, createToolbox } from "../../src/index.ts";
import { fakeProvider, serverTool } from "../fake-provider.ts";
import { madeUpModel, meaningOf } from "./made-up-model.ts";

const steps = fc.array(
  fc.oneof(
    // A listing makes new definitions of the same words; a rule of admission, and a toolbox, show
    // the same ones again.
    {
      weight: 4,
      arbitrary: fc.record({ offer: fc.uniqueArray(fc.nat({ max: 11 }), { maxLength: 12 }), isListed: fc.boolean() }),
    },
    { weight: 3, arbitrary: fc.constant({ settles: true as const }) },
    fc.constant({ answers: "fails" as const }),
    fc.constant({ answers: "well" as const }),
    fc.constant({ waitMs: 2500 }),
    fc.constant({ turns: 3 }),
  ),
  { maxLength: 25 },
);

const toolOf = (index: number): ToolDefinition => serverTool("s", `tool_${index}`);

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("an index of embeddings", () => {
  test.prop([steps], { numRuns: 150 })(
    "has in the end just what is on offer, whatever came, went and failed in between",
    async (script) => {
      const model = madeUpModel();
      const ranker = createEmbeddingRanker({ embedder: model });
      const provider = fakeProvider("mcp");
      const toolbox = createToolbox({ providers: [provider], embeddingRanker: ranker });
      const tools = Array.from({ length: 12 }, (_, index) => toolOf(index));
      let underWay = 0;
      let most = 0;
      let fails = false;
      model.answer = async (texts) => {
        underWay += 1;
        most = Math.max(most, underWay);
        await Promise.resolve();
        underWay -= 1;
        if (fails) throw new Error("down");
        return texts.map(meaningOf);
      };
      for (const step of script) {
        if ("offer" in step) {
          if (step.isListed) for (const index of step.offer) tools[index] = toolOf(index);
          provider.offer(step.offer.flatMap((index) => tools[index] ?? []));
        } else if ("answers" in step) fails = step.answers === "fails";
        else if ("settles" in step) await ranker.whenIdle();
        else if ("waitMs" in step) vi.advanceTimersByTime(step.waitMs);
        else for (let turn = 0; turn < step.turns; turn += 1) await Promise.resolve();
      }
      fails = false;
      await ranker.whenIdle();
      vi.advanceTimersByTime(400_000);
      await ranker.whenIdle();
      expect(ranker.status()).toMatchObject({ ready: provider.tools().length, pending: 0 });
      expect(most).toBeLessThanOrEqual(1);
      toolbox.close();
      ranker.close();
      expect(vi.getTimerCount()).toBe(0);
    },
  );
});
