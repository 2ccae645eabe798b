import type { JsonObject } from "@hostside/core";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { checkHost } from "../src/host/check-host.ts";
import type { DriverLink } from "../src/host/driver-link.ts";
import { driverFeatures, type DriverVerb } from "../src/host/driver-protocol.ts";
import { hostChecks } from "../src/host/host-checks.ts";
import { localDriver } from "../src/host/local-driver.ts";
import { spawnDriver } from "../src/host/spawn-driver.ts";
import { createReferenceHost, describeHostsideError, referenceFeatures } from "../src/host/reference-host.ts";

const file = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const schema = JSON.parse(readFileSync(file("driver.schema.json"), "utf8")) as JsonObject & {
  readonly $id: string;
  readonly $defs: Readonly<Record<string, JsonObject & { readonly properties: { features: { items: JsonObject } } }>>;
};
const ajv = new Ajv2020({ allErrors: true });
ajv.addSchema(schema);

function definition(name: string): ValidateFunction {
  const found = ajv.getSchema(`${schema.$id}#/$defs/${name}`);
  if (found === undefined) throw new TypeError(`the schema does not define ${name}`);
  return found;
}

/** Whatever goes through the link, judged by the schema. */
function watched(link: DriverLink, seen: { readonly verbs: Set<string>; readonly wrong: unknown[] }): DriverLink {
  const judge = (name: string, message: unknown): void => {
    const holds = definition(name);
    if (!holds(JSON.parse(JSON.stringify(message)))) seen.wrong.push({ name, message, errors: holds.errors });
  };
  return {
    pid: link.pid,
    async ask(verb, params, timeoutMs) {
      seen.verbs.add(verb);
      judge("request", { id: 1, verb, ...params });
      const reply = await link.ask(verb, params, timeoutMs);
      judge("reply", reply);
      if (reply.ok) judge(`value-${verb}`, reply.value);
      return reply;
    },
    get alive() {
      return link.alive;
    },
    end: () => link.end(),
  };
}

async function play(start: () => DriverLink, pattern: RegExp): Promise<{ verbs: readonly string[]; wrong: unknown[] }> {
  const seen = { verbs: new Set<string>(), wrong: [] };
  const checks = hostChecks.filter(({ id }) => pattern.test(id)).map((check) => ({ ...check, needs: [] }));
  const { results } = await checkHost({ start: () => watched(start(), seen), name: "watched", checks });
  expect(results.filter(({ finding }) => finding.status === "fail")).toEqual([]);
  return { verbs: [...seen.verbs].sort(), wrong: seen.wrong };
}

describe("the schema of the driver protocol", () => {
  it("holds for what the kit asks and what Hostside answers, every verb that Hostside has", async () => {
    const hello = { name: "hostside", version: "0", features: referenceFeatures };
    const start = () => localDriver({ hello, host: createReferenceHost(), describeError: describeHostsideError });
    const { verbs, wrong } = await play(
      start,
      /^(consistent\/(cancel-reaches-the-server|add-at-run-time|remove-server|failed-refresh-keeps-tools|meta-beside-arguments)|survive\/(tool-error|silent-call)|recover\/signs-in|hostile\/echoed-credentials)\/http$/,
    );
    expect(wrong).toEqual([]);
    const all: readonly DriverVerb[] = [
      "addServer",
      "call",
      "cancel",
      "close",
      "events",
      "hello",
      "init",
      "refresh",
      "removeServer",
      "snapshot",
    ];
    expect(verbs).toEqual(all);
  });

  it("holds for the driver in Python", { timeout: 60_000 }, async () => {
    const { verbs, wrong } = await play(
      () => spawnDriver(["python3", file("drivers/python-driver.py")]),
      /^survive\/(lists-and-calls|crash-before-handshake)\/stdio$/,
    );
    expect(wrong).toEqual([]);
    expect(verbs).toEqual(["call", "close", "hello", "init", "snapshot"]);
  });

  it.each([
    ["a request of no verb", "request", { id: 1, verb: "dance" }],
    ["a call without arguments", "request", { id: 1, verb: "call", callId: "1", name: "x", timeoutMs: 5 }],
    ["a reply without an id", "reply", { ok: true, value: {} }],
    ["an error without a message", "reply", { id: 1, ok: false, error: {} }],
    ["an outcome of its own", "reply", { id: 1, ok: false, error: { message: "x", outcome: "maybe" } }],
    ["a feature that there is not", "value-hello", { protocol: 1, name: "x", version: "1", features: ["telepathy"] }],
    ["a tool without its server", "value-snapshot", { tools: [{ name: "x", remoteName: "x" }], servers: [] }],
    ["a result without content", "value-call", { isError: false }],
  ])("refuses %s", (_, name, message) => {
    expect(definition(name)(message)).toBe(false);
  });

  it("names every feature, as the code does", () => {
    expect(schema.$defs["hello"]?.properties.features.items).toEqual({ enum: [...driverFeatures] });
  });
});
