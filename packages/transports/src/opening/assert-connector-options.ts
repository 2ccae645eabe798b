import { assertKnownOptions, isPlainObject, kindOf } from "@toolport/core/implement";
import { assertGuard } from "../context/assert-guard.ts";
import { connectorFields, type ConnectorOptions } from "./connector-options.ts";

/** Throws a `TypeError` that names the option that is unknown or of a wrong type. */
export function assertConnectorOptions(options: ConnectorOptions): void {
  assertKnownOptions("createConnector()", options, connectorFields);
  const fail = (rule: string): TypeError => new TypeError(`createConnector(): ${rule}`);
  const { clientInfo, eraCache, clock, guard, maxConcurrentStarts, tasks } = options;
  assertGuard("createConnector()", guard);
  if (clientInfo !== undefined && !isClientInfo(clientInfo))
    throw fail("clientInfo must be an object with a name and a version, texts that are not empty");
  for (const [name, part, members] of [
    ["eraCache", eraCache, ["get", "set", "delete"]],
    ["clock", clock, ["now", "schedule"]],
  ] as const) {
    if (part !== undefined && !hasFunctions(part, members))
      throw fail(`${name} must have the functions ${members.join(", ")}`);
  }
  if (maxConcurrentStarts !== undefined && !(Number.isInteger(maxConcurrentStarts) && maxConcurrentStarts > 0))
    throw fail("maxConcurrentStarts must be a positive integer");
  if (tasks !== undefined && tasks !== "await" && tasks !== "hand-back")
    throw fail('tasks must be "await" or "hand-back"');
  assertWay(options, fail);
  for (const name of ["authProvider", "effects", "fetch", "headersFor", "onElicit", "random"] as const)
    if (options[name] !== undefined && typeof options[name] !== "function")
      throw fail(`${name} must be a function, not ${kindOf(options[name])}`);
}

// A proxy's URL may have a password in it: its text is quoted nowhere.
function assertWay({ proxy, ca, fetch }: ConnectorOptions, fail: (rule: string) => TypeError): void {
  if (proxy !== undefined && proxy !== false && proxy !== "environment" && !isHttpUrl(proxy))
    throw fail('proxy must be false, "environment" or the http: or https: URL of a proxy');
  const certificates = ca === undefined ? [] : [ca].flat();
  if (!certificates.every((it) => typeof it === "string" && it.includes("-----BEGIN CERTIFICATE-----")))
    throw fail("ca must be a certificate in PEM, or a list of them");
  if (fetch !== undefined && (ca !== undefined || (proxy !== undefined && proxy !== false)))
    throw fail("proxy and ca are for requests that Node makes, and cannot be used together with fetch");
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === "string" && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
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
