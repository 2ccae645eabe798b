import { isDeepStrictEqual } from "node:util";
import { startFaultServer, type Fault, type FaultTransport } from "@toolport/fixtures";
import { createRecorder, createReplay, parseRecording } from "@toolport/replay";
import { createConnector } from "@toolport/transports";
import { converse, type Deed, type Seen } from "./converse.ts";

const deeds: readonly Deed[] = [
  { kind: "list" },
  { kind: "call", name: "echo", args: { text: "one" } },
  { kind: "call", name: "append", args: { text: "two" } },
  { kind: "call", name: "echo", args: { text: "three" } },
  { kind: "list" },
];

/** What a host saw of a fault, and of its recording. */
export interface Replayed {
  readonly live: Seen;
  readonly replayed: Seen;
  readonly text: string;
}

/** How much longer the deadlines are where one of them may have ended what a busy machine made late. */
const morePatience = 4;

/**
 * Records a fault and plays it back. Where the two differ and one of them met a deadline, both are done again with longer ones: a busy machine makes one
 * side late, and what is wrong stays so.
 */
export async function replayFault(fault: Fault, transport: FaultTransport): Promise<Replayed> {
  const first = await replayOnce(fault, transport, 1);
  const isLate = /_timeout"/.test(JSON.stringify([first.live, first.replayed]));
  if (!isLate || isDeepStrictEqual(first.replayed, first.live)) return first;
  return replayOnce(fault, transport, morePatience);
}

async function replayOnce(fault: Fault, transport: FaultTransport, patience: number): Promise<Replayed> {
  // A process of its own costs more than all the rest.
  const runIn = JSON.stringify(fault.script).includes('"type":"exit"') ? "child" : "process";
  await using server = await startFaultServer({ script: fault.script, transport, runIn });
  const answerMs = 1500 * patience;
  const spec = {
    id: "faulty",
    transport: server.spec,
    timeouts: { connectMs: 4000 * patience, callMs: answerMs, listMs: answerMs, requestMs: answerMs, closeMs: 300 },
    // A listing without end is over after so many pages, however long these take.
    limits: { maxPages: 20 },
  };
  let text = "";
  const recorder = createRecorder({ to: (line) => void (text += line) });
  const live = await converse(createConnector({ effects: recorder.effects }), spec, deeds);
  recorder.close();
  using replay = await createReplay(parseRecording(text));
  const replayed = await converse(replay.connector, spec, deeds);
  return { live, replayed, text };
}
