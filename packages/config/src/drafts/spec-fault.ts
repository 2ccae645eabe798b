import type { HostsideError } from "@hostside/core";
import type { ConfiguredServer, FieldPlace } from "./configured-server.ts";
import { type ConfigProblem, placeProblem, type ProblemInit } from "../parse/config-problem.ts";

/**
 * The fault of a server's spec, without its name: whoever reads the problem has the
 * place.
 */
export function faultInWords({ rawMessage }: HostsideError, serverId: string): string {
  const start = `server ${JSON.stringify(serverId)}: `;
  return rawMessage.startsWith(start) ? rawMessage.slice(start.length) : rawMessage;
}

/**
 * Finds where the innermost part of a field such as `env.TOKEN` was read; `undefined` where none of
 * it was.
 */
export function innermostPlace(places: ReadonlyMap<string, FieldPlace>, field: string): FieldPlace | undefined {
  for (let part = field; part !== ""; part = part.replace(/(?:^|\.|\[)[^.[]*$/, "")) {
    const place = places.get(part);
    if (place !== undefined) return place;
  }
  return undefined;
}

/** A problem of a server at one of its fields, or at its entry. */
export function serverProblem(
  server: ConfiguredServer,
  problem: Omit<ProblemInit, "path" | "serverId">,
  field: string = "",
): ConfigProblem {
  const { path, position } = innermostPlace(server.places, field) ?? server;
  const places = { file: server.file, positionOf: () => position };
  return placeProblem(places, { ...problem, path, serverId: server.id });
}
