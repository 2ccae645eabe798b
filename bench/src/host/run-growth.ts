import { measureGrowth } from "./growth/measure-growth.ts";

// Usage: node run-growth.js; prints one line of JSON.
const points = await measureGrowth();
process.stdout.write(`\n${JSON.stringify(points)}\n`, () => process.exit(0));
