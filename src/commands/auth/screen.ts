import type { PictureAnswer, RecordAnswer } from '../../cli/answer/answer.ts';
import type { Context } from '../../cli/session/context.ts';
import type { BlockStyle } from '../../output/block.ts';
import { humanText } from '../../output/cells.ts';
import { fill, headingLines } from '../../output/heading.ts';
import type { Paint } from '../../output/paint.ts';
import type { TimeStyle, View } from '../../output/view.ts';

/** Who is logged in, for people: a sentence, and facts below it. */
export interface LoginScreen {
  status: 'accepted' | 'refused' | 'expired' | 'not checked';
  who: string | undefined;
  facts: readonly unknown[];
}

const verdicts: Record<
  LoginScreen['status'],
  [sign: string, tone: keyof Paint & ('done' | 'error' | 'warning'), words: string]
> = {
  accepted: ['✔', 'done', 'Logged in'],
  refused: ['✗', 'error', 'The service refuses the login'],
  expired: ['✗', 'error', 'The login has expired'],
  'not checked': ['?', 'warning', 'Stored login, not checked'],
};

const drawLogin = ({ status, who, facts }: LoginScreen, { paint, available, place }: BlockStyle): string => {
  const [sign, tone, words] = verdicts[status];
  const subject = who === undefined ? words : status === 'accepted' ? `${words} as ${who}` : `${words}: ${who}`;
  const [first, ...more] = headingLines(humanText(subject), [], { paint, available: available - 2, place });
  const texts = facts.flatMap((fact) => (typeof fact === 'string' && fact !== '' ? humanText(fact) : []));
  const below = [...more, ...fill(texts, ' · ', available - 2)];
  return [`${paint[tone](sign)} ${first}`, ...below.map((line) => `  ${line}`)].map((line) => `${line}\n`).join('');
};

/** Says who is logged in. All fields are elsewhere: with `--verbose`, for screen readers and for programs. */
export const loginAnswer = (
  { settings }: Pick<Context, 'settings'>,
  view: View,
  record: RecordAnswer['record'],
  screen: (time: TimeStyle) => LoginScreen,
): RecordAnswer | PictureAnswer => {
  const all: RecordAnswer = { kind: 'record', view, record };
  if (settings.verbose) return all;
  const picture = async () => ({
    draw: (style: BlockStyle) => ({ picture: drawLogin(screen(style.time), style) }),
  });
  return { kind: 'picture', others: all, picture, onScreen: true };
};
