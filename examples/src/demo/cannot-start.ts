// A server as it looks on somebody's first day: it misses a setting, says so on stderr and exits.
process.stderr.write("reading settings from the environment\n");
process.stderr.write("error: INVENTORY_URL is not set\n");
process.stderr.write("hint: export INVENTORY_URL=https://inventory.example before you start this server\n");
process.exitCode = 78;
