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
  it("inherits only the safe list by default", () => {
    expect(safeEnvironment({}, host, "linux")).toEqual({ PATH: "/bin", HOME: "/home/me", LANG: "C" });
  });

  it("inherits what a child needs to reach the network: proxies, in either case, and who to trust", () => {
    const network = {
      HTTP_PROXY: "http://proxy.test:3128",
      https_proxy: "proxy.test:3128",
      ALL_PROXY: "socks5://proxy.test",
      no_proxy: "localhost,.test",
      NODE_EXTRA_CA_CERTS: "/etc/company.pem",
      SSL_CERT_FILE: "/etc/ssl/cert.pem",
      TZ: "Europe/Zurich",
    };
    expect(safeEnvironment({}, { ...host, ...network }, "linux")).toEqual({
      PATH: "/bin",
      HOME: "/home/me",
      LANG: "C",
      ...network,
    });
  });

  it("inherits the settings of npm, and none of its credentials", () => {
    const settings = {
      npm_config_registry: "https://npm.company.test/",
      NPM_CONFIG_CACHE: "/tmp/npm",
      "npm_config_@company:registry": "https://npm.company.test/",
      npm_config_strict_ssl: "false",
    };
    const secrets = {
      "npm_config_//npm.company.test/:_authToken": "s3cret",
      npm_config__auth: "s3cret",
      npm_config__password: "s3cret",
      NPM_CONFIG_OTP: "123456",
      npm_config_key: "-----BEGIN",
      npm_token: "s3cret",
    };
    expect(safeEnvironment({}, { ...settings, ...secrets }, "linux")).toEqual(settings);
  });

  it("inherits no URL with credentials in it; a server that is to know them is given them", () => {
    const host = {
      HTTPS_PROXY: "http://me:s3cret@proxy.test:3128",
      http_proxy: "me:s3cret@proxy.test",
      npm_config_registry: "https://me:s3cret@npm.test/",
    };
    expect(safeEnvironment({}, host, "linux")).toEqual({});
    expect(safeEnvironment({ env: { HTTPS_PROXY: host.HTTPS_PROXY } }, host, "linux")).toEqual({
      HTTPS_PROXY: host.HTTPS_PROXY,
    });
  });

  it("inherits everything when asked to, nothing when asked to", () => {
    const { UNSET: _, ...all } = host;
    expect(safeEnvironment({ inheritEnv: "all" }, host, "linux")).toEqual(all);
    expect(safeEnvironment({ inheritEnv: "none", env: { A: "1" } }, host, "linux")).toEqual({ A: "1" });
  });

  it("lets configured variables win", () => {
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
