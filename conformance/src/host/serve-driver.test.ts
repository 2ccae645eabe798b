import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { serveDriver } from "./serve-driver.ts";

it("ends a request at a newline, and at nothing else that some call a line break", async () => {
  const [input, output] = [new PassThrough(), new PassThrough().setEncoding("utf8")];
  const seen: unknown[] = [];
  const hello = { name: "host", version: "1", features: [] };
  const served = serveDriver({ hello, input, output, host: { call: ({ args }) => ({ content: [args] }) } });
  output.on("data", (line: string) => seen.push(JSON.parse(line)));
  const text = "a\u2028b\u2029c\u0085d\ve";
  const request = `${JSON.stringify({ id: 1, verb: "call", args: { text } })}\n`;
  for (const byte of Buffer.from(request)) input.write(Buffer.of(byte));
  input.end("\r\n");
  await served;
  await expect.poll(() => seen).toEqual([{ id: 1, ok: true, value: { content: [{ text }] } }]);
});
