import { fold } from '../../base/nearest.ts';
import { safe } from '../../output/sanitize.ts';
import { spokenText } from '../messages/notes.ts';
import {
  type Asker,
  type Choice,
  type ChooseOptions,
  endOfInput,
  labelText,
  missingText,
  type Offer,
  offersFor,
  questionText,
} from './asker.ts';
import type { Shell } from './context.ts';
import { askLine } from './prompt.ts';

/** Choices that are read out at once. */
const mostListed = 20;

/** Plain lines for screen readers: nothing is redrawn, and choices have numbers. */
const lineAsker = (context: Shell): Asker => {
  const ask = async (text: string): Promise<string> => {
    const answer = await askLine(context, text);
    if (answer === undefined) throw endOfInput();
    return answer;
  };
  const say = (text: string) => context.runtime.stderr.write(`${text}\n`);
  const pick = async (
    label: string,
    allChoices: readonly Choice[],
    isSeveral: boolean,
    { readOther, note, other: otherName = 'answer' }: ChooseOptions,
  ): Promise<string[]> => {
    const choices = allChoices.map((choice) =>
      context.settings.accessible ? { ...choice, label: choice.spoken ?? choice.label } : choice,
    );
    const other = readOther === undefined ? '' : `, or another ${otherName}`;
    const ways = isSeveral ? 'Numbers with commas, or part of a name' : `Number, or part of the name${other}`;
    let visibleOffers: readonly Offer[] = choices;
    for (;;) {
      const lines = visibleOffers
        .slice(0, mostListed)
        .map((choice, index) => `${index + 1}: ${labelText(spokenText(choice.label))}`);
      if (visibleOffers.length > mostListed)
        lines.push(`and ${visibleOffers.length - mostListed} more: type a part of their names`);
      await say([questionText(label), ...lines, ...(note === undefined ? [] : [note])].join('\n'));
      const line = await ask(`${ways}: `);
      const byNumber = (isSeveral ? line.split(',') : [line]).map((part) =>
        /^\d+$/.test(part.trim()) ? visibleOffers[Number(part) - 1] : undefined,
      );
      const offers = line === '' ? [] : offersFor(choices, line, readOther);
      const begun = offers.filter((offer) => !offer.isOther && fold(offer.label).startsWith(fold(line)));
      const byName = begun.length === 1 ? begun : offers;
      const picks = byNumber.every((choice) => choice !== undefined) ? byNumber : byName.length === 1 ? byName : [];
      const [first] = picks;
      const read = first?.isOther ? await readOther!(first.value) : undefined;
      if (read !== undefined && 'value' in read) return [read.value];
      if (read === undefined && first !== undefined) return [...new Set(picks.map(({ value }) => value))];
      if (read !== undefined) await say(safe(read.problem));
      else if (offers.length === 0) await say(line === '' ? missingText() : `Nothing matches "${safe(line)}"`);
      visibleOffers = offers.length === 0 || read !== undefined ? choices : offers;
    }
  };
  return {
    text: async ({ label, what, preset, isOptional, check }) => {
      for (;;) {
        const line = await ask(`${labelText(label)}${preset === undefined ? '' : ` (Enter for ${safe(preset)})`}: `);
        const answer = line === '' ? (preset ?? '') : line;
        const problem = answer === '' && !isOptional ? missingText(what) : await check?.(answer);
        if (problem === undefined) return answer;
        await say(safe(problem));
      }
    },
    choose: async (label, choices, options = {}) => (await pick(label, choices, false, options))[0]!,
    chooseSeveral: (label, choices, options = {}) => pick(label, choices, true, options),
  };
};

export const createAsker = async (context: Shell): Promise<Asker> =>
  context.settings.accessible || context.runtime.promptStreams === undefined
    ? lineAsker(context)
    : (await import('./key-prompts.ts')).promptAsker(context);
