import type { GuardRefusal, StdioEntry } from "@hostside/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuSecondsOf } from "../../../../test/cpu-seconds.ts";
import {
  bytesOf,
  forbiddenBytes,
  forbiddenNetworks,
  ipv4Bytes,
  ipv6Bytes,
  isForbidden,
  plainText,
  spellings,
} from "../../test/forbidden-networks.ts";
import { createConnectionGuard, type ConnectionGuardOptions } from "./connection-guard.ts";

const server = { serverId: "s" };
const anywhere = new URL("https://mcp.example");

function urlRefusal(url: string, options?: ConnectionGuardOptions): GuardRefusal | undefined {
  return createConnectionGuard(options).checkUrl(new URL(url), server);
}

function addressRefusal(address: string | undefined, options?: ConnectionGuardOptions): GuardRefusal | undefined {
  return createConnectionGuard(options).checkAddress(address, anywhere, server);
}

function commandRefusal(
  process: Partial<StdioEntry>,
  commands: ConnectionGuardOptions["commands"],
): string | undefined {
  const spec: StdioEntry = { type: "stdio", command: "npx", ...process };
  return createConnectionGuard({ commands }).checkCommand(spec, server)?.reason;
}

describe("a guard without options", () => {
  it.each([
    "https://mcp.example/",
    "https://mcp.example:8443/a?b",
    "https://MCP.example./",
    "https://bücher.example/",
    "https://93.184.216.34/",
    "https://[2606:2800:220:1:248:1893:25c8:1946]/",
    "https://[64:ff9b::808:808]/",
    "https://localhost.example/",
    "https://notlocal/",
  ])("lets connections go to %s", (url) => {
    expect(urlRefusal(url)).toBeUndefined();
  });

  it.each([
    ["http://mcp.example/", "guard.schemes"],
    ["ftp://mcp.example/", "guard.schemes"],
    ["file:///etc/passwd", "guard.schemes"],
    ["unix:/var/run/docker.sock", "guard.schemes"],
    ["data:text/plain,x", "guard.schemes"],
    ["javascript:alert(1)", "guard.schemes"],
    ["https://user@mcp.example/", "guard.hosts"],
    ["https://:s3cret@mcp.example/", "guard.hosts"],
    ["https://localhost/", "guard.privateNetworks"],
    ["https://LOCALHOST./", "guard.privateNetworks"],
    ["https://ｌｏｃａｌｈｏｓｔ/", "guard.privateNetworks"],
    ["https://a.localhost/", "guard.privateNetworks"],
    ["https://localhost.localdomain/", "guard.privateNetworks"],
    ["https://printer.local/", "guard.privateNetworks"],
    ["https://metadata.google.internal/", "guard.privateNetworks"],
    ["https://nas.home.arpa/", "guard.privateNetworks"],
    ["https://169.254.169.254/latest/meta-data", "guard.privateNetworks"],
    ["https://[fd00:ec2::254]/", "guard.privateNetworks"],
    ["https://168.63.129.16/", "guard.privateNetworks"],
    ["https://100.100.100.200/", "guard.privateNetworks"],
    ["https://2130706433/", "guard.privateNetworks"],
    ["https://0x7f.1/", "guard.privateNetworks"],
    ["https://017700000001/", "guard.privateNetworks"],
    ["https://127.1/", "guard.privateNetworks"],
    ["https://127.0.0.1./", "guard.privateNetworks"],
    ["https://①②⑦.⓪.⓪.①/", "guard.privateNetworks"],
    ["https://0/", "guard.privateNetworks"],
    ["https://[::]/", "guard.privateNetworks"],
    ["https://[::1]/", "guard.privateNetworks"],
    ["https://[::ffff:7f00:1]/", "guard.privateNetworks"],
    ["https://[::127.0.0.1]/", "guard.privateNetworks"],
    ["https://[::ffff:0:127.0.0.1]/", "guard.privateNetworks"],
    ["https://[64:ff9b::10.0.0.1]/", "guard.privateNetworks"],
    ["https://[64:ff9b:1::8.8.8.8]/", "guard.privateNetworks"],
    ["https://[2002:7f00:1::]/", "guard.privateNetworks"],
    ["https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/", "guard.privateNetworks"],
    ["https://[fe80::1]/", "guard.privateNetworks"],
    ["https://[fec0::1]/", "guard.privateNetworks"],
    ["https://[ff02::1]/", "guard.privateNetworks"],
    ["https://224.0.0.1/", "guard.privateNetworks"],
    ["https://255.255.255.255/", "guard.privateNetworks"],
    ["https://100.64.0.1/", "guard.privateNetworks"],
  ])("refuses %s by %s, without a word of secrets", (url, rule) => {
    const refusal = urlRefusal(url);
    expect(refusal?.rule).toBe(rule);
    expect(refusal?.reason).not.toMatch(/s3cret|passwd|docker/);
  });

  it.each([
    "https://[fe80::1%25eth0]/",
    "https://[fe80::1%eth0]/",
    "https://",
    "https://127.0.0.256/",
    "https://1.2.3.4.5/",
  ])("never hears of %s, which is no URL", (url) => {
    expect(URL.canParse(url)).toBe(false);
  });

  it.each([
    "",
    "fe80::1%eth0",
    "::1%lo",
    "127.0.0.1:80",
    "x@127.0.0.1",
    "127.0.0.1/8",
    "[::1]",
    "mcp.example",
    "1.2.3.4.5",
  ])("refuses %j for an address, which is none", (address) => {
    expect(addressRefusal(address)).toMatchObject({ rule: "guard.privateNetworks" });
  });

  it("refuses an address that nobody tells, and every program", () => {
    expect(addressRefusal(undefined)).toMatchObject({ rule: "guard.unknownAddresses" });
    expect(addressRefusal(undefined, { unknownAddresses: "allow" })).toBeUndefined();
    expect(commandRefusal({}, undefined)).toBe("no program may be started");
  });

  it("takes no longer for a name that is very long, and quotes little of it", async () => {
    const dots = ".".repeat(300_000);
    for (const hostname of [`a${dots}b`, `${"localhost.".repeat(30_000)}x`, `${"1.".repeat(100_000)}x`]) {
      const url = Object.assign(new URL("https://mcp.example"), {});
      Object.defineProperty(url, "hostname", { value: hostname });
      const seconds = await cpuSecondsOf(() => {
        expect(createConnectionGuard({ hosts: ["*.example"] }).checkUrl(url, server)?.reason.length).toBeLessThan(200);
        createConnectionGuard().checkUrl(url, server);
      });
      expect(seconds).toBeLessThan(3);
    }
  });

  it("says which address, and what it is for", () => {
    expect(addressRefusal("169.254.169.254")).toEqual({
      reason: "169.254.169.254 is no public address (metadata)",
      rule: "guard.privateNetworks",
    });
    expect(addressRefusal("::ffff:10.0.0.1")?.reason).toBe("::ffff:10.0.0.1 is no public address (private)");
  });

  it("lets exactly those addresses pass that no registry keeps from the public", () => {
    fc.assert(
      fc.property(fc.oneof(ipv4Bytes, ipv6Bytes, forbiddenBytes), (bytes) => {
        const text = plainText(bytes);
        expect(addressRefusal(text) === undefined).toBe(!isForbidden(text));
      }),
      { numRuns: 2000 },
    );
  });

  it.each(forbiddenNetworks)("refuses the first and the last address of %s/%d", (start, bits) => {
    const first = bytesOf(start);
    const last = first.map((byte, index) => byte | (0xff >> Math.min(8, Math.max(0, bits - index * 8))));
    expect([addressRefusal(plainText(first)), addressRefusal(plainText(last))]).not.toContain(undefined);
  });

  it("refuses a forbidden address in every spelling that a URL has for it", () => {
    fc.assert(
      fc.property(
        forbiddenBytes.chain((bytes) => spellings(bytes)),
        (host) => {
          expect(urlRefusal(`https://${host}/`)).toBeDefined();
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe("hosts, schemes and ports", () => {
  const hosts = ["mcp.example", "*.tools.example", "BÜCHER.example", "93.184.216.34"];

  it.each([
    ["https://mcp.example/", true],
    ["https://MCP.EXAMPLE./", true],
    ["https://a.mcp.example/", false],
    ["https://evilmcp.example/", false],
    ["https://mcp.example.evil/", false],
    ["https://a.tools.example/", true],
    ["https://a.b.tools.example/", true],
    ["https://tools.example/", false],
    ["https://eviltools.example/", false],
    ["https://xn--bcher-kva.example/", true],
    ["https://93.184.216.34/", true],
    ["https://1572395042/", true],
  ])("%s is among the hosts: %s", (url, isAmong) => {
    expect(urlRefusal(url, { hosts })?.rule).toBe(isAmong ? undefined : "guard.hosts");
  });

  it("does not open a private address by naming it", () => {
    expect(urlRefusal("https://10.0.0.1/", { hosts: ["10.0.0.1"] })).toMatchObject({ rule: "guard.privateNetworks" });
  });

  it("takes the ports that are named, also those that a URL leaves out", () => {
    const ports = [443, 8443];
    expect(urlRefusal("https://mcp.example/", { ports })).toBeUndefined();
    expect(urlRefusal("https://mcp.example:8443/", { ports })).toBeUndefined();
    expect(urlRefusal("https://mcp.example:22/", { ports })).toMatchObject({ rule: "guard.ports" });
    expect(urlRefusal("http://mcp.example/", { ports, schemes: ["http"] })).toMatchObject({ rule: "guard.ports" });
    expect(urlRefusal("http://mcp.example/", { ports: [80], schemes: ["http"] })).toBeUndefined();
  });
});

describe("networks", () => {
  it.each([
    ["10.1.2.3", { privateNetworks: ["10.1.0.0/16"] }, true],
    ["::ffff:10.1.2.3", { privateNetworks: ["10.1.0.0/16"] }, true],
    ["10.2.2.3", { privateNetworks: ["10.1.0.0/16"] }, false],
    ["127.0.0.1", { privateNetworks: ["10.0.0.0/8"] }, false],
    ["fd12::1", { privateNetworks: ["fd12::/16"] }, true],
    ["10.0.0.1", { privateNetworks: true }, true],
    ["127.0.0.1", { privateNetworks: true }, true],
    ["100.64.0.1", { privateNetworks: true }, true],
    ["fd12::1", { privateNetworks: true }, true],
    ["169.254.1.1", { privateNetworks: true }, false],
    ["0.0.0.0", { privateNetworks: true }, false],
    ["169.254.169.254", { privateNetworks: true }, false],
    ["169.254.169.254", { privateNetworks: ["169.254.0.0/16"] }, false],
    ["169.254.1.1", { privateNetworks: ["169.254.0.0/16"] }, true],
    ["fd00:ec2::254", { privateNetworks: true }, false],
    ["100.100.100.200", { privateNetworks: true }, false],
    ["2002:a00:1::", { privateNetworks: ["2002::/16"] }, false],
    ["224.0.0.1", { privateNetworks: ["0.0.0.0/0"] }, false],
    ["93.184.216.34", { forbiddenNetworks: ["93.184.216.0/24"] }, false],
    ["::ffff:93.184.216.34", { forbiddenNetworks: ["93.184.216.0/24"] }, false],
    ["64:ff9b::5db8:d822", { forbiddenNetworks: ["93.184.216.34"] }, false],
    ["93.184.217.34", { forbiddenNetworks: ["93.184.216.0/24"] }, true],
    ["10.1.2.3", { privateNetworks: true, forbiddenNetworks: ["10.1.0.0/16"] }, false],
  ])("%s with %j is allowed: %s", (address, options, isAllowed) => {
    expect(addressRefusal(address, options) === undefined).toBe(isAllowed);
  });

  it("lets local names pass to where their address decides", () => {
    expect(urlRefusal("https://localhost/", { privateNetworks: ["127.0.0.1"] })).toBeUndefined();
    expect(urlRefusal("https://mcp.internal/", { privateNetworks: true })).toBeUndefined();
  });
});

describe("commands", () => {
  const npx = { command: "npx", args: ["-y", "@example/*@1.2.3", "**"], env: ["EXAMPLE_*"], cwd: ["/srv/*"] };

  it.each<[string, Partial<StdioEntry>, ConnectionGuardOptions["commands"], string | undefined]>([
    ["any", { command: "rm", args: ["-rf"], env: { PATH: "/tmp" } }, "any", undefined],
    ["a name with any arguments", { args: ["-y", "x"] }, ["npx"], undefined],
    ["another name", { command: "node" }, ["npx"], "it is not among the programs"],
    ["a path to it", { command: "/tmp/npx" }, ["npx"], "it is not among the programs"],
    ["another case", { command: "NPX" }, ["npx"], "it is not among the programs"],
    ["a variable", { env: { PATH: "/tmp" } }, ["npx"], "it sets a variable that is not allowed"],
    ["a directory", { cwd: "/tmp" }, ["npx"], "its working directory is not allowed"],
    [
      "all that this process has",
      { inheritEnv: "all" },
      ["npx"],
      "it would inherit the whole environment of this process",
    ],
    ["arguments that fit", { args: ["-y", "@example/x@1.2.3", "a", "b"] }, [npx], undefined],
    ["fewer", { args: ["-y"] }, [npx], "its arguments are not those that are allowed"],
    ["others", { args: ["-y", "@evil/x@1.2.3"] }, [npx], "its arguments are not those that are allowed"],
    ["none", {}, [{ command: "npx", args: [] }], undefined],
    ["more", { args: ["a"] }, [{ command: "npx", args: [] }], "its arguments are not those that are allowed"],
    [
      "two rules",
      { args: ["a"] },
      [
        { command: "npx", args: [] },
        { command: "npx", args: ["a"] },
      ],
      undefined,
    ],
    ["a variable that is named", { args: ["-y", "@example/x@1.2.3"], env: { EXAMPLE_KEY: "k" } }, [npx], undefined],
    ["a directory that is named", { args: ["-y", "@example/x@1.2.3"], cwd: "/srv/a" }, [npx], undefined],
  ])("%s", (...[, process, commands, reason]) => {
    expect(commandRefusal(process, commands)).toBe(reason);
  });

  it("quotes no argument and no value", () => {
    const given = { args: ["--token=s3cret"], env: { TOKEN: "s3cret" }, cwd: "/s3cret" };
    expect(commandRefusal(given, [{ command: "npx", args: [] }])).not.toContain("s3cret");
    expect(commandRefusal(given, ["npx"])).not.toContain("s3cret");
  });
});

describe("servers of the host's own", () => {
  it("are left alone by their id, byte for byte", () => {
    const guard = createConnectionGuard({ except: ["internal"] });
    const url = new URL("http://10.0.0.1/");
    const process = { type: "stdio", command: "x" } as const;
    const answers = (serverId: string): readonly unknown[] => [
      guard.checkUrl(url, { serverId })?.rule,
      guard.checkAddress("10.0.0.1", url, { serverId })?.rule,
      guard.checkCommand(process, { serverId })?.rule,
    ];
    expect(answers("internal")).toEqual([undefined, undefined, undefined]);
    const refused = ["guard.schemes", "guard.privateNetworks", "guard.commands"];
    for (const other of ["Internal", "internal ", "", "__proto__"]) expect(answers(other)).toEqual(refused);
  });
});

describe("options that make no sense", () => {
  it.each<[unknown, string]>([
    [{ host: ["x"] }, "createConnectionGuard() has no option"],
    [{ hosts: "mcp.example" }, "hosts must be a list"],
    [{ hosts: ["https://mcp.example"] }, 'hosts[0]: "https://mcp.example" is no hostname, nor *. and one'],
    [{ hosts: ["a.example", "*example.com"] }, 'hosts[1]: "*example.com"'],
    [{ hosts: ["*"] }, 'hosts[0]: "*"'],
    [{ hosts: ["mcp.example:443"] }, "hosts[0]"],
    [{ hosts: [""] }, "hosts[0]"],
    [{ hosts: [1] }, "hosts must be a list of texts"],
    [{ schemes: [] }, "schemes must be a list that is not empty"],
    [{ schemes: ["https:"] }, 'schemes[0] must be "http" or "https"'],
    [{ ports: [0] }, "ports[0] must be a port"],
    [{ ports: ["443"] }, "ports[0] must be a port"],
    [{ ports: [443, 65_536] }, "ports[1] must be a port"],
    [{ privateNetworks: "10.0.0.0/8" }, "privateNetworks must be a list"],
    [{ privateNetworks: ["10.0.0.0/33"] }, "privateNetworks[0]"],
    [{ privateNetworks: ["10.0.0.1/8"] }, 'privateNetworks[0]: "10.0.0.1/8" has bits behind the first 8'],
    [{ privateNetworks: ["10.0.0.0/8/8"] }, "privateNetworks[0]"],
    [{ privateNetworks: ["10.0.0.0/"] }, "privateNetworks[0]"],
    [{ privateNetworks: ["::ffff:10.0.0.0/104"] }, "privateNetworks[0]"],
    [{ forbiddenNetworks: ["mcp.example"] }, "forbiddenNetworks[0]"],
    [{ unknownAddresses: "maybe" }, 'unknownAddresses: "maybe" is none of allow, refuse'],
    [{ commands: "npx" }, 'commands must be "any" or a list'],
    [{ commands: [" "] }, "commands[0].command must be a text that is not blank"],
    [{ commands: [{ command: "npx", arg: [] }] }, "commands[0] has no option"],
    [{ commands: [{ command: "npx", args: "-y" }] }, "commands[0].args must be a list of texts"],
    [{ commands: [{ command: "npx", env: { PATH: "" } }] }, "commands[0].env must be a list of texts"],
    [{ except: "internal" }, "except must be a list"],
  ])("%j is a TypeError that names the field", (options, message) => {
    // What a product reads from a file has any shape.
    const given = options as never;
    expect(() => createConnectionGuard(given)).toThrow(TypeError);
    expect(() => createConnectionGuard(given)).toThrow(message);
  });
});
