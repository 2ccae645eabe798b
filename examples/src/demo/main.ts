import { createPrinter } from "./printer.ts";
import { runDemo } from "./run-demo.ts";

const passed = await runDemo(createPrinter(process.stdout, process.env));
process.exitCode = passed ? 0 : 1;
