import { isHostsideError, type ToolProvider, type ToolsChange, type JsonObject } from "@hostside/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** A provider to hold to the contract, made anew for each test. */
export interface ProviderSubject {
  /** With at least two tools as soon as `init()` has resolved. */
  readonly provider: ToolProvider;
  /** A tool that works, by its local name, with arguments that it takes. */
  readonly works: { readonly name: string; readonly args: JsonObject };
  /**
   * Makes at least one tool come or go, as the world outside may; the next `refresh()` must show
   * it. Absent: the tools never change.
   */
  readonly change?: () => Promise<void>;
  /** Ends what the provider does not own. */
  readonly dispose?: () => Promise<void>;
}

/** Defines a suite that holds a `ToolProvider` of any kind to what `@hostside/core` says of it. */
export function describeProviderContract(name: string, make: () => Promise<ProviderSubject> | ProviderSubject): void {
  describe(`${name} keeps the contract of a ToolProvider`, () => {
    let subject: ProviderSubject | undefined;
    const current = (): ProviderSubject => {
      if (subject === undefined) throw new TypeError("only inside a test");
      return subject;
    };

    beforeEach(async () => {
      subject = await make();
      await subject.provider.init();
    });
    afterEach(async () => {
      await subject?.provider.close();
      await subject?.dispose?.();
    });

    describeReads(current);
    describeCalls(current);
    describeChanges(current);
  });
}

type Current = () => ProviderSubject;

function describeReads(current: Current): void {
  it("offers tools under names that are legal, different without regard to case, and sorted", () => {
    const { provider } = current();
    const names = provider.tools().map((tool) => tool.name);
    expect(names.length).toBeGreaterThan(1);
    expect(names.filter((each) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(each))).toEqual([]);
    expect(new Set(names.map((each) => each.toLowerCase())).size).toBe(names.length);
    expect(names).toEqual(names.toSorted());
  });

  it("looks names up without regard to ASCII case, in the order asked for, and leaves unknown ones out", () => {
    const { provider } = current();
    const [first = "", second = ""] = provider.tools().map((tool) => tool.name);
    const found = provider.tools([second.toUpperCase(), "no_such_tool", first]);
    expect(found.map((tool) => tool.name)).toEqual([second, first]);
    expect(provider.has(first.toUpperCase())).toBe(true);
    expect(provider.has("no_such_tool")).toBe(false);
  });

  it("does not find what every object has", () => {
    const { provider } = current();
    for (const inherited of ["constructor", "__proto__", "toString"]) {
      expect(provider.has(inherited)).toBe(false);
      expect(provider.tools([inherited])).toEqual([]);
    }
  });

  it("groups tools that it offers, sorted", () => {
    const { provider } = current();
    for (const group of provider.groups()) {
      expect(group.members).toEqual(group.members.toSorted());
      expect(provider.tools(group.members)).toHaveLength(group.members.length);
    }
  });
}

function describeCalls(current: Current): void {
  it("calls a tool, by its name in any case", async () => {
    const { provider, works } = current();
    const { name: tool, args } = works;
    for (const each of [tool, tool.toUpperCase()]) {
      const outcome = await provider.call(each, args);
      expect(Array.isArray(outcome.content)).toBe(true);
      expect(outcome.isError).toBe(false);
    }
  });

  it("refuses an unknown tool with unknown_tool, and nothing was sent", async () => {
    const { provider } = current();
    await expect(provider.call("no_such_tool", {})).rejects.toMatchObject({
      code: "unknown_tool",
      outcome: "not-sent",
    });
  });

  it("refuses arguments that are no object with invalid_arguments", async () => {
    const { provider, works } = current();
    // What a model produced may be of any type.
    const wrong = ["text"] as unknown as JsonObject;
    await expect(provider.call(works.name, wrong)).rejects.toMatchObject({
      code: "invalid_arguments",
      outcome: "not-sent",
    });
  });

  it("does not start a call that was given up before", async () => {
    const { provider, works } = current();
    const call = provider.call(works.name, works.args, { signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ code: "aborted", outcome: "not-sent" });
  });
}

function describeChanges(current: Current): void {
  it("stays as it is when a refresh brings nothing new", async () => {
    const { provider } = current();
    const [before, tools] = [provider.revision, provider.tools()];
    const changes = recordChanges(provider);
    await provider.refresh();
    expect(provider.revision).toBe(before);
    expect(provider.tools()).toEqual(tools);
    expect(changes).toEqual([]);
  });

  it("tells a change, if there can be one, in a new snapshot that leaves the old one alone", async () => {
    const { provider, change } = current();
    const before = provider.tools();
    const copy = [...before];
    const [revision, changes] = [provider.revision, recordChanges(provider)];
    await change?.();
    await provider.refresh();
    expect(provider.revision > revision).toBe(change !== undefined);
    expect(before).toEqual(copy);
    const now = provider.tools().map((tool) => tool.name);
    const then = before.map((tool) => tool.name);
    expect(changes.flatMap(({ added }) => added).toSorted()).toEqual(now.filter((each) => !then.includes(each)));
    expect(changes.flatMap(({ removed }) => removed).toSorted()).toEqual(then.filter((each) => !now.includes(each)));
  });

  it("can be closed twice, and refuses calls from then on", async () => {
    const { provider, works } = current();
    expect(provider.closed).toBe(false);
    await provider.close();
    await provider.close();
    expect(provider.closed).toBe(true);
    expect(provider.tools()).toEqual([]);
    const refused = await provider.call(works.name, works.args).catch((error: unknown) => error);
    expect(isHostsideError(refused)).toBe(true);
  });
}

function recordChanges(provider: ToolProvider): readonly ToolsChange[] {
  const changes: ToolsChange[] = [];
  provider.onToolsChanged((change) => changes.push(change));
  return changes;
}
