import { expect, it } from "vitest";
import { settleInTurns } from "./settle-in-turns.ts";

it("does 16 at a time, and gives the results in order", async () => {
  let [running, most] = [0, 0];
  const results = await settleInTurns(
    Array.from({ length: 40 }, (_, index) => index),
    async (value) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return value * 2;
    },
  );
  expect(most).toBe(16);
  expect(results).toEqual(Array.from({ length: 40 }, (_, index) => index * 2));
});

it("fails with the first in order once all that began have ended, and begins no more", async () => {
  const ended: number[] = [];
  const work = async (value: number): Promise<void> => {
    if (value === 1 || value === 3) throw new Error(`no ${value}`);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    ended.push(value);
  };
  const values = Array.from({ length: 20 }, (_, index) => index);
  await expect(settleInTurns(values, work)).rejects.toThrow("no 1");
  expect(ended).toEqual(values.filter((value) => value < 16 && value !== 1 && value !== 3));
});
