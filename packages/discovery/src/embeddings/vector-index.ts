import {
  isHostsideError,
  cleanText,
  type Cancel,
  type Clock,
  type Diagnostic,
  type Store,
  type ToolDefinition,
} from "@hostside/core";
import { doStep } from "@hostside/core/implement";
import type { RankedSource } from "../ranking/embedding-ranker.ts";
import { failureText, type EmbeddingEndpoint } from "./embedding-endpoint.ts";
import { quantize, readVector, writeVector, type ToolVector } from "./tool-vector.ts";
import { readSentences } from "../catalog/read-sentences.ts";
import { stripPreface } from "../catalog/strip-preface.ts";

/** How far an index is; tools of the very same words count once. */
export interface IndexProgress {
  /** Tools whose vectors are there. */
  readonly ready: number;
  /** Tools that are still to be embedded. */
  readonly pending: number;
  /** Tools whose texts the model does not take; they are not tried again. */
  readonly refused: number;
}

/** What an index is made from. */
export interface VectorIndexInit {
  readonly id: string;
  readonly endpoint: EmbeddingEndpoint;
  readonly store: Store | undefined;
  readonly include: (definition: ToolDefinition) => boolean;
  readonly clock: Clock;
  readonly report: (diagnostic: Diagnostic) => void;
}

const maxTools = 20_000;
const mostTexts = 64;
// A text that was refused so often is not sent again.
const mostRefusals = 3;
// Who refuses so many one after the other is asked for what it does not have.
const mostRefusedInARow = 8;
const keptMs = 2_592_000_000;
const storeStepMs = 5000;
// A store that is down is not asked for every tool again.
const storeRestMs = 60_000;
// Bad Request, Payload Too Large and Unprocessable Content are about what was sent.
const aboutTexts: ReadonlySet<number> = new Set([400, 413, 422]);

/**
 * The vectors of all tools that its sources offer, built and kept up to date in the background, one
 * batch after the other.
 */
export class VectorIndex {
  readonly #init: VectorIndexInit;
  readonly #sources = new Set<RankedSource>();
  /** `undefined` of a definition that is not embedded. */
  readonly #texts = new WeakMap<ToolDefinition, string | undefined>();
  readonly #vectors = new Map<string, ToolVector>();
  readonly #refusals = new Map<string, number>();
  #offered: ReadonlySet<string> = new Set();
  #batchSize = mostTexts;
  #refusedInARow = 0;
  #storeRestsUntil = Number.NEGATIVE_INFINITY;
  #saidTooMany = false;
  #running: Promise<void> | undefined;
  #cancelRetry: Cancel = () => {};
  #closed = false;

  constructor(init: VectorIndexInit) {
    this.#init = init;
  }

