/** How to reach one server, the same for every contender. */
export type BenchServer =
  | { readonly id: string; readonly type: "stdio"; readonly command: string; readonly args: readonly string[] }
  | { readonly id: string; readonly type: "http"; readonly url: string };

/** What a contender tells of a tool: enough to call it. */
export interface BenchTool {
  readonly serverId: string;
  /** As the server calls it. */
  readonly toolName: string;
  /** The name by which `call` knows it. */
  readonly name: string;
  /**
   * What the contender gave for it. Kept by who lists, so that memory is compared with everybody
   * holding the same.
   */
  readonly definition: unknown;
}

/**
 * A host under measurement, used as its documentation says. One file per contender in `adapters/`.
 */
export interface Contender {
  readonly name: string;
  readonly version: string;
  /**
   * Connects to all servers. Resolves when every server that can be used can be; rejects if that is
   * how the contender reports a failure.
   */
  connect(servers: readonly BenchServer[]): Promise<void>;
  listTools(): Promise<readonly BenchTool[]>;
  /** Resolves with the text of the result's first block. */
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  /**
   * The names that a model is given when the tools of all servers are put together as documented.
   * Absent where the contender leaves that to its user.
   */
  modelNames?(): Promise<readonly string[]>;
  /**
   * Whatever the contender finds by a tool's name, at once. Absent where it has no such lookup of
   * its own.
   */
  lookup?(name: string): unknown;
  close(): Promise<void>;
}

/** What an adapter file exports. */
export type CreateContender = () => Promise<Contender>;

/** One measurement: numbers by metric. Times in milliseconds unless the name says otherwise. */
export type Metrics = Readonly<Record<string, number>>;
