import { calmId, type Command } from "./program.ts";
import { appliedSpec, specFor, updatedSpec } from "./played-specs.ts";
import { track, type Run } from "./run.ts";
import { mayInterrupt } from "./tracked-operations.ts";

/** What is asked of the provider, but for calls. */
export type Operating = Extract<
  Command,
  {
    readonly do:
      | "refresh"
      | "refresh-server"
      | "add"
      | "register"
      | "apply"
      | "remove"
      | "drain"
      | "swap"
      | "disconnect"
      | "clear"
      | "update"
      | "close";
  }
>;

/** Asks it; what comes of it is tracked. */
export function operate(command: Operating, index: number, run: Run): void {
  const { provider, program } = run;
  const label = `${index}: ${JSON.stringify(command)}`;
  switch (command.do) {
    case "refresh":
      return void track(run, { label }, provider.refresh());
    case "refresh-server":
      return void track(run, { label }, provider.refreshServer(command.id));
    case "add": {
      const abort = command.abortable ? new AbortController() : undefined;
      const added = provider.addServer(specFor(command.id, program), abort && { signal: abort.signal });
      return void track(run, { label, abort, adds: command.id }, added);
    }
    case "remove":
      return void track(run, { label, removes: command.id, interrupts: command.id }, provider.removeServer(command.id));
    case "drain": {
      const { id, drainMs } = command;
      const removed = provider.removeServer(id, { drainMs });
      return void track(run, { label, removes: id, interrupts: id, drainMs }, removed);
    }
    case "register":
      return void track(run, { label, adds: command.id }, register(command.id, run));
    case "apply": {
      const { servers, drainMs } = command;
      const specs = servers.map((server) => appliedSpec(server, program));
      const applied = provider.applyServers([...specs, specFor(calmId, program)], { drainMs });
      return void track(run, { label, applies: new Set(servers.map(({ id }) => id)), drainMs }, applied);
    }
    case "clear": {
      const { id } = command;
      return void track(run, { label, interrupts: id, clears: id }, provider.clearCredentials(id));
    }
    case "swap":
      operate({ do: "remove", id: command.id }, index, run);
      return operate({ do: "add", id: command.id, abortable: false }, index, run);
    case "disconnect":
      return void track(run, { label, interrupts: command.id }, provider.disconnectServer(command.id));
    case "update":
      return void track(
        run,
        command.change === "credentials" && !wasInterrupted(command.id, run)
          ? { label, renews: command.id }
          : { label, interrupts: command.id },
        provider.updateServer(updatedSpec(command, index, program)),
      );
    case "close":
      return close(run, label);
  }
}

// After another update the transport is another one, and not its credentials alone.
function wasInterrupted(id: string, { operations }: Run): boolean {
  return operations.all.some((operation) => mayInterrupt(operation, id));
}

/** Closes the provider. */
export function close(run: Run, label: string): void {
  run.closing.value = true;
  track(
    run,
    { label },
    run.provider.close().finally(() => (run.closing.done = true)),
  );
}

async function register(id: string, { provider, program }: Run): Promise<void> {
  provider.registerServer(specFor(id, program));
}
