import { isJsonObject } from "@hostside/core/implement";
import type { RunReport } from "../engine/run-report.ts";

/**
 * Reads a report that `--json` wrote, as far as it is compared. Throws `TypeError` that says what
 * is wrong with it: no JSON, no report, or one of a later kit.
 */
export function parseReport(json: string): RunReport {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new TypeError(`not JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  if (!isJsonObject(value) || !isJsonObject(value["kit"]) || value["kit"]["name"] !== "@hostside/conformance") {
    throw new TypeError("no report of @hostside/conformance; --json FILE writes one");
  }
  if (value["schemaVersion"] !== 1) {
    const version = JSON.stringify(value["schemaVersion"])?.slice(0, 20);
    throw new TypeError(`a report of version ${version}, which this kit does not know; update it`);
  }
  const { results, side } = value;
  if (side !== "server" && side !== "host") throw new TypeError("side must be server or host");
  if (typeof value["target"] !== "string") throw new TypeError("target must be a string");
  if (!Array.isArray(results)) throw new TypeError("results must be an array");
  for (const [at, result] of results.entries()) {
    if (!isResult(result)) throw new TypeError(`results[${at}] is no result of a check`);
  }
  return value as unknown as RunReport;
}

const levels: ReadonlySet<unknown> = new Set(["MUST", "SHOULD", "HOST"]);
const statuses: ReadonlySet<unknown> = new Set(["pass", "fail", "not-applicable", "could-not-run"]);

function isResult(value: unknown): boolean {
  if (!isJsonObject(value) || !isJsonObject(value["check"]) || !isJsonObject(value["finding"])) return false;
  const { check, finding } = value;
  const texts = [check["id"], check["title"], check["fix"], finding["reason"] ?? finding["observed"] ?? ""];
  return (
    texts.every((text) => typeof text === "string") && levels.has(check["level"]) && statuses.has(finding["status"])
  );
}
