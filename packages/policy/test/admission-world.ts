import { createMemoryLock, createMemoryStore, type JsonObject, type Store, type EntrySettings } from "@hostside/core";
import type { McpProvider, ProviderOptions } from "@hostside/provider";
import { createCalmWorld, type CalmWorld } from "../../provider/test/calm-world.ts";
import { interceptCalls } from "../../provider/test/intercept-calls.ts";
import { createAdmission, type AdmissionOptions, type ToolAdmission } from "../src/admission/create-admission.ts";
import { createEffects } from "../src/effects/create-effects.ts";
import { changeTools, specOf } from "../../provider/test/simulation/simulated-server.ts";
import type { PinEvent, PolicyEvent } from "../src/policy-event.ts";
import type { PolicyParts } from "../src/refuse.ts";

/** Servers, and hosts with a policy that come and go in front of them. */
export interface AdmissionWorld extends CalmWorld {
  readonly events: PolicyEvent[];
  /** What outlives a host. */
  store: Store;
  readonly parts: PolicyParts;
  admission(options: AdmissionOptions): ToolAdmission;
  /** A provider with the policy around it, attached. */
  guarded(
    admission: ToolAdmission,
    options?: Partial<ProviderOptions> & { readonly hasBackstop?: boolean },
  ): McpProvider;
}

export function createAdmissionWorld(): AdmissionWorld {
  const world = createCalmWorld();
  const events: PolicyEvent[] = [];
  const lock = createMemoryLock();
  const made: AdmissionWorld = {
    ...world,
    events,
    store: createMemoryStore(),
    get parts() {
      return {
        clock: world.clock,
        store: made.store,
        lock,
        emit: (event: PolicyEvent) => void events.push(event),
        effectOf: createEffects({}).effectOf,
      };
    },
    admission: (options) => createAdmission(options, made.parts),
    guarded(admission, options = {}) {
      const { admit, interceptor } = admission;
      const { hasBackstop = true, ...given } = options;
      const provider = world.provider({ admit, ...given });
      admission.attach(provider);
      return hasBackstop && interceptor ? interceptCalls(provider, [interceptor]) : provider;
    },
  };
  return made;
}

/** Names on offer. */
export function namesOf(provider: Pick<McpProvider, "tools">): readonly string[] {
  return provider.tools().map(({ name }) => name);
}

/** An entry of a list of tools. */
export function entryOf(name: string, description: string, inputSchema: JsonObject = anySchema): ListedEntry {
  return { name, description, inputSchema };
}

const anySchema: JsonObject = { type: "object", properties: { id: { type: "string" } } };

/** An entry, perhaps with members that nobody here knows. */
export interface ListedEntry extends JsonObject {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** Has a server list exactly these from now on. */
export function list(world: AdmissionWorld, id: string, ...entries: readonly ListedEntry[]): void {
  const server = world.server(id);
  changeTools(server, (tools) => tools.clear());
  server.raw.length = 0;
  for (const { name, description, inputSchema, ...extras } of entries) {
    server.raw.push({ name, description, inputSchema, ...(Object.keys(extras).length > 0 && { extras }) });
  }
}

/** What was told of pins. */
export function pinEvents({ events }: AdmissionWorld): readonly PinEvent[] {
  return events.filter((event): event is PinEvent => event.type.startsWith("tools-"));
}

/** A host of server `s` that has seen its tools. */
export async function startHost(world: AdmissionWorld, options: AdmissionOptions, spec: Partial<EntrySettings> = {}) {
  const admission = world.admission(options);
  const provider = world.guarded(admission, { servers: [specOf("s", spec)] });
  await admission.ready();
  await provider.init();
  await admission.ready();
  return { admission, provider };
}
