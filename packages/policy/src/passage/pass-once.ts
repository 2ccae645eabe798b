import type { Interceptor, JsonObject } from "@toolport/core";

/**
 * An interceptor that stands around a toolbox and its providers alike, and still looks at a call once: inside of itself it lets the call pass.
 * It knows the call by its arguments, which it hands on as an object of its own, so that no other call has the same; whoever hands on other
 * ones has made another call of it, which is looked at again.
 */
export function passOnce(interceptor: Interceptor): Interceptor {
  const looked = new WeakSet<JsonObject>();
  return (call, next) => {
    if (looked.has(call.args)) return next(call);
    return interceptor(call, async (handed) => {
      const args = { ...handed.args };
      looked.add(args);
      try {
        return await next({ ...handed, args });
      } finally {
        looked.delete(args);
      }
    });
  };
}
