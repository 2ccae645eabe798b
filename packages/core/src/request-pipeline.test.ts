import { describe, expect, it } from "vitest";
import type { JsonValue } from "./json.ts";
import { createRequestPipeline, type HostRequest, type RequestInterceptor } from "./call-pipeline.ts";

const request: HostRequest = {
  serverId: "s",
  method: "resources/read",
  params: { uri: "a" },
  isNotification: false,
  options: {},
};

async function run(layer: RequestInterceptor, handled: HostRequest[] = []): Promise<JsonValue> {
  const pipeline = createRequestPipeline({ interceptors: [layer] });
  return pipeline.run(request, async (given) => (handled.push(given), { uri: given.params?.["uri"] ?? null }));
}

describe("a request with interceptors", () => {
  it("may be changed, answered and looked at", async () => {
    const handled: HostRequest[] = [];
    await expect(run((given, next) => next({ ...given, params: { uri: "b" } }), handled)).resolves.toEqual({
      uri: "b",
    });
    expect(handled[0]).toMatchObject({ serverId: "s", method: "resources/read", params: { uri: "b" } });
    await expect(run(async () => null)).resolves.toBeNull();
  });

  it.each<[string, (given: HostRequest) => HostRequest]>([
    ["another server", (given) => ({ ...given, serverId: "other" })],
    ["another method", (given) => ({ ...given, method: "tools/call" })],
    ["a notification", (given) => ({ ...given, isNotification: true })],
    ["params in a Map", (given) => ({ ...given, params: new Map() as never })],
    ["params that are no object", (given) => ({ ...given, params: "text" as never })],
    ["options that nothing reads", (given) => ({ ...given, options: { timeoutMS: 1 } as never })],
  ])("is not sent elsewhere or as something else: %s", async (_, change) => {
    const handled: HostRequest[] = [];
    await expect(run((given, next) => next(change(given)), handled)).rejects.toMatchObject({
      code: "internal_error",
      outcome: "not-sent",
      serverId: "s",
    });
    expect(handled).toEqual([]);
  });

  it("names the request when a layer answers nothing or throws something of its own", async () => {
    await expect(run(async () => undefined as never)).rejects.toMatchObject({
      rawMessage: expect.stringContaining('request "resources/read" to "s" failed: interceptor 1'),
      details: { operation: "resources/read" },
    });
    const cause = new RangeError("mine");
    await expect(run(() => Promise.reject(cause))).rejects.toMatchObject({ code: "internal_error", cause });
  });

  it("is the handler's answer and nothing else without interceptors", async () => {
    const answer = Promise.resolve(1);
    expect(createRequestPipeline({ interceptors: [] }).run(request, () => answer)).toBe(answer);
  });
});
