import { asciiForm, needsAscii } from '../../output/ascii.ts';
import { wrap } from '../../output/width.ts';
import { spokenText } from '../messages/notes.ts';
import { createAsker } from '../session/ask.ts';
import { labelText } from '../session/asker.ts';
import { allowWrites, declined } from '../session/confirm.ts';
import type { Shell } from '../session/context.ts';
import type { Question } from './plan.ts';

/** Shows what a person has entered before it is sent. Only `y` or Enter sends it. */
export const askReview = async (
  context: Shell,
  { question, action }: Question,
  lines: readonly string[],
): Promise<void> => {
  const { settings, runtime, notes } = context;
  await notes.flush();
  const indent = settings.accessible ? '' : '  ';
  const room = settings.accessible ? Number.POSITIVE_INFINITY : (runtime.stderr.columns || 80) - indent.length;
  const spoken = settings.accessible ? lines.map(spokenText) : lines;
  const text = spoken.flatMap((line) => wrap(labelText(line), room).map((each) => `${indent}${each}\n`)).join('');
  await runtime.stderr.write(needsAscii(runtime.env) ? asciiForm(text) : text);
  const answer = await (await createAsker(context)).text({
    label: question,
    preset: 'yes',
    check: async (answer) => (/^(y|yes|n|no|)$/i.test(answer) ? undefined : 'Answer y or n'),
  });
  if (/^n/i.test(answer)) throw declined(action);
  allowWrites(context);
};
