/** What a run does to the process that it runs in. */
export interface HostWatch {
  /**
   * Longest time that the event loop was kept from turning, in milliseconds of this process's own
   * processor time.
   */
  readonly longestStallMs: number;
  /** Handles that keep a process alive and were not there at the start, by kind. */
  extraHandles(): Readonly<Record<string, number>>;
  stop(): void;
}

// Timers come and go in the test runner itself.
const handleKinds = ["ProcessWrap", "PipeWrap", "TCPSocketWrap", "TCPServerWrap", "TLSWrap"];

/**
 * Starts to watch. Processor time instead of time: a busy machine must not look like a busy host.
 */
export function watchHost(): HostWatch {
  const before = countHandles();
  let longest = 0;
  let last = process.cpuUsage();
  const timer = setInterval(() => {
    const spent = process.cpuUsage(last);
    last = process.cpuUsage();
    longest = Math.max(longest, (spent.user + spent.system) / 1000);
  }, 2);
  return {
    get longestStallMs() {
      return longest;
    },
    extraHandles() {
      const extra = Object.entries(countHandles()).map(([kind, count]) => [kind, count - (before[kind] ?? 0)] as const);
      return Object.fromEntries(extra.filter(([, count]) => count > 0));
    },
    stop: () => clearInterval(timer),
  };
}

function countHandles(): Readonly<Record<string, number>> {
  const active = process.getActiveResourcesInfo();
  return Object.fromEntries(handleKinds.map((kind) => [kind, active.filter((one) => one === kind).length]));
}
