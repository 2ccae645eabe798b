import { assertKnownOptions, isPlainObject, kindOf } from "@hostside/core/implement";
import { assertGuard } from "../context/assert-guard.ts";
import { assertHttpOptions } from "./assert-http-options.ts";
import { connectorFields, type ConnectorOptions } from "./connector-options.ts";

/** Throws a `TypeError` that names the option that is unknown or of a wrong type. */
export function assertConnectorOptions(options: ConnectorOptions): void {
  assertKnownOptions("createConnector()", options, connectorFields);
  const fail = (rule: string): TypeError => new TypeError(`createConnector(): ${rule}`);
  const { clientInfo, clock, guard, maxConcurrentStarts, tasks } = options;
  assertGuard("createConnector()", guard);
  if (clientInfo !== undefined && !isClientInfo(clientInfo))
    throw fail("clientInfo must be an object with a name and a version, texts that are not empty");
  if (clock !== undefined && !hasFunctions(clock, ["now", "schedule"]))
    throw fail("clock must have the functions now, schedule");
  if (maxConcurrentStarts !== undefined && !(Number.isInteger(maxConcurrentStarts) && maxConcurrentStarts > 0))
    throw fail("maxConcurrentStarts must be a positive integer");
  if (tasks !== undefined && typeof tasks !== "boolean") throw fail("tasks must be a boolean");
  assertHttpOptions("createConnector()", options);
  for (const name of ["authProvider", "effects", "fetch", "headersFor", "onElicit", "random"] as const)
    if (options[name] !== undefined && typeof options[name] !== "function")
      throw fail(`${name} must be a function, not ${kindOf(options[name])}`);
}

function isClientInfo(info: unknown): boolean {
  return isPlainObject(info) && isText(info["name"]) && isText(info["version"]);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function hasFunctions(value: unknown, members: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return members.every((member) => typeof Reflect.get(value, member) === "function");
}
