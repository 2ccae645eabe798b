import { overStdio, proceed, rule, type Mutant } from "./mutant.ts";

/** Servers that behave badly as a process. */
export const stdioMutants: readonly Mutant[] = [
  overStdio("banner", "greets on stdout", {
    rules: [rule("start", undefined, { type: "write", bytes: "Server is running!\n" })],
    fails: ["stdio/stdout-purity"],
  }),
  overStdio("logs-listings", "logs listings on stdout", {
    rules: [rule("tools/list", undefined, { type: "write", bytes: "listing tools\n" }, proceed)],
    fails: ["stdio/stdout-purity"],
  }),
  overStdio("says-goodbye", "says goodbye on stdout", {
    rules: [rule("stdin-end", undefined, { type: "write", bytes: "bye\n" }, { type: "exit", code: 0 })],
    fails: ["stdio/stdout-purity"],
  }),
  overStdio("logs-calls", "logs calls on stdout", {
    rules: [rule("tools/call", { "params.arguments.text": "x" }, { type: "write", bytes: "called\n" }, proceed)],
    fails: ["stdio/stdout-purity"],
  }),
  overStdio("heartbeat", "writes a heartbeat to stdout in its third process", {
    rules: [rule("start", { process: 3 }, { type: "write", bytes: "still alive\n" })],
    fails: ["stdio/stdout-purity"],
  }),
  overStdio("dies-after-handshake", "ends right after it answered initialize", {
    rules: [rule("initialize", undefined, proceed, { type: "exit", code: 1 })],
    fails: ["lifecycle/goes-on"],
  }),
  overStdio("dies-after-listing", "ends right after it listed its tools", {
    rules: [rule("tools/list", undefined, proceed, { type: "exit", code: 1 })],
    fails: ["tools/list"],
  }),
  odd("dies-while-idle", "ends with code 1 some time after it listed its tools", ["stdio/unexpected-exit"]),
  overStdio("stays-after-input", "stays when its stdin ends", {
    rules: [rule("stdin-end", undefined)],
    fails: ["stdio/exits-on-end-of-input"],
  }),
  overStdio("fails-at-the-end", "ends with code 1 when its stdin ends", {
    rules: [rule("stdin-end", undefined, { type: "exit", code: 1 })],
    fails: ["stdio/exits-on-end-of-input"],
  }),
  overStdio("ignores-sigterm", "ignores SIGTERM", {
    rules: [rule("SIGTERM", undefined)],
    fails: ["stdio/exits-on-sigterm"],
  }),
  overStdio("leaves-a-child", "leaves a child process behind", {
    rules: [rule("start", undefined, { type: "fork" })],
    fails: ["stdio/leaves-no-process-behind"],
  }),
  overStdio("leaves-a-detached-child", "leaves a detached child process behind, which has a group of its own", {
    rules: [rule("start", undefined, { type: "fork", detached: true })],
    fails: ["stdio/leaves-no-process-behind"],
  }),
  overStdio("floods-stderr", "writes 100 KB of stderr before it is asked anything", {
    rules: [
      rule("start", undefined, { type: "write", to: "stderr", bytes: { repeat: "debug: still here\n", times: 6000 } }),
    ],
    fails: ["stdio/stderr-volume"],
  }),
  odd("decodes-each-read", "decodes each read by itself", ["stdio/split-writes"]),
  odd("forgets-unfinished-line", "drops what a read leaves of a line", ["stdio/split-writes"]),
  odd("drops-rest-of-read", "drops what comes in one read with a notification", ["stdio/merged-writes"]),
  odd("ends-the-process-before", "ends the process that was started before it", ["stdio/second-process"]),
  odd("dies-of-garbage", "ends when a line is no JSON", ["stdio/survives-garbage"]),
  odd("dies-of-blank-line", "ends when a line is empty", ["stdio/survives-garbage"]),
];

function odd(id: string, wrong: string, fails: readonly string[]): Mutant {
  return { id, wrong, transport: "stdio", script: id, fails };
}
