import type { EventSource } from "@hostside/core/implement";
import type { Registration } from "./registration.ts";
import type { ServerStatus } from "./server-status.ts";

/**
 * Makes a function that announces a registration's status if anything in it is news. The end of a
 * registration is not announced here, because whether it is one depends on what comes in its place.
 */
export function createAnnouncer(
  status: EventSource<ServerStatus>,
  statusOf: (registration: Registration) => ServerStatus,
): (registration: Registration) => void {
  const announced = new WeakMap<Registration, string>();
  return (registration) => {
    if (registration.link.state.kind === "removed") return;
    const now = statusOf(registration);
    const news = [now.state, now.stage, now.error?.message, now.stale, now.degraded].join("\n");
    if (announced.get(registration) === news) return;
    announced.set(registration, news);
    status.emit(now);
  };
}
