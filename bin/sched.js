#!/usr/bin/env node
const { run } = require('../dist/main.js');
const { nodeRuntime } = require('../dist/runtime.js');

run(process.argv.slice(2), nodeRuntime()).then((code) => {
  // Set the exit code instead of calling exit, so that pending output still reaches the pipe.
  process.exitCode = code;
});
