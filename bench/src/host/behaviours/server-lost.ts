import { setTimeout as pause } from "node:timers/promises";
import { startFaultServer, type StdioFaultServer } from "@hostside/fixtures";
import type { BenchServer, Contender, CreateContender } from "../contender.ts";
import type { Behaviour } from "./behaviour.ts";
import { outcomeOf, say } from "./outcome-of.ts";

/** A server, or its memory of us, is gone. */
export const lostBehaviours: readonly Behaviour[] = [
  { id: "killed-idle", title: "The server is killed while idle: the next two calls", run: killedIdle },
  {
    id: "killed-in-flight",
    title: "The server is killed while it runs a call: that call, how often it ran, the call after",
    run: killedInFlight,
  },
  { id: "session-expires", title: "The HTTP session expires: the next two calls", run: sessionExpires },
];

async function killedIdle(create: CreateContender): Promise<string> {
  await using server = await startFaultServer({ transport: "stdio", script: {} });
  const contender = await create();
  await contender.connect([stdioSpec(server)]);
  const echo = await toolNamed(contender, "echo");
  await contender.call(echo, { text: "before" });
  const pids = server.livePids();
  await server.perform([{ type: "exit", signal: "SIGKILL" }]).catch(() => {
    // It ends before it can answer that it will.
  });
  await until(() => !pids.some(isAlive));
  // A moment for the host to see it, as between two turns of an agent.
  await pause(300);
  const first = await outcomeOf(contender.call(echo, { text: "first" }));
  const second = await outcomeOf(contender.call(echo, { text: "second" }));
  return `${say(first)}; ${say(second)}`;
}

async function killedInFlight(create: CreateContender): Promise<string> {
  await using server = await startFaultServer({
    transport: "stdio",
    script: {
      rules: [
        {
          on: "tools/call",
          where: { "params.name": "append" },
          do: [{ type: "execute" }, { type: "hold", barrier: "running" }, { type: "proceed" }],
        },
      ],
    },
  });
  const contender = await create();
  await contender.connect([stdioSpec(server)]);
  const append = await toolNamed(contender, "append");
  const echo = await toolNamed(contender, "echo");
  const call = outcomeOf(contender.call(append, { text: "once" }));
  await server.reached("running");
  for (const pid of server.livePids()) process.kill(pid, "SIGKILL");
  // Whoever runs it again gets an answer.
  server.open("running");
  const first = await call;
  // Whoever runs it again does so by now.
  await pause(1500);
  const runs = server.ledger().filter(({ tool }) => tool === "append").length;
  const next = await outcomeOf(contender.call(echo, { text: "next" }));
  return `${say(first)}; ran ${runs === 1 ? "once" : `${runs} times`}; ${say(next)}`;
}

async function sessionExpires(create: CreateContender): Promise<string> {
  await using server = await startFaultServer({ transport: "http", script: { era: "legacy" }, runIn: "child" });
  const contender = await create();
  await contender.connect([{ id: "s0", type: "http", url: server.url }]);
  const echo = await toolNamed(contender, "echo");
  await contender.call(echo, { text: "before" });
  await server.perform([{ type: "session", change: "expire" }]);
  const first = await outcomeOf(contender.call(echo, { text: "first" }));
  const second = await outcomeOf(contender.call(echo, { text: "second" }));
  const runs = server.ledger().length - 1;
  return `${say(first)}; ${say(second)}; ran ${runs} of 2`;
}

/** How to start a fault server, for a contender. */
export function stdioSpec({ spec }: StdioFaultServer, id = "s0"): BenchServer {
  return { id, type: "stdio", command: spec.command, args: spec.args };
}

/** The name by which a contender calls a server's tool. */
export async function toolNamed(contender: Contender, toolName: string): Promise<string> {
  const tool = (await contender.listTools()).find((candidate) => candidate.toolName === toolName);
  if (tool === undefined) throw new Error(`no tool ${toolName}`);
  return tool.name;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(10);
}
