import { describeLifecycle } from "../../provider/test/processes/lifecycle-scenarios.ts";
import { transportRows } from "../../provider/test/processes/transport-rows.ts";
import { describeCallers } from "./caller-scenarios.ts";
import { openBehindGateway } from "./lifecycle-host.ts";

// All of them are in the proof.
const rows = transportRows.filter(({ transport, era }) => transport === "http" && era === "legacy");
describeLifecycle(rows, openBehindGateway);
describeCallers(rows);
