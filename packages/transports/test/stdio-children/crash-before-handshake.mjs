// Says why on stderr and ends with code 3 before it reads anything.
process.stderr.write("loading configuration\n");
process.stderr.write("fatal: no database at db.internal\n");
process.exitCode = 3;
