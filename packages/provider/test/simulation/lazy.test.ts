import { describeSimulation } from "./describe-simulation.ts";

describeSimulation("lazy", 100);
