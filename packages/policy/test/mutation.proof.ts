import { fileURLToPath } from "node:url";
import { proveMutants } from "../../../test/prove-mutants.ts";
import { allMutants } from "./mutants/all-mutants.ts";

proveMutants("the policy", fileURLToPath(new URL("../src/", import.meta.url)), allMutants);
