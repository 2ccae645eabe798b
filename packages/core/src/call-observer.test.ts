import { expect, it } from "vitest";
import { askForMeta, joinObservers, tell } from "./call-observer.ts";

it("joins two observers: both hear, the first of them first, and its `_meta` wins", () => {
  const heard: string[] = [];
  const joined = joinObservers(
    { meta: () => ({ a: 1, b: 1 }), onDecision: ({ type }) => void heard.push(`first ${type}`) },
    {
      meta: () => ({ b: 2, c: 2 }),
      onDecision: ({ type }) => void heard.push(`second ${type}`),
      onExchange: ({ requestId }) => void heard.push(`exchange ${requestId}`),
    },
  );
  tell(joined.onDecision, { type: "refused", at: 0 });
  tell(joined.onExchange, { requestId: 7 });
  tell(joined.onRecord, undefined as never);
  expect(heard).toEqual(["first refused", "second refused", "exchange 7"]);
  expect(askForMeta(joined)).toEqual({ a: 1, b: 1, c: 2 });
});
