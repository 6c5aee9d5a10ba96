#!/usr/bin/env node
const { run } = require('../dist/main.js');
const { nodeRuntime } = require('../dist/runtime.js');

// The second name of the program, as `scheds` passes it on.
const [called] = process.argv[2] === '__scheds' ? process.argv.splice(2, 1) : [];
// Without a result, the program failed.
process.exitCode = 1;
run(process.argv.slice(2), nodeRuntime(called === undefined ? 'sched' : 'scheds')).then((code) => {
  // Set the exit code instead of calling exit, so that pending output still reaches the pipe.
  process.exitCode = code;
  // A shell waits for its completions: nothing left over, such as a look-up of a host name, may delay them.
  if (process.argv[2] === '__complete') process.exit();
});
