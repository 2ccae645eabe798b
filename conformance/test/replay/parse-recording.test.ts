import { isHostsideError } from "@hostside/core";
import { createReplay, parseRecording, readRecording } from "@hostside/conformance/replay";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const header = '{"hostside":"recording","version":1}';
const server = '{"type":"server","id":"one","transport":{"type":"stdio","command":"node"}}';
const start = '{"type":"start","server":"one","run":1}';
const end = '{"type":"end","masked":0}';
const lines = (...parts: readonly string[]): string => `${parts.join("\n")}\n`;

function failureOf(text: string): string {
  try {
    parseRecording(text, "bug.jsonl");
  } catch (error) {
    if (isHostsideError(error) && error.code === "invalid_recording") return error.rawMessage;
    throw error;
  }
  throw new Error("it was read");
}

function isReadOrRefused(text: string): boolean {
  try {
    parseRecording(text);
    return true;
  } catch (error) {
    return isHostsideError(error, "invalid_recording");
  }
}

describe("parseRecording()", () => {
  it("passes over members that it does not know", () => {
    const { events } = parseRecording(lines(header, server, '{"at":7,' + start.slice(1), end));
    expect(events).toEqual([{ type: "start", server: "one", run: 1, line: 3 }]);
  });

  it.each([
    ["nothing", "", "bug.jsonl is empty"],
    [
      "another file",
      lines('{"servers":{}}'),
      'bug.jsonl:1: no recording: its first line must begin with {"hostside":"recording"',
    ],
    [
      "a version without a number",
      lines('{"hostside":"recording"}'),
      "bug.jsonl:1: version must be a positive integer",
    ],
    ["a later version", lines('{"hostside":"recording","version":2}'), "update @hostside/conformance"],
    ["a line that is no JSON", lines(header, '{"type": nonsense}'), "bug.jsonl:2: no JSON: Unexpected token"],
    ["a line that is no object", lines(header, "[]"), "bug.jsonl:2: each line must be a JSON object"],
    [
      "an unknown type",
      lines(header, '{"type":"dance","run":1}'),
      "bug.jsonl:2: type is none of those that a recording has",
    ],
    ["a type that every object has", lines(header, '{"type":"__proto__","run":1}'), "type is none of those"],
    ["an unknown server", lines(header, start), 'bug.jsonl:2: server "one" was not introduced'],
    [
      "a run that never began",
      lines(header, server, '{"type":"stdin-end","run":7}'),
      "bug.jsonl:3: run 7 has not begun",
    ],
    ["a run that began twice", lines(header, server, start, start), "bug.jsonl:4: run 1 began before"],
    [
      "a run of another transport",
      lines(header, server, '{"type":"request","server":"one","run":1,"method":"GET","url":"/"}'),
      "request is not for a server",
    ],
    [
      "a wrong member",
      lines(header, server, start, '{"type":"exit","run":1,"code":"x","signal":null}'),
      "bug.jsonl:4: code is not what such an event has there",
    ],
    [
      "what is nested too deeply",
      lines(header, `{"type":"sent","run":1,"message":${"[".repeat(200)}${"]".repeat(200)}}`),
      "nested more than 150 deep",
    ],
    [
      "a transport that starts nothing",
      lines(header, '{"type":"server","id":"one","transport":{"type":"ftp"}}'),
      "transport must be of the type",
    ],
  ])("refuses %s", (_, text, message) => {
    expect(failureOf(text)).toContain(message);
  });

  it("leaves out a last line that was cut off, and says so", () => {
    const { events, problems } = parseRecording(`${lines(header, server, start)}{"type":"sent","ru`);
    expect(events).toHaveLength(1);
    expect(problems[0]).toBe("line 4 was cut off and is left out");
    expect(problems[1]).toContain("its end was never written");
  });

  it("says what there was no room for, and nothing of one that is whole", () => {
    expect(parseRecording(lines(header, server, start, end)).problems).toEqual([]);
    expect(parseRecording(lines(header, '{"type":"end","masked":0,"dropped":3}')).problems).toEqual([
      "3 events are missing: there was no room for them",
    ]);
  });

  it("fails with invalid_recording alone, or reads, whatever it is given", () => {
    const part = fc.constantFrom(
      header,
      server,
      start,
      end,
      "{",
      "null",
      '{"type":"exit","run":1,"code":1,"signal":null}',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(part, fc.json(), fc.string()), { maxLength: 8 }), (parts) => {
        expect(isReadOrRefused(parts.join("\n"))).toBe(true);
      }),
    );
  });
});

describe("readRecording()", () => {
  it("names a file that cannot be read", async () => {
    await expect(readRecording("/nowhere/bug.jsonl")).rejects.toMatchObject({ code: "invalid_recording" });
    await expect(createReplay("/nowhere/bug.jsonl")).rejects.toThrow("/nowhere/bug.jsonl cannot be read (ENOENT)");
  });
});
