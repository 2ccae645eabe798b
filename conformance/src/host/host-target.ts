import type { DriverLink } from "./driver-link.ts";
import type { DriverHello } from "./driver-protocol.ts";
import { createHostDriver, type HostDriver } from "./host-driver.ts";

/** The host under test, as scenarios get it. */
export interface HostTarget {
  readonly hello: DriverHello;
  /** How long a host may take for what it should do at once, in milliseconds. */
  readonly patienceMs: number;
  /** A driver that nobody else uses: one that is idle, else a new one. */
  borrow(): Promise<HostDriver>;
  /**
   * Gives a driver back, whose host was closed, so that the next scenario can have it. One that is
   * not well is ended.
   */
  giveBack(driver: HostDriver, well: boolean): Promise<void>;
  /** Ends every driver. */
  close(): Promise<void>;
}

/**
 * Starts a first driver and hears what it says of itself. Rejects with `DriverFailure` when it is
 * none.
 */
export async function openHostTarget(start: () => DriverLink, patienceMs: number): Promise<HostTarget> {
  const all = new Set<HostDriver>();
  const idle: HostDriver[] = [];

  async function startOne(): Promise<{ readonly driver: HostDriver; readonly hello: DriverHello }> {
    const driver = createHostDriver(start(), patienceMs);
    all.add(driver);
    try {
      return { driver, hello: await driver.hello() };
    } catch (error) {
      await endOne(driver);
      throw error;
    }
  }

  async function endOne(driver: HostDriver): Promise<void> {
    all.delete(driver);
    await driver.end();
  }

  const first = await startOne();
  idle.push(first.driver);
  return {
    hello: first.hello,
    patienceMs,
    async borrow() {
      for (let driver = idle.pop(); driver !== undefined; driver = idle.pop()) {
        if (driver.alive) return driver;
        await endOne(driver);
      }
      return (await startOne()).driver;
    },
    async giveBack(driver, well) {
      if (well && driver.alive) idle.push(driver);
      else await endOne(driver);
    },
    async close() {
      await Promise.all(Array.from(all, endOne));
    },
  };
}
