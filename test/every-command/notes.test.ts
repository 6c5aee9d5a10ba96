import { expect, test } from 'vitest';
import { createWorld } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';
import { linesIn } from './operation-lines.ts';

/*
 * A command says what it has to say while it works. The shell then prints its answer, and in a pipe nothing follows.
 */

const lines = Object.entries(await linesIn(await createWorld()));

/** What is said for everybody below an answer. */
const below: Record<string, RegExp> = { 'compliance delete': /when it deletes the data/ };

test.each(sample(lines, 6))('%s says nothing after its answer', async (name, line) => {
  for (const flags of ['', '--json']) {
    const written: string[] = [];
    const { run } = await createWorld();
    const { code } = await run(`${line} ${flags}`, {
      home: temporaryDirectory(),
      env: { SCHED_MCP_URL: 'http://127.0.0.1:4010' },
      onStdout: () => written.push(''),
      onStderr: (text) => written.push(text),
    });
    const after = written.slice(written.indexOf('')).filter((text) => text !== '' && !below[name]?.test(text));
    expect([line, code, written.includes(''), after]).toEqual([line, 0, true, []]);
  }
});
