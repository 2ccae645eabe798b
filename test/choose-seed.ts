import { configureGlobal } from "fast-check";

// Properties look at the same cases in every run, so that a change is judged by itself.
// `HOSTSIDE_SEED=7 pnpm test` looks at others, and so does `pnpm soak`; a failure prints its seed
// and path either way.
configureGlobal({ seed: Number(process.env["HOSTSIDE_SEED"] ?? 1) });
