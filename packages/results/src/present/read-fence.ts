import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import type { FenceOptions } from "./fence.ts";

const fenceFields: Fields<FenceOptions> = { nonce: true };

/** Reads the option `fence`; `undefined` where there are to be no marks. Throws a `TypeError` that names the field. `owner`: such as `present()`. */
export function readFence(owner: string, fence: unknown): FenceOptions | undefined {
  if (fence === undefined || fence === false) return undefined;
  if (fence === true) return {};
  assertKnownOptions(`fence of ${owner}`, fence, fenceFields);
  const { nonce }: { readonly nonce?: unknown } = fence as object;
  if (nonce !== undefined && (typeof nonce !== "string" || !/^[A-Za-z0-9]{1,64}$/.test(nonce))) {
    throw new TypeError(`fence.nonce of ${owner} must be 1 to 64 letters and digits`);
  }
  return nonce === undefined ? {} : { nonce };
}
