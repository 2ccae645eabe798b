#!/usr/bin/env node
// The reference driver: Toolport through its public API. See docs/host-driver.md.
import "../dist/host/drivers/toolport-driver.js";
