import { expect, test } from 'vitest';
import { createNotes } from '../../../src/cli/messages/notes.ts';
import { splitCommandLine } from '../../support/shell-words.ts';

/** A note as a terminal of this width shows it. */
const shown = async (text: string, columns: number, isWindows = false): Promise<string> => {
  let written = '';
  const stderr = {
    isTerminal: true,
    columns,
    rows: 24,
    write: async (part: string) => {
      written += part;
    },
  };
  const notes = createNotes(stderr, false, undefined, undefined, { platform: isWindows ? 'win32' : 'linux' });
  notes.info(text);
  await notes.flush();
  return written;
};

const command = `sched invitees create --event-type 'Intro call' --email ada@example.com --name "It's Ada" --yes`;

test('a command that is too long goes below its words, and can be copied in one piece', async () => {
  const text = await shown(`For a script: ${command}`, 60);
  expect(text).toBe(
    `For a script:\n  sched invitees create --event-type 'Intro call' \\\n      --email ada@example.com --name "It's Ada" --yes\n`,
  );
  const copied = text.slice(text.indexOf('sched')).replaceAll('\\\n', '').trim();
  expect(splitCommandLine(copied)).toEqual(splitCommandLine(command));
});

test('a command that fits stays on the line, and a URL stays whole', async () => {
  expect(await shown('Book one: sched events list', 60)).toBe('Book one: sched events list\n');
  const url = `https://book.example/${'x'.repeat(80)}`;
  expect(await shown(`Open ${url}`, 60)).toContain(url);
});

test('a command on Windows stays on its line, and is quoted for the shells there', async () => {
  const line = `For a script, it's this: ${command.replace("'Intro call'", '"Intro call"')}\n`;
  expect(await shown(`For a script, it's this: ${command}`, 60, true)).toBe(line);
});
