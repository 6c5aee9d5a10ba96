import { safe } from '../../output/sanitize.ts';
import { type Asker, endOfInput, labelText, matching } from './asker.ts';
import type { Context } from './context.ts';
import { askLine } from './prompt.ts';

/** Plain lines for screen readers: nothing is redrawn, and choices have numbers. */
const lineAsker = (context: Context): Asker => {
  const ask = async (text: string): Promise<string> => {
    const answer = await askLine(context, text);
    if (answer === undefined) throw endOfInput();
    return answer;
  };
  const say = (text: string) => context.runtime.stderr.write(`${text}\n`);
  return {
    text: async ({ label, preset, check }) => {
      for (;;) {
        const typed = await ask(`${labelText(label)}${preset === undefined ? '' : ` (Enter for ${safe(preset)})`}: `);
        const answer = typed === '' ? (preset ?? '') : typed;
        const problem = answer === '' ? 'An answer is required' : await check?.(answer);
        if (problem === undefined) return answer;
        await say(safe(problem));
      }
    },
    choose: async (label, choices) => {
      let shown = choices;
      for (;;) {
        await say(
          [`${labelText(label)}:`, ...shown.map((choice, i) => `${i + 1}: ${labelText(choice.label)}`)].join('\n'),
        );
        const typed = await ask('Number, or part of the name: ');
        const chosen = /^\d+$/.test(typed) ? shown[Number(typed) - 1] : undefined;
        const found = typed === '' ? [] : matching(choices, typed);
        const only = chosen ?? (found.length === 1 ? found[0] : undefined);
        if (only !== undefined) return only.value;
        if (found.length === 0) await say(typed === '' ? 'An answer is required' : `Nothing matches "${safe(typed)}"`);
        shown = found.length === 0 ? choices : found;
      }
    },
  };
};

export const createAsker = async (context: Context): Promise<Asker> =>
  context.settings.accessible || context.runtime.promptStreams === undefined
    ? lineAsker(context)
    : (await import('./key-prompts.ts')).promptAsker(context);
