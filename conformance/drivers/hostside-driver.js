#!/usr/bin/env node
// The reference driver: Hostside through its public API. See docs/reference/host-driver.md.
import "../dist/host/drivers/hostside-driver.js";
