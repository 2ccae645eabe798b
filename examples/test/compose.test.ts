import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

interface Service {
  readonly image: string;
  readonly working_dir?: string;
  readonly volumes?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly stop_grace_period?: string;
  readonly ports?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
}

interface Compose {
  readonly services: Readonly<Record<"one" | "two" | "redis", Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const folder = new URL("../deployment/", import.meta.url);
const read = (path: string, base: URL = folder): string => readFileSync(new URL(path, base), "utf8");
// As Compose reads it: YAML 1.2 with merge keys.
const { services, volumes } = parse(read("compose.yaml"), { merge: true }) as Compose;
const { one, two, redis } = services;

describe("the compose file", () => {
  it("starts the replica that there is, in a Node that it runs on, from the repository", () => {
    const [source, target] = one.volumes?.[0]?.split(":") ?? [];
    const [program, file = ""] = one.command ?? [];
    expect([program, target]).toEqual(["node", one.working_dir]);
    const root = new URL(`${source}/`, folder);
    expect(existsSync(new URL("pnpm-workspace.yaml", root))).toBe(true);
    expect(existsSync(new URL(file, root)), `${fileURLToPath(root)}${file}: build first`).toBe(true);
    const [, major = "0"] = /^node:(\d+)/.exec(one.image) ?? [];
    expect(Number(major)).toBeGreaterThanOrEqual(20);
  });

  it("gives both what the program reads of its environment, and no other name", () => {
    const [, names = ""] = /const \{([^}]*)\} = process\.env/.exec(read("../src/replicas/replica.ts")) ?? [];
    const known = names.split(",").map((name) => name.split("=")[0]?.trim());
    for (const { environment = {} } of [one, two]) {
      for (const name of Object.keys(environment)) expect(known).toContain(name);
      expect(environment["STATE_URL"]).toBe("redis://redis:6379");
      // Without a key, or with one each, a sign-in would be worth nothing on the other replica.
      expect(environment["SIGN_IN_KEY"]).toMatch(/^\$\{SIGN_IN_KEY:\?.+\}$/);
    }
    const [, port] = /PORT = "(\d+)"/.exec(names) ?? [];
    expect([one, two].map(({ ports = [] }) => ports[0]?.split(":")[1])).toEqual([port, port]);
    expect(one.ports).not.toEqual(two.ports);
  });

  it("waits for a Redis that answers and keeps what it is given, and lets replicas end in their own time", () => {
    for (const { depends_on: needs = {}, stop_grace_period: grace } of [one, two]) {
      expect(needs).toEqual({ redis: { condition: "service_healthy" } });
      // A refresh of tokens that is under way is waited for this long.
      expect(Number(/^(\d+)s$/.exec(grace ?? "")?.[1])).toBeGreaterThan(60);
    }
    expect(redis.healthcheck?.test).toEqual(["CMD", "redis-cli", "ping"]);
    expect(redis.command?.join(" ")).toBe("redis-server --appendonly yes --maxmemory-policy noeviction");
    for (const volume of redis.volumes ?? []) expect(volumes).toHaveProperty(volume.split(":")[0] ?? "");
  });
});
