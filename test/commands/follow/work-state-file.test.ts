import { linkSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { beginState, stateText } from '../../../src/commands/follow/work-state.ts';
import { openFollowFile } from '../../../src/commands/follow/work-state-file.ts';
import { machineIn, random } from '../../auth/support/memory.ts';
import { heldClock } from '../../support/held-clock.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const first = beginState(Date.parse('2026-11-16T08:00:00Z'));
const second = beginState(Date.parse('2026-11-16T09:00:00Z'));

test('a saved state takes the place of the old file, which is never written to again', async () => {
  const directory = temporaryDirectory('follow');
  const [path, old] = [join(directory, 'f.json'), join(directory, 'old')];
  const file = await openFollowFile({
    directory,
    name: 'f',
    machine: machineIn('/nonexistent'),
    clock: heldClock(),
    randomBytes: random,
    interrupted: new AbortController().signal,
  });
  await file.save(first);
  // A second name for the same file: its text changes if the file is written in place.
  linkSync(path, old);
  await file.save(second);
  expect([readFileSync(old, 'utf8'), readFileSync(path, 'utf8')]).toEqual([stateText(first), stateText(second)]);
  await file.close();
});
