import { describeSimulation } from "./describe-simulation.ts";

describeSimulation("debounced", 1000);
