import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { cpuSecondsOf } from "../../../../../test/cpu-seconds.ts";
import { compileSchema } from "./compile-schema.ts";
import { formatChecks } from "./formats.ts";

const texts: Readonly<Record<string, readonly [good: readonly string[], bad: readonly string[]]>> = {
  "date-time": [
    [
      "1963-06-19T08:30:06.283185Z",
      "1990-12-31t23:59:60z",
      "1990-12-31T15:59:60.123-08:00",
      "2024-02-29T00:00:00+23:59",
    ],
    [
      "1990-02-31T15:59:59Z",
      "1990-12-31T15:59:59",
      "1998-12-31T23:58:60Z",
      "1963-06-19 08:30:06Z",
      "2013-350T01:01:01",
      "",
    ],
  ],
  date: [
    ["1963-06-19", "2000-02-29", "2024-02-29"],
    [
      "1900-02-29",
      "2021-02-29",
      "1963-04-31",
      "1963-13-01",
      "1963-00-01",
      "1963-01-00",
      "06/19/1963",
      "1963-06-1৪",
      "1963-6-19",
    ],
  ],
  time: [
    ["08:30:06Z", "08:30:06.1+05:30", "23:59:60Z", "01:29:60+01:30", "23:29:60+23:30"],
    ["24:00:00Z", "08:30:06", "08:30Z", "22:59:60Z", "08:30:06+24:00", "08:30:06.Z", "8:30:06Z"],
  ],
  email: [
    [
      "joe.bloggs@example.com",
      '"joe bloggs"@example.com',
      "te~st@example.com",
      "a@[127.0.0.1]",
      "a@[IPv6:::1]",
      '"a@b"@c',
    ],
    [
      "2962",
      "joe bloggs@example.com",
      ".test@example.com",
      "te..st@example.com",
      "a@",
      "@a",
      "a@-b",
      "a@[300.0.0.1]",
      "a@b\n",
    ],
  ],
  uri: [
    [
      "http://foo.bar/?baz=qux#quux",
      "urn:oasis:names:x",
      "mailto:a@b.c",
      "http://[2001:db8::7]:80/",
      "ftp://u:p@h/p%20q",
      "a:",
    ],
    [
      "//foo.bar",
      "/abc",
      "http://a b",
      "http://a/%zz",
      "http:// x",
      "bar,baz:a",
      "http://[::1",
      "http://a]/",
      "http://a:b/",
      "\\\\x",
      "http://a@b@c",
    ],
  ],
  uuid: [
    ["2EB8AA08-aa98-11ea-b4aa-73b441d16380"],
    ["2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4ga-73b441d16380"],
  ],
  ipv4: [
    ["192.168.0.1", "0.0.0.0", "255.255.255.255"],
    ["127.0.0", "127.0.0.0.1", "256.1.1.1", "087.10.0.1", "0x7f.0.0.1", "1.2.3.", "1২7.0.0.1", "192.168.1.0/24"],
  ],
  ipv6: [
    ["::1", "::", "1:2:3:4:5:6:7:8", "1::8", "::ffff:192.168.0.1", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7::"],
    [
      "12345::",
      "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9",
      "::1::",
      ":1",
      "1:",
      "::1.2.3",
      "1.2.3.4::",
      "fe80::a%eth1",
      "1:2:3:4:5:6:7:8::",
      ":::",
    ],
  ],
};

describe("formatChecks", () => {
  it.each(Object.entries(texts))("know a text of %s, and what is none", (format, [good, bad]) => {
    const check = formatChecks.get(format) ?? (() => undefined);
    expect(Object.fromEntries(good.map((text) => [text, check(text)]))).toEqual(
      Object.fromEntries(good.map((text) => [text, true])),
    );
    expect(Object.fromEntries(bad.map((text) => [text, check(text)]))).toEqual(
      Object.fromEntries(bad.map((text) => [text, false])),
    );
  });

  it("are all tried here", () => {
    expect(Object.keys(texts)).toEqual(Array.from(formatChecks.keys()));
  });

  it("hold for texts alone, and only where they are to be asserted; a format that is not known is a note", async () => {
    const loadPatternEngine = async () => RE2JS;
    const schema = { items: { format: "ipv4" } };
    const asserted = await compileSchema(schema, { loadPatternEngine, formats: "assert" });
    expect(asserted.check([1, null, "127.0.0.1"])).toEqual({ kind: "valid" });
    expect(asserted.check(["x"])).toEqual({
      kind: "invalid",
      violations: [{ path: "/0", keyword: "format", message: "must be a text of the format ipv4" }],
    });
    expect((await compileSchema(schema, { loadPatternEngine })).check(["x"])).toEqual({ kind: "valid" });
    const unknown = await compileSchema({ format: "iri" }, { loadPatternEngine, formats: "assert" });
    expect(unknown.check("x")).toEqual({ kind: "valid" });
  });

  it("take as long as the text is, whatever it is", async () => {
    const hostile = ["a-", "a.", "a:", "%41", "1", "::", '\\"', "@", "t0", "[a"].map((piece) =>
      piece.repeat(5000).slice(0, 10_000),
    );
    const checkAll = (): void => {
      for (const [, check] of formatChecks) {
        for (const text of hostile)
          for (const given of [text, `"${text}`, `a@${text}`, `a://${text}`, `${text}!`]) check(given);
      }
    };
    // 400 texts of 10 KB; what backtracks takes minutes.
    expect(await cpuSecondsOf(checkAll)).toBeLessThan(3);
  });
});
