#!/usr/bin/env node
// The official SDK's client with nothing around it. Needs @modelcontextprotocol/client. See docs/reference/host-driver.md.
import "../dist/host/drivers/sdk-driver.js";
