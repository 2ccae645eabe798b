/** The variable by which the processes of one start are known, wherever they went. */
export const startVariable = "HOSTSIDE_START";
