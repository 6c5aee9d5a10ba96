import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { Asker } from '../../../src/cli/session/asker.ts';
import type { Shell } from '../../../src/cli/session/context.ts';
import { promptAsker } from '../../../src/cli/session/key-prompts.ts';
import type { Color } from '../../../src/output/color.ts';
import { width } from '../../../src/output/width.ts';
import { ctrlC, ctrlD } from '../../support/terminal.ts';

const [down, enter, esc] = ['\x1b[B', '\r', '\x1b'];

/** Types the keys one after the other, each when the screen has changed. Returns the answer and the screen. */
const ask = async <Answer>(
  question: (asker: Asker) => Promise<Answer>,
  keys: readonly string[],
  env: Record<string, string> = {},
  color?: Color,
  columns = 60,
) => {
  const [screen, keyboard] = [new PassThrough(), new PassThrough()];
  const left = [...keys];
  let [text, isAsked] = ['', false];
  screen.setEncoding('utf8').on('data', (written) => {
    text += written;
    if (isAsked) return;
    isAsked = true;
    setImmediate(() => {
      isAsked = false;
      const key = left.shift();
      if (key !== undefined) keyboard.write(key);
    });
  });
  const context = {
    runtime: {
      promptStreams: () => ({ input: keyboard, output: screen, release: () => {} }),
      stderr: { columns },
      interrupted: new AbortController().signal,
      env,
    },
    notes: { color, flush: async () => {} },
  } as unknown as Shell;
  const answer = await question(promptAsker(context)).catch((error: unknown) => error);
  return { answer, text, lines: stripVTControlCharacters(text).split('\n') };
};

const people = ['Ada Byron', 'Zoë Müller', 'Byron Adams'].map((label, index) => ({ value: `${index + 1}`, label }));

test('a choice takes one line, whatever its name', async () => {
  const choices = [
    { value: 'wide', label: '打'.repeat(5000) },
    { value: 'long', label: 'x'.repeat(5000) },
    { value: 'nasty', label: 'Evil\x1b]0;x\x07\x1b[2J\u202e\u009b\r\nforged' },
  ];
  const { text, lines } = await ask((asker) => asker.chooseSeveral('Event type', choices), [ctrlD]);
  expect(lines.filter((line) => /打|x{5}/.test(line)).map((line) => width(line) < 60)).not.toContain(false);
  expect(lines.some((line) => line.includes('x…'))).toBe(true);
  const chosen = await ask((asker) => asker.chooseSeveral('Event type', choices), [enter]);
  const [last] = /✔ Event type: 打+…$/m.exec(chosen.lines.join('\n'))!;
  expect(width(last)).toBeLessThan(60);
  expect(text).toContain('Evil\\x1b]0;x\\x07\\x1b[2J<U+202E>\\x9b\\r\\nforged');
  expect(text).not.toMatch(/[\x07\u009b\u202e]|\x1b\]|\x1b\[2J|^forged/m);
});

test('on a narrow screen, the choice under the cursor takes a second line for the rest of its name', async () => {
  const events = ['Theodore Wolfeschlegelstein', 'Kahurangi Ngata'].map((name, index) => ({
    value: `${index}`,
    label: `Thu 19 Nov 10:30  ● Open office hours · ${name}`,
  }));
  const choose = (keys: string[], env = {}) =>
    ask((asker) => asker.choose('Event to cancel', events, {}), keys, env, undefined, 40);
  const { text } = await choose([down, enter]);
  expect(text).toContain(
    '❯ Thu 19 Nov 10:30  ● Open office\n    hours · Theodore Wolfeschlegelstein\n  Thu 19 Nov 10:30  ● Open office hou…\n',
  );
  expect(text).toContain('❯ Thu 19 Nov 10:30  ● Open office\n    hours · Kahurangi Ngata\n');
  expect((await choose([enter], { LC_ALL: 'C' })).text).toContain('office\n    hours . Theodore');
});

test('on a narrow screen, a note breaks between words', async () => {
  const note = 'Earlier today: type "today". Names are shown for the first 50 events.';
  const { text } = await ask((asker) => asker.choose('Who?', people, { note }), [ctrlD], {}, undefined, 40);
  expect(text).toContain('Earlier today: type "today". Names are\nshown for the first 50 events.\ntype to filter');
});

