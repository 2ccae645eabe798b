/**
 * The version of this package, as servers are told it. Written here because reading a file is no
 * business of a library; a test compares.
 */
export const version = "0.0.0";
