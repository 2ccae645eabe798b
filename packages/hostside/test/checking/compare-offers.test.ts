import { lockTools, type ToolLock } from "@hostside/policy";
import { describe, expect, it } from "vitest";
import {
  compareOffers,
  renewLocks,
  type Offers,
  formatServersLock,
  parseServersLock,
} from "../../src/cli/checking/compare-offers.ts";

const lockOf = (...names: readonly string[]): ToolLock =>
  lockTools(
    names.map((name) => ({ name, inputSchema: { type: "object" } })),
    undefined,
  );

/** What servers offer now; all that are named are configured. */
function offersOf(now: Readonly<Record<string, ToolLock>>, more: Partial<Offers> = {}): Offers {
  const { unread = [] } = more;
  const configured = new Set([...Object.keys(now), ...unread.map(({ server }) => server)]);
  return {
    locks: new Map(Object.entries(now)),
    unread,
    failed: unread,
    configured,
    isAll: true,
    isPartial: false,
    ...more,
  };
}

const silent = { server: "b", reason: "is not there" };
const before = new Map(Object.entries({ a: lockOf("one"), b: lockOf("two") }));

describe("renewLocks()", () => {
  it("says of each server what became of it, and keeps the lock of one that was not reached", () => {
    const renewed = renewLocks(before, offersOf({ a: lockOf("other"), c: lockOf() }, { unread: [silent] }));
    expect(renewed.locked.map(({ server, tools, was }) => [server, tools, was])).toEqual([
      ["a", 1, "changed"],
      ["c", 0, "new"],
    ]);
    expect(renewed.kept).toEqual([{ server: "b", reason: "is not there" }]);
    expect(renewed.locks.get("b")).toBe(before.get("b"));
    expect(renewed.removed).toEqual([]);
  });

  it.each<[string, Partial<Offers>, readonly string[], boolean]>([
    ["is configured no more", {}, ["b"], false],
    ["may stand in a file that cannot be read", { isPartial: true }, [], true],
    ["was not asked", { isAll: false }, [], true],
  ])("of a server that %s", (...[, more, removed, stays]) => {
    const renewed = renewLocks(before, offersOf({ a: lockOf("one") }, more));
    expect([renewed.removed, renewed.locks.has("b"), renewed.locked[0]?.was]).toEqual([removed, stays, "same"]);
  });
});

describe("compareOffers()", () => {
  it("finds tools and servers that are new or gone", () => {
    const changes = compareOffers(before, offersOf({ a: lockOf("one", "three"), c: lockOf("four") }));
    expect(changes.map(({ server, kind, tool, what }) => [server, kind, tool, what])).toEqual([
      ["a", "compatible", "three", "is new"],
      ["b", "breaking", undefined, "is configured no more"],
      ["c", "compatible", undefined, "is new, with 1 tool"],
    ]);
  });

  it("says nothing of a server that could not be asked, or was not", () => {
    expect(compareOffers(before, offersOf({ a: lockOf("one") }, { unread: [silent] }))).toEqual([]);
    expect(compareOffers(before, offersOf({ a: lockOf("one") }, { isAll: false }))).toEqual([]);
    expect(compareOffers(before, offersOf({ a: lockOf("one") }, { isPartial: true }))).toEqual([]);
  });
});

describe("the lock file", () => {
  it("is read as it was written, whatever servers are called", () => {
    const locks = new Map(Object.entries({ b: lockOf("x"), "2": lockOf() }));
    locks.set("__proto__", lockOf("y"));
    const text = formatServersLock(locks);
    expect(parseServersLock(text)).toEqual(locks);
    expect(formatServersLock(parseServersLock(text))).toBe(text);
  });

  it.each([
    ["{", /in JSON/],
    ["[]", /no lock file of version 1/],
    [JSON.stringify(lockOf("x")), /lock of one server/],
    ['{"lockVersion":1}', /servers must be an object/],
    ['{"lockVersion":1,"servers":{"a":{}}}', /servers\["a"\]: no lock file/],
    [formatServersLock(before).replace('"two"', '"edited"'), /servers\["b"\]: .*edited by hand/],
  ])("is refused: %s", (text, message) => {
    expect(() => parseServersLock(text)).toThrow(message);
  });
});
