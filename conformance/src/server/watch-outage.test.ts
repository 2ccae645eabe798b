import { describe, expect, it } from "vitest";
import type { Finding } from "../engine/check.ts";
import { watchOutage } from "./watch-outage.ts";

const address = { type: "http", url: new URL("http://127.0.0.1:1/mcp") } as const;
const failed = (observed: string): Finding => ({ status: "fail", observed });
const broken = failed("the connection broke: ECONNRESET");

describe("watchOutage", () => {
  it("keeps what a check found for a reason of its own while the server went away", async () => {
    const outage = watchOutage(address, async () => false);
    const found = promised<Finding>();
    const own = outage.judge({ id: "tools/own" }, () => found.promise);
    await outage.judge({ id: "http/culprit" }, async () => broken);
    found.resolve(failed("the schema of echo is not an object"));
    expect(await own).toEqual(failed("the schema of echo is not an object"));
  });

  it("lets what broke off, or could not run, while the server went away be of the one that ended it", async () => {
    const outage = watchOutage(address, async () => false);
    const [broke, stopped, threw] = [promised<Finding>(), promised<Finding>(), promised<Finding>()];
    const others = [
      outage.judge({ id: "a/broke" }, () => broke.promise),
      outage.judge({ id: "b/stopped" }, () => stopped.promise),
      outage.judge({ id: "c/threw" }, () => threw.promise),
    ];
    await outage.judge({ id: "http/culprit", rough: true }, async () => broken);
    const cut = { atMs: 1, session: "#1", kind: "http", text: "200; the rest of it did not come: ECONNRESET" } as const;
    broke.resolve({ status: "fail", observed: "the answer is no JSON", trace: [cut] });
    stopped.resolve({ status: "could-not-run", reason: "no second session" });
    threw.reject(new TypeError("fetch failed"));
    const reason = "the server went away during http/culprit";
    const blocked = { status: "could-not-run", reason, cause: "http/culprit" };
    expect(await Promise.all(others)).toEqual([blocked, blocked, blocked]);
  });

  it("judges nothing by an outage while something listens", async () => {
    const outage = watchOutage(address, async () => true);
    expect(await outage.judge({ id: "a/broke" }, async () => broken)).toEqual(broken);
    expect(await outage.judge({ id: "b/good" }, async () => ({ status: "pass", observed: "well" }))).toEqual({
      status: "pass",
      observed: "well",
    });
  });
});

interface Promised<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: Error) => void;
}

function promised<Value>(): Promised<Value> {
  let resolve: Promised<Value>["resolve"] | undefined;
  let reject: Promised<Value>["reject"] | undefined;
  const promise = new Promise<Value>((resolveWith, rejectWith) => {
    resolve = resolveWith;
    reject = rejectWith;
  });
  if (resolve === undefined || reject === undefined) throw new TypeError("a promise calls its executor at once");
  return { promise, resolve, reject };
}
