import { expect, it } from "vitest";
import { columnsOf } from "./terminal.ts";

it.each([
  [[{ columns: 120 }, { columns: 60 }], 120],
  [[{}, { columns: 60 }], 60],
  // A terminal without a size.
  [[{ columns: 0 }, { columns: 0 }], 80],
])("takes the columns of the first stream that knows them: %j", (streams, columns) => {
  expect(columnsOf(...streams)).toBe(columns);
});
