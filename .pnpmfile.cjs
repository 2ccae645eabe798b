// What is packed has no sources, so that the condition that names them goes, too.

/** @param {unknown} conditions */
function withoutSources(conditions) {
  if (typeof conditions !== "object" || conditions === null) return conditions;
  const kept = Object.entries(conditions).filter(([name]) => name !== "@hostside/source");
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutSources(value)]));
}

module.exports = {
  hooks: {
    /** @param {{ exports?: unknown, imports?: unknown }} manifest */
    beforePacking(manifest) {
      const { exports, imports } = manifest;
      return {
        ...manifest,
        ...(exports !== undefined && { exports: withoutSources(exports) }),
        ...(imports !== undefined && { imports: withoutSources(imports) }),
      };
    },
  },
};
