#!/usr/bin/env node
// Committed, unlike dist, so that the command can be linked before the first build.
import "../dist/cli/main.js";
