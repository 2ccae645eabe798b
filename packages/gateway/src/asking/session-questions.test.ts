import type { ElicitationRequest, JsonObject } from "@hostside/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { createSessionQuestions } from "./session-questions.ts";

const steps = ["ask", "answer", "stop", "listen", "break", "wait", "close"] as const;
const request: ElicitationRequest = {
  serverId: "shop",
  mode: "form",
  message: "Which?",
  params: { message: "Which?" },
};

interface Stream {
  readonly sent: JsonObject[];
  isOver: boolean;
}

it("settles each question once, and sends it again over another stream alone, in whatever order all of it happens", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...steps), { maxLength: 25 }), async (order) => {
      const clock = useManualClock();
      const questions = createSessionQuestions(3);
      const streams: Stream[] = [];
      const settled: string[] = [];
      const stops: AbortController[] = [];
      const sinks = () =>
        streams.slice(-1).map((stream) => ({
          send(message: JsonObject) {
            if (!stream.isOver) stream.sent.push(message);
            return !stream.isOver;
          },
          get isOver() {
            return stream.isOver;
          },
        }));
      const doing: Readonly<Record<(typeof steps)[number], () => void>> = {
        ask() {
          const stop = new AbortController();
          const number = stops.push(stop);
          const asked = questions.ask(request, { sinks, waitMs: () => 100, signal: stop.signal });
          void asked.then(({ action }) => settled.push(`${number} ${action}`));
        },
        answer: () =>
          void questions.answer(`question-${Math.max(1, stops.length - 1)}`, { result: { action: "decline" } }),
        stop: () => stops.at(-1)?.abort(),
        listen() {
          for (const stream of streams) stream.isOver = true;
          streams.push({ sent: [], isOver: false });
          questions.again();
        },
        break() {
          for (const stream of streams) stream.isOver = true;
        },
        wait: () => clock.advance(60),
        close: () => questions.close(),
      };
      for (const step of order) {
        doing[step]();
        for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
        expect(questions.size).toBe(stops.length - settled.length);
      }
      questions.close();
      for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
      expect(new Set(settled.map((text) => text.split(" ")[0])).size).toBe(stops.length);
      expect(settled).toHaveLength(stops.length);
      for (const { sent } of streams) {
        const ids = sent.flatMap(({ method, id }) => (method === "elicitation/create" ? [id] : []));
        expect(ids).toHaveLength(new Set(ids).size);
      }
      expect(clock.pending()).toBe(0);
    }),
    { numRuns: 300 },
  );
});
