import { fold } from '../../nearest.ts';
import { safe } from '../../output/sanitize.ts';
import {
  type Asker,
  type Choice,
  type ChooseOptions,
  endOfInput,
  labelText,
  type Offer,
  offersFor,
  questionText,
} from './asker.ts';
import type { Context } from './context.ts';
import { askLine } from './prompt.ts';

/** A screen reader would read the dots between the parts of a label. */
const spoken = (label: string): string => labelText(label.replaceAll(' · ', ', '));

/** Choices that are read out at once. */
const mostListed = 20;

/** Plain lines for screen readers: nothing is redrawn, and choices have numbers. */
const lineAsker = (context: Context): Asker => {
  const ask = async (text: string): Promise<string> => {
    const answer = await askLine(context, text);
    if (answer === undefined) throw endOfInput();
    return answer;
  };
  const say = (text: string) => context.runtime.stderr.write(`${text}\n`);
  const pick = async (
    label: string,
    choices: readonly Choice[],
    isSeveral: boolean,
    { readOther, note }: ChooseOptions,
  ): Promise<string[]> => {
    const other = readOther === undefined ? '' : ', or another answer';
    const ways = isSeveral ? 'Numbers with commas, or part of a name' : `Number, or part of the name${other}`;
    let shown: readonly Offer[] = choices;
    for (;;) {
      const lines = shown.slice(0, mostListed).map((choice, index) => `${index + 1}: ${spoken(choice.label)}`);
      if (shown.length > mostListed) lines.push(`and ${shown.length - mostListed} more: type a part of their names`);
      await say([questionText(label), ...lines, ...(note === undefined ? [] : [note])].join('\n'));
      const typed = await ask(`${ways}: `);
      const numbered = (isSeveral ? typed.split(',') : [typed]).map((part) =>
        /^\d+$/.test(part.trim()) ? shown[Number(part) - 1] : undefined,
      );
      const offers = typed === '' ? [] : offersFor(choices, typed, readOther);
      const begun = offers.filter((offer) => !offer.isTyped && fold(offer.label).startsWith(fold(typed)));
      const named = begun.length === 1 ? begun : offers;
      const chosen = numbered.every((choice) => choice !== undefined) ? numbered : named.length === 1 ? named : [];
      const [first] = chosen;
      const read = first?.isTyped ? await readOther!(first.value) : undefined;
      if (read !== undefined && 'value' in read) return [read.value];
      if (read === undefined && first !== undefined) return [...new Set(chosen.map(({ value }) => value))];
      if (read !== undefined) await say(safe(read.problem));
      else if (offers.length === 0)
        await say(typed === '' ? 'An answer is required' : `Nothing matches "${safe(typed)}"`);
      shown = offers.length === 0 || read !== undefined ? choices : offers;
    }
  };
  return {
    text: async ({ label, preset, isOptional, check }) => {
      for (;;) {
        const typed = await ask(`${labelText(label)}${preset === undefined ? '' : ` (Enter for ${safe(preset)})`}: `);
        const answer = typed === '' ? (preset ?? '') : typed;
        const problem = answer === '' && !isOptional ? 'An answer is required' : await check?.(answer);
        if (problem === undefined) return answer;
        await say(safe(problem));
      }
    },
    choose: async (label, choices, options = {}) => (await pick(label, choices, false, options))[0]!,
    chooseSeveral: (label, choices, options = {}) => pick(label, choices, true, options),
  };
};

export const createAsker = async (context: Context): Promise<Asker> =>
  context.settings.accessible || context.runtime.promptStreams === undefined
    ? lineAsker(context)
    : (await import('./key-prompts.ts')).promptAsker(context);
