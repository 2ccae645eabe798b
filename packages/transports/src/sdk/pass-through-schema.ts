/**
 * A result schema that lets everything through, for SDK clients of both lines: v1 calls `safeParse`
 * on what it is given, v2 takes any Standard Schema (https://standardschema.dev). Neither needs a
 * schema library for it.
 */
export const passThrough: {
  readonly parse: (value: unknown) => unknown;
  readonly safeParse: (value: unknown) => { readonly success: true; readonly data: unknown };
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "hostside";
    readonly validate: (value: unknown) => { readonly value: unknown };
  };
} = {
  parse: (value) => value,
  safeParse: (value) => ({ success: true, data: value }),
  "~standard": { version: 1, vendor: "hostside", validate: (value) => ({ value }) },
};
