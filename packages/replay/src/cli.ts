// The program `hostside-replay`.
export { main } from "./serve/main.ts";
