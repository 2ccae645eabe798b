// The program `toolport-replay`.
export { main } from "./serve/main.ts";