test('typing filters the list, without case and accents, and what begins with the word comes first', async () => {
  const { answer, text } = await ask((asker) => asker.choose('Who?', people), ['z', 'o', 'e', enter]);
  expect(answer).toBe('2');
  expect(text).toContain('type to filter · ↑↓ · ⏎ choose · esc stop');
  expect((await ask((asker) => asker.choose('Who?', people), ['byron', enter])).answer).toBe('3');
  expect((await ask((asker) => asker.choose('Who?', people), ['byron', '\t', down, enter])).answer).toBe('1');
  expect((await ask((asker) => asker.choose('Who?', people), ['byron ada', enter, down, enter])).answer).toBe('3');
});

test('space takes several choices, also from different filters', async () => {
  const several = (keys: string[]) =>
    ask((asker) => asker.chooseSeveral('Who?', people, { note: 'first 3' }), keys, {}, undefined, 80);
  const { answer, text } = await several(['zoe', ' ', '\x7f', '\x7f', '\x7f', 'ada', ' ', ' ', ' ', enter]);
  expect(answer).toEqual(['2', '1']);
  expect(text).toContain('first 3\n2 chosen · type to filter · ↑↓ · space: several · ⏎ choose · esc stop');
  expect((await several([down, enter])).answer).toEqual(['2']);
  // A space within a name checks nothing.
  const named = await several(['ada', ' ', 'b', enter]);
  expect(named.answer).toEqual(['1']);
  expect(named.text).toContain('? Who? ada b\n');
  expect(named.text).toContain('✔ Who? Ada Byron');
});

test.each<[number, string]>([
  [70, 'type to filter, or type another answer · ↑↓ · ⏎ choose · esc stop'],
  [61, 'type to filter, or type another answer · ⏎ choose · esc stop'],
  [50, 'type to filter, or type another answer · ⏎ choose'],
  [40, 'type to filter, or type another answer'],
  [30, 'type to filter, or type anot…'],
])('the keys take one line of %i columns', async (columns, keys) => {
  const readOther = async () => ({ problem: 'no' });
  const { lines } = await ask((asker) => asker.choose('Time', people, { readOther }), [ctrlD], {}, undefined, columns);
  expect(lines).toContain(keys);
});

test('text that is not in the list is read, and a problem with it is shown', async () => {
  const readOther = async (typed: string) => (typed === 'noon' ? { value: '12:00' } : { problem: 'not\x1b a time' });
  const choose = (keys: string[]) => ask((asker) => asker.choose('Time', people, { readOther }), keys);
  const { answer, text } = await choose(['ox', enter, '\x7f', '\x7f', 'noon', enter]);
  expect(answer).toBe('12:00');
  expect(text).toContain('> not\\x1b a time');
  expect(text).toContain('❯ use "noon"');
  expect(text).toContain('✔ Time: noon');
  expect((await choose(['zo', enter])).answer).toBe('2');
});

test('a failure while an answer is checked ends the prompt', async () => {
  const fail = async () => {
    throw new Error('the service is gone');
  };
  const chosen = await ask((asker) => asker.choose('Time', people, { readOther: fail }), ['noon', enter]);
  expect(chosen.answer).toMatchObject({ message: 'the service is gone' });
  const typed = await ask((asker) => asker.text({ label: 'Time', check: fail }), ['noon', enter]);
  expect(typed.answer).toMatchObject({ message: 'the service is gone' });
});

test.each([
  ['Ctrl-D', ctrlD, 'Stopped at a question. Nothing was changed'],
  ['Esc', esc, 'Stopped at a question. Nothing was changed'],
  ['Ctrl-C', ctrlC, 'Interrupted'],
])('%s ends a list without an answer', async (_, key, message) => {
  const { answer } = await ask((asker) => asker.chooseSeveral('Who?', people), [' ', key]);
  expect(answer).toMatchObject({ message });
});

test('has a form for terminals that show ASCII only', async () => {
  const keys = [' ', enter];
  const { text } = await ask(
    (asker) => asker.chooseSeveral('Who?', people.slice(0, 1), {}),
    keys,
    { LC_ALL: 'C' },
    undefined,
    80,
  );
  expect(text).toContain('>x Ada Byron');
  expect(text).toContain('1 chosen | type to filter | up/down | space: several | enter choose | esc stop');
});

test('the mark of a choice has its own color, unless it is highlighted', async () => {
  const events = ['#ff0000', '#00ff00'].map((color) => ({ value: color, label: `09:00  ● ${color}`, color }));
  const { text } = await ask((asker) => asker.choose('Which?', events), [enter], {}, { depth: 3, hasLinks: false });
  expect(text).toContain('09:00  \x1b[38;2;0;168;0m●\x1b[39m #00ff00');
  expect(text).toContain('❯ 09:00  ● #ff0000');
});
