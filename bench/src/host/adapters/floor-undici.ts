// oxlint-disable-next-line typescript/triple-slash-reference -- the module has no types of its own
/// <reference path="./undici-client.d.ts" />
import type { Client } from "undici";
import UndiciClient from "undici/lib/dispatcher/client.js";
import type { CreateContender } from "../contender.ts";
import { bareAnswer, floor } from "./floor.ts";

/**
 * The floor with what Hostside stands on in place of `node:http`: undici's client, one for each
 * socket, and nothing around it.
 */
export const create: CreateContender = async () => floor("floor (undici)", openHttp);

function openHttp(url: string): ReturnType<Parameters<typeof floor>[1]> {
  const { origin, pathname: path } = new URL(url);
  const all: Client[] = [];
  const idle: Client[] = [];
  const headers = ["content-type", "application/json", "accept", "application/json, text/event-stream"];
  let lastId = 0;
  const open = (): Client => {
    const client = new UndiciClient(origin);
    all.push(client);
    return client;
  };
  return {
    exchange: (method, params) =>
      new Promise((resolve, reject) => {
        const client = idle.pop() ?? open();
        const body = JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params });
        const chunks: Buffer[] = [];
        client.dispatch(
          { path, method: "POST", headers, body },
          {
            onRequestStart: ignore,
            onResponseStart: ignore,
            onResponseData: (_controller, chunk) => void chunks.push(chunk),
            onResponseEnd() {
              idle.push(client);
              resolve((JSON.parse(bareAnswer(Buffer.concat(chunks).toString())) as { result: object }).result);
            },
            onResponseError: (_controller, error) => reject(error),
          },
        );
      }),
    close() {
      for (const client of all) void client.destroy();
    },
  };
}

function ignore(): void {}
