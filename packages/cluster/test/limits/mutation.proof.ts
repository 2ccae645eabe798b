import { fileURLToPath } from "node:url";
import { proveMutants } from "../../../../test/prove-mutants.ts";
import { limitMutants } from "./mutants.ts";

proveMutants("limits that replicas share", fileURLToPath(new URL("../../src/", import.meta.url)), limitMutants);
