import { expect, test } from 'vitest';
import { createAsker } from '../../../src/cli/session/ask.ts';
import type { Asker } from '../../../src/cli/session/asker.ts';
import type { Shell } from '../../../src/cli/session/context.ts';

const ask = async <Answer>(question: (asker: Asker) => Promise<Answer>, typed: string[]) => {
  let text = '';
  const write = async (written: string) => {
    text += written;
  };
  const line = async ({ prompt }: { prompt: string }) => {
    text += prompt;
    return typed.shift();
  };
  const asker = await createAsker({
    settings: { accessible: true },
    runtime: { stderr: { write }, keyboard: { line }, interrupted: new AbortController().signal },
    notes: { flush: async () => {} },
  } as unknown as Shell);
  const answer = await question(asker).catch((error: unknown) => error);
  return { answer, text };
};

const times = ['09:00 (10:00 for Ada)', '10:00 (11:00 for Ada)', '11:15'].map((label) => ({
  value: label.slice(0, 5),
  label,
}));
const readOther = async (typed: string) => (typed === 'noon' ? { value: '12:00' } : { problem: 'not\x1b a time' });

test.each([
  ['a number', ['2'], '10:00'],
  ['what begins with it', ['10:00'], '10:00'],
  ['text that is not in the list, read until it is right', ['13', 'noon'], '12:00'],
  ['a number of the list that was narrowed', ['for ada', '1'], '09:00'],
])('a list in plain lines takes %s', async (_, typed, answer) => {
  const asked = await ask((asker) => asker.choose('Time', times, { readOther, note: 'first 3' }), [...typed]);
  expect(asked.answer).toBe(answer);
  expect(asked.text).toContain('3: 11:15\nfirst 3\nNumber, or part of the name, or another answer: ');
  expect(asked.text).not.toContain('\x1b');
});

test.each([
  ['numbers', ['1, 3,1'], ['09:00', '11:15']],
  ['a name', ['11:15'], ['11:15']],
  ['numbers of the list that was narrowed', ['4', '', 'ada', '2,3', '2'], ['10:00']],
])('a list in plain lines takes several by %s', async (_, typed, answer) => {
  const asked = await ask((asker) => asker.chooseSeveral('Which times?', times), [...typed]);
  expect(asked.answer).toEqual(answer);
  expect(asked.text).toContain('Which times?\n1: 09:00 (10:00 for Ada)\n');
});

test('a list in plain lines ends with Ctrl-D', async () => {
  const { answer } = await ask((asker) => asker.chooseSeveral('Which times?', times), ['ada']);
  expect(answer).toMatchObject({ category: 'confirmation-required' });
});