  get progress(): IndexProgress {
    const ready = Array.from(this.#offered).filter((text) => this.#vectors.has(text)).length;
    const refused = Array.from(this.#offered).filter((text) => this.#isRefused(text)).length;
    return { ready, refused, pending: this.#offered.size - ready - refused };
  }

  /** `undefined` while there is no vector; `"left-out"` of a tool that is not to have one. */
  find(definition: ToolDefinition): ToolVector | "left-out" | undefined {
    const text = this.#textOf(definition);
    return text === undefined ? "left-out" : this.#vectors.get(text);
  }

  /** Embeds what a source offers now and later, and forgets what no source offers any more. */
  follow(source: RankedSource): Cancel {
    this.#sources.add(source);
    const unsubscribe = source.onToolsChanged(() => this.#start());
    this.#start();
    return () => {
      unsubscribe();
      if (this.#sources.delete(source)) this.#start();
    };
  }

  /** Forgets vectors of another length: a store had them of another model with the same id. */
  keepOnly(dimensions: number): void {
    for (const [text, { bytes }] of this.#vectors) if (bytes.length !== dimensions) this.#vectors.delete(text);
    this.#start();
  }

  /** Resolves when nothing is left to do, or nothing can be done for now. */
  async whenIdle(): Promise<void> {
    await this.#running;
  }

  close(): void {
    this.#closed = true;
    this.#cancelRetry();
    this.#sources.clear();
    this.#vectors.clear();
    this.#offered = new Set();
  }

  #start(): void {
    if (this.#closed || this.#running !== undefined) return;
    this.#cancelRetry();
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    // Never in the middle of whoever changed something, and once for many changes.
    await Promise.resolve();
    let canGoOn = true;
    while (canGoOn && !this.#closed) {
      this.#readOffer();
      const missing = Array.from(this.#offered).filter((text) => !this.#vectors.has(text) && !this.#isRefused(text));
      if (missing.length === 0) break;
      canGoOn = await this.#embed(await this.#readStored(missing.slice(0, mostTexts)));
    }
    this.#running = undefined;
    if (canGoOn || this.#closed) return;
    this.#cancelRetry = this.#init.clock.schedule(Math.max(1000, this.#init.endpoint.restMs()), () => this.#start());
  }

  #readOffer(): void {
    const offered = new Set<string>();
    for (const definition of Array.from(this.#sources).flatMap((source) => source.tools())) {
      const text = this.#textOf(definition);
      if (text === undefined || offered.has(text)) continue;
      if (offered.size < maxTools) offered.add(text);
      else this.#sayTooMany();
    }
    this.#offered = offered;
    for (const text of this.#vectors.keys()) if (!offered.has(text)) this.#vectors.delete(text);
    for (const text of this.#refusals.keys()) if (!offered.has(text)) this.#refusals.delete(text);
  }

  #textOf(definition: ToolDefinition): string | undefined {
    if (!this.#texts.has(definition)) {
      this.#texts.set(definition, isIncluded(this.#init, definition) ? toolText(definition) : undefined);
    }
    return this.#texts.get(definition);
  }

  #isRefused(text: string): boolean {
    return (this.#refusals.get(text) ?? 0) >= mostRefusals;
  }

  /** Embeds in batches. Resolves with whether the endpoint may be asked for more. */
  async #embed(texts: readonly string[]): Promise<boolean> {
    for (let at = 0; at < texts.length;) {
      if (this.#init.endpoint.restMs() > 0) return false;
      const batch = texts.slice(at, at + this.#batchSize);
      const refused: string[] = [];
      if (!(await this.#embedBatch(batch, refused))) return false;
      // Who refuses everything may not like the request rather than the texts.
      const isTheTexts = refused.length < batch.length;
      for (const text of refused) {
        this.#refusals.set(text, isTheTexts ? mostRefusals : (this.#refusals.get(text) ?? 0) + 1);
      }
      if (!isTheTexts) return false;
      // What took too long is sent again, in smaller batches.
      if (batch.length <= this.#batchSize) at += batch.length;
    }
    return true;
  }

  /**
   * Halves a batch that is refused, until the texts are found that are; of one that takes too long,
   * makes the next ones smaller. Resolves with whether the endpoint may be asked for more.
   */
  async #embedBatch(batch: readonly string[], refused: string[]): Promise<boolean> {
    try {
      const directions = await this.#init.endpoint.embed(batch, "tool");
      if (this.#closed) return false;
      this.#refusedInARow = 0;
      await Promise.all(batch.map((text, index) => this.#keep(text, directions[index])));
      return true;
    } catch (error) {
      if (this.#closed) return false;
      const isTooSlow = isHostsideError(error, "request_timeout");
      const status = isHostsideError(error) ? error.details.httpStatus : undefined;
      const isAboutTexts = status !== undefined && aboutTexts.has(status);
      if (!(isTooSlow || isAboutTexts) || (isTooSlow && batch.length === 1)) {
        this.#init.endpoint.failed(error);
        return false;
      }
      if (batch.length === 1) {
        refused.push(...batch);
        this.#refusedInARow += 1;
        if (this.#refusedInARow < mostRefusedInARow) return true;
        this.#init.endpoint.failed(error);
        return false;
      }
      const middle = Math.ceil(batch.length / 2);
      if (isTooSlow) {
        this.#batchSize = middle;
        return true;
      }
      return (
        (await this.#embedBatch(batch.slice(0, middle), refused)) &&
        (await this.#embedBatch(batch.slice(middle), refused))
      );
    }
  }

  async #keep(text: string, direction: Float32Array | undefined): Promise<void> {
    if (direction === undefined) return;
    const vector = quantize(direction);
    this.#vectors.set(text, vector);
    await this.#useStore(async (store) => store.set(await keyOf(this.#init.id, text), writeVector(vector), keptMs));
  }

  /** Takes from the store what it has. Resolves with the texts that it has no vector of. */
  async #readStored(texts: readonly string[]): Promise<readonly string[]> {
    const read = async (text: string): Promise<void> => {
      const stored = await this.#useStore(async (store) => store.get(await keyOf(this.#init.id, text)));
      const vector = readVector(stored, this.#init.endpoint.dimensions);
      if (vector !== undefined && !this.#closed) this.#vectors.set(text, vector);
    };
    await Promise.all(texts.map(read));
    return texts.filter((text) => !this.#vectors.has(text));
  }

  /** Resolves with `undefined` without a store, while it rests, and when it fails. */
  async #useStore(work: (store: Store) => Promise<unknown>): Promise<unknown> {
    const { store, clock, report } = this.#init;
    if (store === undefined || clock.now() < this.#storeRestsUntil) return undefined;
    try {
      return await doStep("a store of embeddings", { clock, timeoutMs: storeStepMs }, () => work(store));
    } catch (error) {
      const isFirst = clock.now() >= this.#storeRestsUntil;
      this.#storeRestsUntil = clock.now() + storeRestMs;
      if (isFirst) report({ kind: "not-kept", serverId: "", message: `embeddings: ${failureText(error)}` });
      return undefined;
    }
  }

  #sayTooMany(): void {
    if (this.#saidTooMany) return;
    this.#saidTooMany = true;
    const message = `more than ${maxTools} tools are on offer; the others are not embedded`;
    this.#init.report({ kind: "embedding-limit", serverId: "", message });
  }
}

function isIncluded({ include }: VectorIndexInit, definition: ToolDefinition): boolean {
  try {
    return include(definition);
  } catch {
    // A rule that cannot be asked says no: what was not sent can still be sent later.
    return false;
  }
}

async function keyOf(id: string, text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify([id, text])));
  return `hostside-embedding:${Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

const maxLength = 500;

/**
 * Writes what is embedded of a tool: its server, name and title in words, and the first sentence of
 * its description. Longer texts were found less often.
 */
function toolText(definition: ToolDefinition): string {
  const { name, title, annotations, origin } = definition;
  const names = [origin?.serverId, origin?.toolName ?? name, title ?? annotations?.title].map(inWords);
  const [sentence] = readSentences(stripPreface(definition));
  return cleanText(
    [...names, sentence?.text].filter((text) => text !== undefined && text !== "").join(": "),
    maxLength,
  );
}

function inWords(name: string | undefined): string {
  return (name ?? "")
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[\s_./-]+/g, " ")
    .trim();
}
