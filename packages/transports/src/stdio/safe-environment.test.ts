import { describe, expect, it } from "vitest";
import { safeEnvironment } from "./safe-environment.ts";

const host = {
  PATH: "/bin",
  HOME: "/home/me",
  LANG: "C",
  GITHUB_TOKEN: "secret",
  NODE_OPTIONS: "--inspect",
  UNSET: undefined,
};

describe("safeEnvironment()", () => {
  it("inherits only the safe list by default (AN-18)", () => {
    expect(safeEnvironment({}, host, "linux")).toEqual({ PATH: "/bin", HOME: "/home/me", LANG: "C" });
  });

  it("inherits everything when asked to (EV-36), nothing when asked to", () => {
    const { UNSET: _, ...all } = host;
    expect(safeEnvironment({ inheritEnv: "all" }, host, "linux")).toEqual(all);
    expect(safeEnvironment({ inheritEnv: "none", env: { A: "1" } }, host, "linux")).toEqual({ A: "1" });
  });

  it("lets configured variables win (EV-36)", () => {
    expect(safeEnvironment({ env: { PATH: "/opt/bin", TOKEN: "t" } }, host, "linux")).toMatchObject({
      PATH: "/opt/bin",
      TOKEN: "t",
      HOME: "/home/me",
    });
  });

  it("compares names without case on Windows only", () => {
    const windows = { Path: "C:\\bin", SystemRoot: "C:\\Windows", Secret: "s" };
    expect(safeEnvironment({}, windows, "win32")).toEqual({ Path: "C:\\bin", SystemRoot: "C:\\Windows" });
    expect(safeEnvironment({ env: { PATH: "D:\\bin" } }, windows, "win32")).toEqual({
      PATH: "D:\\bin",
      SystemRoot: "C:\\Windows",
    });
    expect(safeEnvironment({}, { path: "/bin" }, "linux")).toEqual({});
  });

  it("is safe for a variable named __proto__", () => {
    const env = safeEnvironment({ env: JSON.parse('{"__proto__":"x"}') }, {}, "linux");
    expect(Object.entries(env)).toEqual([["__proto__", "x"]]);
  });
});
