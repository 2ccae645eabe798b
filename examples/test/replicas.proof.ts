import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  postgresBinary,
  redisBinary,
  startPostgres,
  startRedis,
  type DatabaseServer,
} from "../../test/database-servers.ts";

const program = fileURLToPath(new URL("../dist/replicas/replica.js", import.meta.url));
const everything = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");

interface Replica {
  get(path: string): Promise<unknown>;
  send(path: string, method: string, body: unknown): Promise<unknown>;
  end(): Promise<number | null>;
}

async function startReplica(state: string): Promise<Replica> {
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, STATE_URL: state, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const base = `http://127.0.0.1:${line.replace("listening on ", "")}`;
  const ask = async (path: string, init?: RequestInit): Promise<unknown> => (await fetch(base + path, init)).json();
  return {
    get: ask,
    send: (path, method, body) => ask(path, { method, body: JSON.stringify(body) }),
    async end() {
      child.kill("SIGTERM");
      const [code] = (await once(child, "exit")) as [number | null];
      return code;
    },
  };
}

const engines = [
  { name: "Redis", binary: redisBinary, start: startRedis },
  { name: "Postgres", binary: postgresBinary, start: startPostgres },
] as const;

describe.each(engines)("two replicas over one $name", ({ binary, start }) => {
  let engine: DatabaseServer;
  let replicas: Replica[] = [];
  beforeAll(async () => {
    if (binary === undefined) return;
    engine = await start();
    replicas = await Promise.all([0, 1].map(() => startReplica(engine.url)));
  }, 60_000);
  afterAll(async () => {
    await engine?.close();
  });

  it.skipIf(binary === undefined)(
    "have the same servers within a second, the same names, and one budget, and end by themselves",
    async () => {
      const [one, two] = replicas;
      if (one === undefined || two === undefined) throw new Error("two replicas");
      const transport = { type: "stdio", command: process.execPath, args: [everything, "stdio"] };
      expect(await one.send("/servers", "PUT", { all: transport })).toEqual({ written: true, revision: 1 });
      await new Promise((resolve) => setTimeout(resolve, 1000));
      expect(await two.get("/servers")).toMatchObject([{ id: "all" }]);
      const wait = async (replica: Replica): Promise<unknown> => {
        for (;;) {
          const [status] = (await replica.get("/servers")) as { readonly state: string }[];
          if (status?.state === "ready") return replica.get("/tools?user=ada");
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      };
      const [names, others] = [await wait(one), await wait(two)] as string[][];
      expect(names?.length).toBeGreaterThan(1);
      expect(others).toEqual(names);

      const tool = names?.find((name) => name.startsWith("mcp_all_")) ?? "";
      const answers: unknown[] = [];
      for (let call = 0; call < 24; call += 1) {
        const replica = call % 2 === 0 ? one : two;
        answers.push(await replica.send(`/calls?user=ada&conversation=${call}`, "POST", { tool, args: {} }));
      }
      const refused = answers.filter((found) => (found as { readonly code?: string }).code === "budget_exceeded");
      expect(refused).toHaveLength(4);
      expect(await two.send("/servers", "PUT", {})).toEqual({ written: true, revision: 2 });
      await new Promise((resolve) => setTimeout(resolve, 1000));
      expect(await one.get("/servers")).toEqual([]);
      expect(await Promise.all(replicas.map((replica) => replica.end()))).toEqual([0, 0]);
    },
    120_000,
  );
});
