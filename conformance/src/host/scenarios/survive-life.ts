import type { FaultRule } from "@hostside/fixtures";
import { legacySpec } from "../../server/checks/define-check.ts";
import { scenariosOf, type HostScenario } from "../host-scenario.ts";
import { everywhere, overStdio, stdioAndHttp } from "../host-venue.ts";
import type { Stage } from "../stage.ts";
import { must } from "../violation.ts";
import { callWell, describeCall, mustLeaveNoProcess, onCallWith, succeeded, ruleOn } from "./judge-calls.ts";

const deafToEverything = [ruleOn("request")];
const stubborn = [ruleOn("stdin-end"), ruleOn("SIGTERM")];
const shutdown = legacySpec("basic/lifecycle", "Shutdown");
const endAll = "End stdin, then send SIGTERM, then SIGKILL, to the whole process group, each after a bounded wait.";

/** Servers that do not start, hold others up, or will not end. */
export const surviveLife: readonly HostScenario[] = scenariosOf("survive", {
  "crash-before-handshake": {
    title: "A server that exits at once costs its own tools only",
    level: "MUST",
    legal: ["init ends, the other server works, and the one that failed offers nothing"],
    fix: "Treat a failed start as that server's status.",
    over: ["stdio"],
    async run(stage) {
      const refusal: FaultRule["do"] = [
        { type: "write", to: "stderr", bytes: "no licence\n" },
        { type: "exit", code: 3 },
      ];
      const [, beta] = await stage.startTwo({ rules: [{ on: "start", do: refusal }] });
      await callWell(stage, beta, "meanwhile");
      const { tools } = await stage.host.snapshot();
      must(!tools.some(({ serverId }) => serverId === "alpha"), "a server that never answered offers tools");
      return "the other server works";
    },
  },
  "hang-at-start-blocks-nobody": {
    title: "A server that never answers the handshake delays no other, and closing does not wait for it",
    level: "MUST",
    legal: [
      "the other server's tool can be called while the first still connects; close ends init, too, and leaves no process",
    ],
    fix: "Connect to all servers at once, publish each when it is ready, and give up connecting on close.",
    over: ["stdio", "http", "http-2026"],
    async run(stage) {
      const connectMs = stage.patienceMs * 3;
      const alpha = await stage.serve("alpha", { rules: deafToEverything, connectMs });
      const beta = await stage.serve("beta");
      const init = stage.host.init([alpha.spec, beta.spec]);
      init.catch(() => {});
      await stage.happens("the server that hangs was never asked", alpha.server.occurred("request"));
      await callWell(stage, beta, "while the other hangs");
      const { ok } = await stage.host.close();
      must(ok, "close failed");
      await stage.happens("init does not end with close", init);
      await mustLeaveNoProcess(stage, alpha, beta);
      return "the other server worked meanwhile";
    },
  },
  "hang-at-start-ends": {
    title: "A connection attempt is over by its deadline",
    level: "MUST",
    source: legacySpec("basic/lifecycle", "Timeouts"),
    legal: ["init ends soon after connectMs; no process of the server stays"],
    fix: "Bound the whole attempt, fallbacks included, and end the process when the time is up.",
    over: stdioAndHttp,
    async run(stage) {
      // Longer than a process takes to start on a busy machine: a server that was ended before it
      // could read shows nothing.
      const [alpha, beta] = await stage.startTwo({ rules: deafToEverything, connectMs: 2000 });
      must(alpha.received().length > 0, "the server that hangs was never asked");
      await callWell(stage, beta, "after the deadline");
      return "init ended";
    },
  },
  isolation: {
    title: "A server that does not answer, or dies, changes nothing for another one",
    level: "MUST",
    legal: ["the other server's calls work, its names stay, and its session is the same"],
    fix: "Share nothing between servers: no queue, no lock, no deadline.",
    over: stdioAndHttp,
    async run(stage) {
      const [alpha, beta] = await stage.startTwo({ rules: [ruleOn("tools/call")] });
      const before = await stage.tool(beta);
      const { name } = await stage.tool(alpha);
      const stuck = stage.host.startCall(name, { text: "stuck" }, { timeoutMs: stage.patienceMs });
      await stage.happens("the call did not reach its server", alpha.server.occurred("tools/call"));
      let over = false;
      void stuck.settled.finally(() => (over = true)).catch(() => {});
      await callWell(stage, beta, "meanwhile");
      must(!over, "the call that nobody answered was over before the other one");
      void alpha.server.perform([{ type: "exit", code: 9 }]).catch(() => {});
      if (stage.venue === "stdio") await stuck.settled;
      await callWell(stage, beta, "after the crash");
      must((await stage.tool(beta)).name === before.name, "the other server's tool has another name now");
      const sessions = beta.received("initialize").length;
      must(sessions === 1, `the other server was connected to ${sessions} times`);
      return "the other server did not notice";
    },
  },
  "concurrent-calls": {
    title: "Calls to one server that are answered out of order get their own answers",
    level: "MUST",
    legal: ["the second call is answered while the first waits, and each has its own text"],
    fix: "Keep calls by id; do not queue them behind each other unless the user asked for it.",
    over: everywhere,
    async run(stage) {
      const slow = onCallWith("slow", { type: "hold", barrier: "slow" }, { type: "proceed" });
      const alpha = await stage.start({ rules: [slow] });
      const first = await stage.startCall(alpha, { text: "slow" });
      await stage.happens("the first call did not reach the server", alpha.server.reached("slow"));
      await callWell(stage, alpha, "fast");
      alpha.server.open("slow");
      const reported = await first.settled;
      must(
        succeeded(reported) && JSON.stringify(reported).includes("slow"),
        `the first call brought ${describeCall(reported)}`,
      );
      return "each call got its own answer";
    },
  },
  "close-leaves-nothing": {
    title: "After close no server process is left",
    level: "MUST",
    source: shutdown,
    legal: ["every process is gone when close is answered, or a moment later"],
    fix: endAll,
    over: overStdio,
    run: (stage) => closeAndLook(stage, []),
  },
  "close-despite-stubbornness": {
    title: "A server that ignores the end of stdin and SIGTERM is ended all the same",
    level: "MUST",
    source: shutdown,
    legal: ["every process is gone when close is answered, or a moment later"],
    fix: endAll,
    over: ["stdio"],
    run: (stage) => closeAndLook(stage, stubborn),
  },
  "close-with-grandchild": {
    title: "A process that the server started, and that holds its stdout, is ended with it",
    level: "MUST",
    legal: ["close is answered, and every process is gone"],
    fix: "Start servers in a process group of their own, and end the group. Wait for exit, not for the pipes to close.",
    over: ["stdio"],
    run: (stage) =>
      closeAndLook(stage, [
        ruleOn("initialize", { type: "fork", keeps: ["stdout"], ignoresSigterm: true }, { type: "proceed" }),
      ]),
  },
  "close-during-call": {
    title: "Close ends calls that are under way",
    level: "MUST",
    legal: ["the call ends with an error, close is answered, and no process is left"],
    fix: "Reject what is pending before the connection is taken down.",
    over: ["stdio", "http", "http-2026"],
    async run(stage) {
      const alpha = await stage.start({ rules: [ruleOn("tools/call")] });
      const call = await stage.startCall(alpha, { text: "pending" });
      await stage.happens("the call did not reach its server", alpha.server.occurred("tools/call"));
      must((await stage.host.close()).ok, "close failed");
      const reported = await stage.happens("the call is still pending after close", call.settled);
      must(!succeeded(reported), `a call that nobody answered brought ${describeCall(reported)}`);
      await mustLeaveNoProcess(stage, alpha);
      return describeCall(reported);
    },
  },
});

async function closeAndLook(stage: Stage, rules: readonly FaultRule[]): Promise<string> {
  const alpha = await stage.start({ rules });
  await callWell(stage, alpha, "before close");
  must(alpha.livePids().length > 0, "no process of the server was ever seen");
  must((await stage.host.close()).ok, "close failed");
  await mustLeaveNoProcess(stage, alpha);
  const said = await stage.host.children();
  must(said === undefined || said === 0, `no process is left, and the host says that it has ${said}`);
  return "no process is left";
}
