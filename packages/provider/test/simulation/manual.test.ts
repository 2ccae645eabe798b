import { describeSimulation } from "./describe-simulation.ts";

describeSimulation("manual", 100);
