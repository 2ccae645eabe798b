import { describeLifecycle } from "../../provider/test/processes/lifecycle-scenarios.ts";
import { transportRows } from "../../provider/test/processes/transport-rows.ts";
import { describeCallers } from "./caller-scenarios.ts";
import { openBehindGateway } from "./lifecycle-host.ts";

describeLifecycle(transportRows, openBehindGateway);
describeCallers(transportRows);
