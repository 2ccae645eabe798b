import { startFaultServer, type Fault, type FaultTransport } from "@hostside/fixtures";
import { createRecorder, createReplay, parseRecording } from "@hostside/conformance/replay";
import { createConnector } from "@hostside/transports";
import { converse, type Deed, type Seen } from "./converse.ts";

const deeds: readonly Deed[] = [
  { kind: "list" },
  { kind: "call", name: "echo", args: { text: "one" } },
  { kind: "call", name: "append", args: { text: "two" } },
  { kind: "call", name: "echo", args: { text: "three" } },
  { kind: "list" },
];

/** What a host sees of a fault, and what it sees of its recording. */
export async function replayFault(
  fault: Fault,
  transport: FaultTransport,
): Promise<{ readonly live: Seen; readonly replayed: Seen; readonly text: string }> {
  // A process of its own costs more than all the rest.
  const runIn = JSON.stringify(fault.script).includes('"type":"exit"') ? "child" : "process";
  await using server = await startFaultServer({ script: fault.script, transport, runIn });
  const spec = {
    id: "faulty",
    ...server.spec,
    // The ping after three calls without an answer, and the listing that is asked for at that
    // moment, must not end together: which is first would be chance.
    timeouts: { connectMs: 4000, callMs: 1500, listMs: 1500, requestMs: 1000, closeMs: 300 },
    // A listing without end is over after so many pages, however long these take.
    limits: { maxPages: 20 },
  };
  let text = "";
  const recorder = createRecorder({ to: (line) => void (text += line) });
  const live = await converse(createConnector({ effects: recorder.effects }), spec, deeds);
  recorder.close();
  const replay = await createReplay(parseRecording(text));
  const replayed = await converse(replay.connector, spec, deeds);
  return { live, replayed, text };
}
