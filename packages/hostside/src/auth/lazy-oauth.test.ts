import { createOAuth, type OAuth } from "@hostside/auth";
import { expect, it } from "vitest";
import { createLazyOAuth } from "./lazy-oauth.ts";

const spec = { id: "notes", url: "https://notes.example/mcp", auth: "oauth" } as const;
const requestOf = (principal?: string) => ({ principal, interactive: false, fetch });
const isEmpty = (): boolean => true;

it("gives all connections of an account the same credentials, before the load and after it", async () => {
  await using oauth = createLazyOAuth(async () => createOAuth(), { isEmpty });
  const ask = () => ["ada", "bob", undefined].map((principal) => oauth.authProvider(spec, requestOf(principal)));
  const before = ask();
  expect(new Set(before).size).toBe(3);
  expect(ask().map((credentials, index) => credentials === before[index])).toEqual([true, true, true]);
  await oauth.list();
  expect(ask().map((credentials, index) => credentials === before[index])).toEqual([true, true, true]);
  const moved = { ...spec, url: "https://other.example/mcp" };
  expect(before).not.toContain(oauth.authProvider(moved, requestOf("ada")));
});

it("loads anew after a load that failed, and closes in any case", async () => {
  let loads = 0;
  const load = async (): Promise<OAuth> => {
    loads += 1;
    if (loads === 1) throw new Error("the disk is away");
    return createOAuth();
  };
  await using oauth = createLazyOAuth(load, { isEmpty });
  await expect(oauth.list()).rejects.toThrow("the disk is away");
  expect(await oauth.list()).toEqual([]);
  const failing = createLazyOAuth(() => Promise.reject(new Error("the disk is away")), { isEmpty });
  const [listed, closed] = await Promise.allSettled([failing.list(), failing.close()]);
  expect([listed.status, closed.status]).toEqual(["rejected", "fulfilled"]);
  await expect(failing.list()).rejects.toMatchObject({ code: "closed" });
});
