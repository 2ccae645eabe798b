import { isHostsideError, HostsideError } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createToolbox } from "../src/index.ts";
import { fakeProvider, outage, staticTool } from "./fake-provider.ts";

describe("init() and refresh()", () => {
  it("initialises static tools before providers", async () => {
    const log: string[] = [];
    const provider = fakeProvider("mcp");
    provider.init = () => Promise.resolve(void log.push("provider"));
    const tools = [
      staticTool("a", { init: () => void log.push("a") }),
      staticTool("b", { init: () => void log.push("b") }),
    ];
    await createToolbox({ tools, providers: [provider] }).init();
    expect(log).toEqual(["a", "b", "provider"]);
  });

  it("starts everything at once, and one that fails or takes its time stops nobody", async () => {
    const log: string[] = [];
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const provider = fakeProvider("mcp");
    provider.init = () => Promise.resolve(void log.push("provider"));
    const cause = new Error("no disk: token abc");
    const tools = [
      staticTool("slow", { init: () => gate }),
      staticTool("bad", {
        init: () => {
          throw cause;
        },
      }),
      staticTool("good", { init: () => void log.push("good") }),
    ];
    const toolbox = createToolbox({ tools, providers: [provider] });
    const init = toolbox.init().catch((reason: unknown) => reason);
    await Promise.resolve();
    expect(log).toEqual(["good", "provider"]);
    open();
    const error = await init;
    expect(error).toMatchObject({ code: "internal_error", toolName: "bad", cause });
    expect(isHostsideError(error) && error.message).not.toContain("abc");
    expect((await toolbox.call("good")).isError).toBe(false);
  });

  it("reports every static tool and provider that could not be started in one error, in their order", async () => {
    const provider = fakeProvider("mcp");
    provider.init = () => Promise.reject(outage("not-sent"));
    const foreign = fakeProvider("own");
    foreign.init = () => Promise.reject(new RangeError("its own"));
    const tools = [staticTool("bad", { init: () => Promise.reject(new Error("boom")) })];
    const error = await createToolbox({ tools, providers: [foreign, provider] })
      .init()
      .catch((reason: unknown) => reason);
    expect(isHostsideError(error, "refresh_failed") && error.details.failures?.map(({ code }) => code)).toEqual([
      "internal_error",
      "unreachable",
      "internal_error",
    ]);
  });

  it("reports every provider that failed with refresh_failed, after the others are done", async () => {
    const [a, b, c] = [fakeProvider("a"), fakeProvider("b"), fakeProvider("c")];
    a.refresh = () => Promise.reject(outage("not-sent"));
    b.refresh = () =>
      Promise.reject(new HostsideError("b", { code: "refresh_failed", details: { failures: [outage("unknown")] } }));
    const toolbox = createToolbox({ providers: [a, b, c] });
    const error = await toolbox.refresh().catch((reason: unknown) => reason);
    expect(isHostsideError(error, "refresh_failed") && error.details.failures?.map(({ code }) => code)).toEqual([
      "unreachable",
      "connection_closed",
    ]);
    expect(c.log).toEqual(["refresh"]);
  });

  it("reports refresh_failed as retryable when any of the failures is", async () => {
    const [a, b] = [fakeProvider("a"), fakeProvider("b")];
    const hopeless = new HostsideError("signed out", { code: "auth_required" });
    a.refresh = () => Promise.reject(hopeless);
    b.refresh = () => Promise.reject(hopeless);
    const toolbox = createToolbox({ providers: [a, b] });
    await expect(toolbox.refresh()).rejects.toMatchObject({ code: "refresh_failed", retryable: false });
    b.refresh = () => Promise.reject(outage("not-sent"));
    await expect(toolbox.refresh()).rejects.toMatchObject({ code: "refresh_failed", retryable: true });
  });

  it("rejects with the failure itself when there is only one", async () => {
    const provider = fakeProvider("a");
    const failure = outage("not-sent");
    provider.init = () => Promise.reject(failure);
    await expect(createToolbox({ providers: [provider] }).init()).rejects.toBe(failure);
  });
});
