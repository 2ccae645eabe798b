import type { Connection, JsonObject, RemoteTool, ServerEntry, ToolListing } from "@hostside/core";

type Custom = Extract<ServerEntry, { readonly type: "custom" }>;

type DroppedTool = ToolListing["dropped"][number];

/** What a server does instead of its work, once. */
export type ConnectFault =
  | "refuse"
  | "hang"
  | "unauthorized"
  | "crash-after-handshake"
  | "forget-at-once"
  | "busy"
  | "no-key"
  | "deaf"
  | "queue";
export type ListFault = "fail" | "hang" | "truncate";
export type CallFault = "fail" | "tool-error" | "hang" | "crash" | "unauthorized" | "ask-human" | "ask-nobody";
/** What a connection that breaks its word does when it is closed. */
export type CloseFault = "hang";

/** A server in a simulated world: the truth that a provider's picture is compared with. */
export interface SimulatedServer {
  readonly id: string;
  /** Grows with every change of the tools. */
  version: number;
  /** Names of the tools, with the version in which each was last changed. */
  readonly tools: Map<string, number>;
  /** It announces a change whenever it is listed. */
  restless: boolean;
  /** Entries of its listing that are no tools. */
  readonly dropped: DroppedTool[];
  /** Tools besides, exactly as they are listed. */
  readonly raw: RemoteTool[];
  /** The tools as they were in each version. */
  readonly history: Map<number, ReadonlyMap<string, number>>;
  /** Processes that exist: from the start of an attempt to the end of its clean-up. */
  processes: number;
  /** Sessions that a provider could use. */
  readonly sessions: Set<SimulatedSession>;
  /** Sessions of which anything is left, on either side; and when each was opened. */
  readonly open: Set<{ readonly openedAt: number }>;
  /** Sessions that the provider closed though nothing was wrong with them. */
  healthyCloses: number;
  /** The reasons that it was left for. */
  readonly closedBecause: (string | undefined)[];
  /** Attempts that were given up as too slow while they waited for their turn. */
  cutShort: number;
  /** Listings that came to nothing. */
  failedListings: number;
  /**
   * How many sessions it has forgotten that are still open on the other side. Two, when the second
   * expires while the first is drained.
   */
  expired: number;
  /**
   * Sessions that are done with but for the calls under way on them, of a server that serves one at
   * a time.
   */
  draining: number;
  /** It speaks 2026-07-28, or did when its tools were listed. */
  era: "legacy" | "modern";
  /**
   * It is another one than it was when its tools were listed, and refuses what comes without a
   * handshake.
   */
  isOther: boolean;
  /** Requests that it refused because of that. */
  mistaken: number;
  /** How often it was made to forget who may come in. */
  forgotten: number;
  readonly connects: { started: number; most: number };
  listings: number;
  readonly faults: { connect: ConnectFault[]; list: ListFault[]; call: CallFault[]; close: CloseFault[] };
  /** Answers requests that are no calls. */
  onRequest: () => Promise<JsonObject>;
  /** Calls that arrived. */
  readonly received: { readonly toolName: string; readonly args: JsonObject; readonly meta: JsonObject | undefined }[];
  /** How often each call ran, by the id in its arguments. */
  readonly ledger: Map<string, number>;
}

/** One session with a simulated server, seen from both ends. */
export interface SimulatedSession {
  readonly connection: Connection;
  /** How often the server had been forgotten when it was opened. */
  readonly forgotten: number;
  /** The process dies. */
  crash(): void;
  /** The server forgets the session: everything sent on it from now on is refused. */
  expire(): void;
  /**
   * The server still lists its tools, and takes every call for one of a session that it does not
   * know.
   */
  forgetCalls(): void;
  /** The server says that its tools changed, so many times at once. */
  notify(times: number): Promise<void>;
}

/** Makes a server with these tools. */
export function createSimulatedServer(id: string, toolNames: readonly string[]): SimulatedServer {
  const tools = new Map(toolNames.map((name) => [name, 0]));
  return {
    id,
    version: 0,
    tools,
    raw: [],
    dropped: [],
    restless: false,
    history: new Map([[0, new Map(tools)]]),
    processes: 0,
    sessions: new Set(),
    open: new Set(),
    expired: 0,
    draining: 0,
    era: "legacy",
    isOther: false,
    mistaken: 0,
    forgotten: 0,
    healthyCloses: 0,
    closedBecause: [],
    cutShort: 0,
    failedListings: 0,
    connects: { started: 0, most: 0 },
    listings: 0,
    faults: { connect: [], list: [], call: [], close: [] },
    onRequest: () => Promise.resolve({}),
    received: [],
    ledger: new Map(),
  };
}

/** Changes the tools of a server; nobody is told. */
export function changeTools(
  server: SimulatedServer,
  change: (tools: Map<string, number>, version: number) => void,
): void {
  server.version += 1;
  change(server.tools, server.version);
  server.history.set(server.version, new Map(server.tools));
}

/**
 * The tools of a server as it lists them. The version is in the description, so that a change
 * shows.
 */
export function toolsOf(server: SimulatedServer): readonly RemoteTool[] {
  const tools = Array.from(server.tools, ([name, version]) => ({
    name,
    description: `version ${version}`,
    inputSchema: { type: "object", properties: {} } satisfies JsonObject,
  }));
  return [...tools, ...server.raw];
}

/** A spec that leads to a simulated server. */
export function specOf(id: string, rest: Partial<Omit<Custom, "type">> = {}): Custom & { readonly id: string } {
  return { id, type: "custom", open: () => undefined, ...rest };
}
