// What needs Node: files, the keyring, a listener on this machine.
export {};
