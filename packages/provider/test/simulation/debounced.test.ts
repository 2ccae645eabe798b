import { describeSimulation } from "./describe-simulation.ts";

describeSimulation("debounced", 100);
