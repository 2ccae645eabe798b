import { vi } from "vitest";
import type { Scheduler } from "fast-check";
import type { createProvider } from "@hostside/provider";
import { createInvariants, type Invariants } from "./invariants.ts";
import { close, operate } from "./operate.ts";
import { specFor } from "./played-specs.ts";
import { calmId, playedIds, type Command, type Program } from "./program.ts";
import { track, type Human, type Run } from "./run.ts";
import { createSimulatedConnector } from "./simulated-connector.ts";
import { changeTools } from "./simulated-server.ts";
import { saveCatalog } from "./save-catalog.ts";
import { createTrackedOperations } from "./tracked-operations.ts";
import { useVirtualClock } from "./virtual-clock.ts";
import { serverOf, type World } from "./world.ts";

// A call that is with its server when its time is up may say what became of it.
const lastWordMs = 1000;

/**
 * Runs one program against a provider in a simulated world, in the order that the scheduler picks,
 * and throws at the first step after which an invariant does not hold. In the end everything gets
 * well, and the provider has to catch up with it and then to close.
 */
export async function runProgram(program: Program, scheduler: Scheduler, create: typeof createProvider): Promise<void> {
  const run = startRun(program, scheduler, create);
  const invariants = createInvariants(run);
  const step = async (act: () => void | Promise<void>): Promise<void> => {
    await act();
    await flush();
    invariants.check();
  };
  const driver: Driver = { run, scheduler, invariants, step };

  track(run, { label: "init" }, run.provider.init());
  if (program.warm) await drain(driver);
  if (program.warm) invariants.checkUnasked();
  run.calm.value = false;
  scheduler.scheduleSequence(
    program.commands.map((command, index) => ({
      label: `${index}: ${JSON.stringify(command)}`,
      builder: () => execute(command, index, driver),
    })),
  );
  await drain(driver);
  await recover(driver);
  await end(driver);
}

interface Driver {
  readonly run: Run;
  readonly scheduler: Scheduler;
  readonly invariants: Invariants;
  readonly step: (act: () => void | Promise<void>) => Promise<void>;
}

function startRun(program: Program, scheduler: Scheduler, create: typeof createProvider): Run {
  // So that the jitter of waits is in the numbers.
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const calm = { value: program.warm };
  const world: World = {
    clock: useVirtualClock(),
    // The calm server is the control of the experiment: quick, whatever the others do.
    pause: (id, step) =>
      calm.value || id === calmId ? Promise.resolve() : scheduler.schedule(Promise.resolve(), `${id} ${step}`),
    servers: new Map(),
  };
  for (const id of [...playedIds, calmId]) serverOf(world, id);
  const servers = [specFor("a", program), specFor("b", program), specFor(calmId, program)];
  const savedCatalog = saveCatalog(program.saved, servers, world);
  const human = createHuman(world);
  const provider = create({
    connector: createSimulatedConnector(world),
    servers,
    savedCatalog,
    refresh: program.refresh,
    ...(program.idle && { idleMs: 2500 }),
    backoff: { baseMs: 100, maxMs: 2000 },
    async onElicit({ serverId, message }, signal) {
      await human.answer(serverId, message === "ask-nobody" ? signal : undefined);
      return { action: "decline" };
    },
  });
  return {
    world,
    provider,
    program,
    operations: createTrackedOperations(() => world.clock.now()),
    human,
    closing: { value: false, done: false },
    calm,
  };
}

function createHuman({ clock, pause }: World): Human {
  const answering = new Map<string, number>();
  const answered = new Map<string, number>();
  return {
    isAnswering: (serverId) => (answering.get(serverId) ?? 0) > 0,
    answeredMs: (serverId) => answered.get(serverId) ?? 0,
    async answer(serverId, signal) {
      const askedAt = clock.now();
      const over = (): void => {
        answering.set(serverId, (answering.get(serverId) ?? 0) - 1);
        answered.set(serverId, (answered.get(serverId) ?? 0) + clock.now() - askedAt);
      };
      answering.set(serverId, (answering.get(serverId) ?? 0) + 1);
      if (signal !== undefined) return new Promise<never>(() => signal.addEventListener("abort", over));
      await pause(serverId, "waits for a human");
      over();
    },
  };
}

/**
 * Lets everything happen that is under way, without time passing; then lets time pass to the next
 * timer; until nothing is left.
 */
async function drain(driver: Driver): Promise<void> {
  const { run, scheduler, invariants, step } = driver;
  await flush();
  for (let turn = 0; turn < 2000; turn += 1) {
    if (scheduler.count() > 0) {
      // `waitNext(1)` waits for more than one step: for whatever the step leads to.
      await step(() => scheduler.waitOne());
      continue;
    }
    invariants.checkQuiet();
    if (run.operations.pending.size === 0) return;
    if (run.world.clock.nextAt === undefined) break;
    await step(() => void run.world.clock.advanceToNext());
  }
  const left = Array.from(run.operations.pending, ({ label }) => label);
  throw new Error(`operations that never end: ${left.join(", ")}`);
}

