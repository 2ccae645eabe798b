// For products on Node: a folder that keeps what is too big.
export {};
