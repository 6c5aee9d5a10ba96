#!/usr/bin/env node
const { run } = require('../dist/main.js');
const { nodeRuntime } = require('../dist/runtime.js');

run(process.argv.slice(2), nodeRuntime()).then((code) => {
  // Setting the code, not calling exit: a pipe takes what it has not read yet.
  process.exitCode = code;
});
