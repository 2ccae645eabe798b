import { describe, expect, it } from "vitest";
import { createNameBook, openNameBook } from "./name-book.ts";

describe("a book of names", () => {
  it("forgets names that a server goes on inventing, and none that another provider has on show", () => {
    const book = openNameBook(createNameBook());
    const toolsOf = (from: number, to: number): { serverId: string; toolName: string }[] =>
      Array.from({ length: to - from }, (_, at) => ({ serverId: "s", toolName: `t${from + at}` }));
    const join = (shown: readonly string[]) => {
      const user = book.join({ reservedNames: [], shown: (id) => (id === "s" ? shown : []) });
      user.claim("s");
      return user;
    };
    const first = join(["t1"]);
    const second = join([]);
    first.assign(toolsOf(0, 12_000));
    second.assign(toolsOf(12_000, 20_000));
    expect(book.table.servers.get("s")?.size).toBe(20_000);
    second.assign(toolsOf(20_000, 20_001));
    expect(Array.from(book.table.servers.get("s")?.keys() ?? [])).toEqual(["t1", "t20000"]);
    first.leave();
    first.leave();
    expect(book.table.servers.get("s")?.size).toBe(2);
    second.release("s");
    expect(book.table.servers.size).toBe(0);
  });
});
