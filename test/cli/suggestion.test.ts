import { describe, expect, test } from 'vitest';
import { createWorld, someday } from '../support/run.ts';
import { usedHome } from '../support/seeded.ts';
import { tryLineProblem } from '../support/try-line.ts';

const world = await createWorld();
const lastLine = async (line: string | string[], home?: string) =>
  (await world.run(line, home === undefined ? {} : { home })).stderr.trimEnd().split('\n').at(-1);

describe('a suggestion', () => {
  test.each([
    ['events cancel QZKALNZNJFG8XPRG', 'try: sched events cancel QZKALNZNJFG8XPRG --yes'],
    [
      ['events', 'cancel', 'QZKALNZNJFG8XPRG', '--reason', 'not well'],
      "try: sched events cancel QZKALNZNJFG8XPRG --reason 'not well' --yes",
    ],
    ['api DELETE /things/X', 'try: sched api DELETE /things/X --yes'],
  ])('for %s is the same command with --yes', async (line, expected) => {
    expect(await lastLine(line)).toBe(expected);
  });

  test('repeats no address and no header, but names the flag', async () => {
    expect(await lastLine('compliance delete a@b.example')).toBe("cause: a deletion can't be undone; add --yes");
    expect(await lastLine(['api', 'DELETE', '/things/X', '-H', 'X-Key: hunter2'])).toBe('cause: add --yes');
  });

  test('of another command has the same account', async () => {
    expect(await lastLine('--sandbox events get NOPE', await usedHome(someday))).toBe(
      'try: sched --sandbox events list',
    );
  });
});

describe('the check of all try: lines', () => {
  test.each([
    'add --yes',
    'sched auth login --credential-store file, or set SCHED_TOKEN',
    'sched events list --nonsense',
    'sched nothing list',
    'sched compliance key --receipt-key-file',
  ])('rejects %s', async (line) => expect(await tryLineProblem(line)).toBeDefined());

  test.each([
    'sched events cancel X --yes',
    'sched --sandbox events list',
    'sched help time',
    'sched doctor --network',
  ])('accepts %s', async (line) => expect(await tryLineProblem(line)).toBeUndefined());
});
