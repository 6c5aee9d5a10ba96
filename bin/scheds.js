#!/usr/bin/env node
// The same program under a name that is no builtin of a shell. Whatever it starts again is `sched`.
process.argv.splice(1, 1, require.resolve('./sched.js'), '__scheds');
require('./sched.js');
