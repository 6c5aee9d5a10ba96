#!/usr/bin/env node
const { main, runtime } = require('../dist/start.js');

main()
  .run(process.argv.slice(2), runtime().nodeRuntime())
  .then((code) => {
    // Setting the code, not calling exit: a pipe takes what it has not read yet.
    process.exitCode = code;
  });
