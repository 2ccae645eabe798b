import { systemClock } from "@hostside/core/implement";
import { expect, it } from "vitest";
import { endStragglers } from "./process-group.ts";

it.each([
  { name: "nothing when nobody is left", stubborn: 0, expected: [] },
  { name: "SIGTERM, and no more where that is enough", stubborn: 1, expected: ["SIGTERM 7"] },
  { name: "SIGKILL to those who ignore SIGTERM", stubborn: 2, expected: ["SIGTERM 7", "SIGKILL 7"] },
  { name: "no more than that to what cannot be ended", stubborn: 9, expected: ["SIGTERM 7", "SIGKILL 7"] },
])("sends $name", async ({ stubborn, expected }) => {
  const sent: string[] = [];
  await endStragglers({
    find: async () => (sent.length < stubborn ? [7] : []),
    sendSignal(pid, signal) {
      sent.push(`${signal} ${pid}`);
      throw new Error("ESRCH");
    },
    graceMs: 50,
    clock: systemClock,
  });
  expect(sent).toEqual(expected);
});
