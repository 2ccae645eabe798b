import type { CreateContender } from "../contender.ts";
import { bareAnswer, floor } from "./floor.ts";

/** The floor with the global `fetch` instead of `node:http`: what most clients stand on. */
export const create: CreateContender = async () =>
  floor("floor (fetch)", (url) => {
    let lastId = 0;
    return {
      async exchange(method, params) {
        const body = JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params });
        const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
        const response = await fetch(url, { method: "POST", headers, body });
        return (JSON.parse(bareAnswer(await response.text())) as { result: { content?: { text: string }[] } }).result;
      },
      close: () => {},
    };
  });
