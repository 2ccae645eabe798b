import { createToolbox } from "@hostside/discovery";
import { createPolicy } from "@hostside/policy";
import { describe, expect, it } from "vitest";
import { type ApprovalMode, type ApprovalOptions, type ApprovalQuestion, readMode } from "./approval-options.ts";

const subject = { serverId: "a:b", toolName: "Delete", labels: {}, effect: "external" } as const;

describe("readMode()", () => {
  const means = (name: string, localName?: string): boolean =>
    readMode({ named: [name] })(subject, localName) !== undefined;

  it("knows a tool by its remote, qualified and local name, whatever the capitals", () => {
    expect(["Delete", "delete", "mcp::a%3Ab::Delete"].map((name) => means(name))).toEqual([true, true, true]);
    expect(means("mcp_a_b_delete", "mcp_a_b_delete")).toBe(true);
    expect(["Del", "mcp::a:b::Delete", "mcp_a_b_delete", "b::Delete"].map((name) => means(name))).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(readMode({ named: ["local::mine"] })({ ...subject, serverId: "", toolName: "mine" }, "mine")).toBeDefined();
  });

  it("knows a tool whose local name was hashed because another one wants the same", () => {
    expect(means("mcp_a_b_delete", "mcp_a_b_delete_0a1b2c3d")).toBe(true);
    const long = `mcp_a_b_${"x".repeat(55)}`;
    expect(means(long, `${long.slice(0, 55)}_0a1b2c3d`)).toBe(true);
    expect(means("mcp_a_b_delete", "mcp_a_b_delete_all")).toBe(false);
    expect(means("mcp_a_b_delete", "mcp_a_b_del_0a1b2c3d")).toBe(false);
  });

  it("is asked anew for each call where it is a function", () => {
    let mode: ApprovalMode = "none";
    const asked = readMode(() => mode);
    const rules = (["none", "all", { named: ["other"] }, { tools: "other/*" }] as const).map((now) => {
      mode = now;
      return asked(subject, undefined)?.why;
    });
    expect(rules).toEqual([undefined, "every call is to be approved", undefined, undefined]);
  });

  const wrong: readonly (readonly [unknown, string])[] = [
    ["some", 'approval.mode: "some" is none'],
    [{}, "approval.mode names no tool"],
    [{ names: ["x"] }, 'approval.mode has no option "names"'],
    [{ named: [] }, "approval.mode.named must be a list"],
    [{ named: ["x", ""] }, "approval.mode.named[1] must be a text"],
    [{ tools: { effect: "writes" } }, "approval.mode.tools"],
  ];
  it.each(wrong)("throws a TypeError that names the place: %j", (mode, message) => {
    expect(() => readMode(mode as ApprovalMode)).toThrow(TypeError);
    expect(() => readMode(mode as ApprovalMode)).toThrow(message);
  });
});

describe("a mode that the host is asked for", () => {
  it.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("boom");
      },
    ],
    ["answers nothing", () => undefined],
    ["answers late", async () => "none"],
    ["answers what is no mode", () => "some"],
  ])("has every call approved while approval.mode() %s", async (_, mode) => {
    const call = (approval: ApprovalOptions): Promise<unknown> => {
      const { interceptors } = createPolicy({ approval: { ...approval, mode: mode as () => "none" } });
      const definition = { name: "own", description: "", inputSchema: {} };
      return createToolbox({ tools: [{ definition, run: () => "ran" }], interceptors }).call("own");
    };
    const asked: ApprovalQuestion[] = [];
    const handler = async (question: ApprovalQuestion) => (asked.push(question), "once" as const);
    await expect(call({})).rejects.toMatchObject({ code: "approval_required" });
    await expect(call({ handler })).resolves.toMatchObject({ isError: false });
    expect(asked).toMatchObject([{ why: "every call is to be approved, because approval.mode() gave no mode" }]);
  });
});
