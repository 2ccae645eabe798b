import type { ServerSpec } from "@hostside/core";
import {
  createSharedProviders,
  type SharedEvent,
  type SharedOwner,
  type SharedProviders,
  type SharedProvidersOptions,
} from "@hostside/cluster";
import { useManualClock, type ManualClock } from "../../../test/manual-clock.ts";
import { server } from "./stage.ts";
import { stubProvider, type StubProvider } from "./stub-provider.ts";

/** One that was made, and whose it is. */
export interface MadeShared {
  readonly whose: string;
  readonly owner: SharedOwner;
  readonly stub: StubProvider;
  readonly servers: readonly string[];
}

/** Shared providers that a test plays. */
export interface SharedStage {
  readonly shared: SharedProviders;
  readonly clock: ManualClock;
  readonly events: SharedEvent[];
  /** All that were made, in order. */
  readonly made: MadeShared[];
  /** The one that was made last for `"all"`, `"ada"`, `"ada/c1"`. */
  readonly of: (whose: string) => StubProvider;
}

export function sharedStage(options: Partial<SharedProvidersOptions> = {}): SharedStage {
  const clock = useManualClock();
  const made: MadeShared[] = [];
  const events: SharedEvent[] = [];
  const shared = createSharedProviders({
    servers: threeKinds,
    make({ servers, signal: _signal, ...owner }) {
      const stub = stubProvider();
      made.push({ whose: nameOf(owner), owner, stub, servers: servers.map(({ id }) => id) });
      return stub.provider;
    },
    ...options,
  });
  shared.onEvent((event) => events.push(event));
  const of = (whose: string): StubProvider => {
    const found = made.findLast((one) => one.whose === whose);
    if (found === undefined) throw new Error(`nothing was made for ${whose}`);
    return found.stub;
  };
  return { shared, clock, events, made, of };
}

/** One server of each kind. */
export const threeKinds: readonly ServerSpec[] = [
  server("search"),
  server("mail", { sharing: "principal" }),
  server("notes", { sharing: "conversation" }),
];

/** `"all"`, `"ada"`, `"ada/c1"`, and `"?"` for nobody in particular. */
export function nameOf({ sharing, principal = "?", conversation }: SharedOwner): string {
  if (sharing === "shared") return "all";
  return conversation === undefined ? principal : `${principal}/${conversation}`;
}
