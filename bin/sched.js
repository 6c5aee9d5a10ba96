#!/usr/bin/env node
import { run } from '../dist/main.js';
import { nodeRuntime } from '../dist/runtime.js';

// Setting the code, not calling exit: a pipe takes what it has not read yet.
process.exitCode = await run(process.argv.slice(2), nodeRuntime());
