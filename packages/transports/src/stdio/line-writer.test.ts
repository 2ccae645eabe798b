import { HostsideError } from "@hostside/core";
import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { LineWriter } from "./line-writer.ts";

type Callback = (error?: Error | null) => void;

/** A stream that takes what is written when the test says so. */
function createPipe() {
  const written: string[] = [];
  const callbacks: Callback[] = [];
  let failure: Error | undefined;
  const stdin = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, callback: Callback) {
      if (failure) return callback(failure);
      written.push(chunk);
      callbacks.push(callback);
    },
  });
  stdin.on("error", () => {});
  return {
    stdin,
    written,
    take: () => callbacks.shift()?.(),
    break: (error: Error) => void (failure = error),
  };
}

const reason = new HostsideError("it ended", { code: "server_exited", serverId: "a" });
const outcome = (promise: Promise<void>) =>
  promise.then(
    () => "sent",
    (error: HostsideError) => `${error.code} ${error.outcome}`,
  );
const turn = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

function open(init: ConstructorParameters<typeof LineWriter>[0]) {
  const writer = new LineWriter(init);
  return {
    write: (line: string) => new Promise<void>((resolve, reject) => writer.post(line, reject, resolve)),
    post: writer.post.bind(writer),
    end: writer.end.bind(writer),
    stop: writer.stop.bind(writer),
  };
}

describe("LineWriter", () => {
  it("joins the lines of one turn into one write, also those sent by microtasks", async () => {
    const { stdin, written } = createPipe();
    const writer = open({ stdin, serverId: "a", maxWaitingLength: 1000 });
    await Promise.resolve();
    void writer.write("1");
    void writer.write("2");
    void Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => writer.write("3"));
    await turn();
    expect(written).toEqual(["1\n2\n3\n"]);
  });

  it("hands over one write at a time and resolves each line when it was taken", async () => {
    const { stdin, written, take } = createPipe();
    const writer = open({ stdin, serverId: "a", maxWaitingLength: 1000 });
    const order: string[] = [];
    void writer.write("1").then(() => order.push("1"));
    await turn();
    void writer.write("2").then(() => order.push("2"));
    await turn();
    expect([written, order]).toEqual([["1\n"], []]);
    take();
    await turn();
    expect([written, order]).toEqual([["1\n", "2\n"], ["1"]]);
  });

  it("refuses with overloaded what would wait beyond the limit, but never a line that is alone", async () => {
    const { stdin, take } = createPipe();
    const writer = open({ stdin, serverId: "a", maxWaitingLength: 10 });
    const first = writer.write("x".repeat(100));
    expect(await outcome(writer.write("y"))).toBe("overloaded not-sent");
    await turn();
    take();
    await first;
    expect(await Promise.race([outcome(writer.write("z".repeat(9))), turn()])).toBeUndefined();
    expect(await outcome(writer.write("y"))).toBe("overloaded not-sent");
  });

  it("knows at the end which lines may have left", async () => {
    const { stdin } = createPipe();
    const writer = open({ stdin, serverId: "a", maxWaitingLength: 1000 });
    const leaving = outcome(writer.write("1"));
    await turn();
    const waiting = outcome(writer.write("2"));
    writer.stop(reason);
    expect(await Promise.all([leaving, waiting, outcome(writer.write("3"))])).toEqual([
      "server_exited unknown",
      "server_exited not-sent",
      "server_exited not-sent",
    ]);
  });

  it("knows that nothing left when the very first attempt fails, and keeps it pending until the reason is known", async () => {
    const { stdin, break: breakPipe } = createPipe();
    const writer = open({ stdin, serverId: "a", maxWaitingLength: 1000 });
    breakPipe(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    const sent = outcome(writer.write("1"));
    expect(await Promise.race([sent, turn()])).toBeUndefined();
    writer.stop(reason);
    expect(await sent).toBe("server_exited not-sent");
  });

  it("tells whoever wants no promise why a line was not sent, once, and nothing of one that was", async () => {
    const { stdin, take } = createPipe();
    const writer = open({ stdin, serverId: "a", maxWaitingLength: 10 });
    const failures: string[] = [];
    const post = (line: string): void =>
      writer.post(line, ({ code, outcome: how }) => failures.push(`${line} ${code} ${how}`));
    post("1");
    await turn();
    take();
    post("2");
    await turn();
    post("3");
    post("4444444");
    expect(failures).toEqual(["4444444 overloaded not-sent"]);
    writer.stop(reason);
    writer.stop(reason);
    post("5");
    await turn();
    expect(failures.slice(1).toSorted()).toEqual([
      "2 server_exited unknown",
      "3 server_exited not-sent",
      "5 server_exited not-sent",
    ]);
  });

  it("sends what is queued before it ends the stream", async () => {
    const { stdin, written, take } = createPipe();
    const writer = open({ stdin, serverId: "a", maxWaitingLength: 1000 });
    const first = outcome(writer.write("1"));
    await turn();
    const second = outcome(writer.write("2"));
    writer.end(reason);
    expect(await outcome(writer.write("3"))).toBe("server_exited not-sent");
    take();
    take();
    await turn();
    expect(written).toEqual(["1\n", "2\n"]);
    expect(stdin.writableEnded).toBe(true);
    take();
    expect(await Promise.all([first, second])).toEqual(["sent", "sent"]);
  });
});
