// Says why on stderr, without a line feed at the end, and ends with code 3 before it reads anything.
process.stderr.write("loading configuration\n");
process.stderr.write("fatal: no database at db.internal");
process.exitCode = 3;
