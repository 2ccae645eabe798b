import type { ServerSpec } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { hashSpec } from "./hash-spec.ts";

const http: ServerSpec = {
  id: "a",
  type: "http",
  url: "https://x.test/mcp",
  bearerToken: "s3cret-token",
};

describe("hashSpec()", () => {
  it("is a hash of how the server is reached, in any order, whatever else the spec says", async () => {
    const same: ServerSpec = {
      id: "b",
      title: "B",
      bearerToken: "s3cret-token",
      url: "https://x.test/mcp",
      type: "http",
    };
    const specHash = await hashSpec(http);
    // As caches that were stored have it.
    expect(specHash).toBe("c062f6b2398a4e09d6c760739774105e0912ff657a1e87f4ea33540700a75187");
    expect(await hashSpec(same)).toBe(specHash);
  });

  it("differs by address and by credentials", async () => {
    const others: ServerSpec[] = [
      http,
      { id: "a", type: "http", url: "https://x.test/other", bearerToken: "s3cret-token" },
      { id: "a", type: "http", url: "https://x.test/mcp", bearerToken: "another-token" },
      { id: "a", type: "http", url: "https://x.test/mcp" },
      { id: "a", type: "stdio", command: "x" },
      { id: "a", type: "stdio", command: "x", env: { A: "1" } },
    ];
    const hashes = await Promise.all(others.map(hashSpec));
    expect(new Set(hashes).size).toBe(others.length);
  });

  it("is none for a function, which has no name to go by", async () => {
    await expect(hashSpec({ id: "a", type: "memory", serve: () => undefined })).resolves.toBeUndefined();
    await expect(hashSpec({ id: "a", type: "custom", open: () => undefined })).resolves.toBeUndefined();
  });
});