/**
 * All faults are over. A refresh may still share an attempt that began before; then the next one
 * makes the provider catch up.
 */
async function recover(driver: Driver): Promise<void> {
  const { run, invariants } = driver;
  run.calm.value = true;
  if (run.closing.value) return;
  for (const { faults } of run.world.servers.values()) {
    faults.connect = faults.list = faults.call = faults.close = [];
  }
  for (let refreshes = 1; ; refreshes += 1) {
    const failure = await refreshAll(driver);
    if (failure === undefined) break;
    const isOpen = String(failure.error).includes("[circuit_open]") && refreshes < 10;
    if (refreshes > 1 && !isOpen) throw failure.error;
    // Longer than any circuit of a simulation stays open.
    if (isOpen) await advance(600, driver);
  }
  invariants.checkCaughtUp();
}

async function refreshAll(driver: Driver): Promise<{ readonly error: unknown } | undefined> {
  const refresh = track(driver.run, { label: "a last refresh" }, driver.run.provider.refresh());
  await drain(driver);
  return refresh.end !== undefined && "error" in refresh.end ? refresh.end : undefined;
}

async function end(driver: Driver): Promise<void> {
  const { run, invariants } = driver;
  close(run, "the last close");
  await drain(driver);
  invariants.checkClosed();
}

/** Lets this much time pass, timer by timer. */
async function advance(ms: number, { run, step }: Driver): Promise<void> {
  const { clock } = run.world;
  const until = clock.now() + ms;
  for (let at = clock.nextAt; at !== undefined && at <= until; at = clock.nextAt) {
    await step(() => void clock.advanceToNext());
  }
  await step(() => clock.advance(until - clock.now()));
}

async function execute(command: Command, index: number, driver: Driver): Promise<void> {
  const { run } = driver;
  const { world, operations } = run;
  switch (command.do) {
    case "call":
      return call(run, index, command);
    case "call-calm":
      return call(run, index, { calm: true, tool: 0, timeoutMs: 3000, select: false });
    case "abort": {
      const abortable = Array.from(operations.pending).find(({ abort }) => abort?.signal.aborted === false);
      return abortable?.abort?.abort(new Error("enough"));
    }
    case "advance":
      return advance(command.ms, driver);
    case "change":
      changeTools(serverOf(world, command.id), (tools, version) => {
        if (tools.has(command.tool) && version % 2 === 0) tools.delete(command.tool);
        else tools.set(command.tool, version);
      });
      return notifyAll(run, command.id, 1);
    case "storm":
      return notifyAll(run, command.id, 50);
    case "connect-fault":
      return void serverOf(world, command.id).faults.connect.push(command.fault);
    case "list-fault":
      return void serverOf(world, command.id).faults.list.push(command.fault);
    case "call-fault":
      return void serverOf(world, command.id).faults.call.push(command.fault);
    case "close-fault":
      return void serverOf(world, command.id).faults.close.push(command.fault);
    case "crash":
      for (const session of Array.from(serverOf(world, command.id).sessions)) session.crash();
      return;
    case "expire":
      for (const session of Array.from(serverOf(world, command.id).sessions)) session.expire();
      return;
    default:
      return operate(command, index, run);
  }
}

interface CallCommand {
  readonly calm?: boolean;
  /** Which of the tools on show. */
  readonly tool: number;
  readonly timeoutMs: number;
  readonly select: boolean;
}

function call(run: Run, index: number, { calm = false, tool, timeoutMs, select }: CallCommand): void {
  const tools = run.provider.tools().filter(({ origin }) => (origin?.serverId === calmId) === calm);
  const definition = tools[tool % Math.max(1, tools.length)];
  if (definition === undefined) return;
  const { name, origin } = definition;
  const abort = new AbortController();
  const callId = `call-${index}`;
  const options = { timeoutMs, signal: abort.signal, ...(select && { selected: definition }) };
  const work = run.provider.call(name, { id: callId }, options);
  const label = `${index}: call of ${name}`;
  track(
    run,
    {
      label,
      withinMs: timeoutMs + (run.program.intercepted ? lastWordMs : 0),
      serverId: origin?.serverId,
      callId,
      abort,
      selected: select ? definition : undefined,
    },
    work,
  );
}

function notifyAll({ world }: Run, id: string, times: number): void {
  for (const session of serverOf(world, id).sessions) void session.notify(times);
}

// Every microtask that is due runs before the next macrotask.
function flush(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
