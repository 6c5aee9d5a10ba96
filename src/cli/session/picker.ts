import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isSpaceKey,
  isTabKey,
  isUpKey,
  makeTheme,
  type Status,
  type Theme,
  useKeypress,
  usePagination,
  usePrefix,
  useState,
} from '@inquirer/core';
import type { Paint } from '../../output/paint.ts';
import { shorten, width } from '../../output/width.ts';
import type { Offer, ReadOther } from './asker.ts';

interface Picker {
  message: string;
  /** What fits the typed text. Labels must be sanitized and take one line. */
  offers(typed: string): Offer[];
  readOther?: ReadOther | undefined;
  isSeveral: boolean;
  /** The last lines, which name the keys. `count` choices are checked. */
  help(count: number): string;
  marks: { cursor: string; checked: string };
  paint: Paint;
  columns: number;
  /** Choices that are shown at once. */
  pageSize: number;
  theme: { prefix?: Theme['prefix']; style?: Partial<Theme['style']> };
}

/** A list to choose from: typing filters it. The library's own lists can either filter or take several, not both. */
export const pick = createPrompt<string[], Picker>((config, done) => {
  const { message, offers, readOther, isSeveral, help, marks, paint, columns, pageSize } = config;
  const theme = makeTheme(config.theme);
  const [status, setStatus] = useState<Status>('idle');
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const [checked, setChecked] = useState<readonly Offer[]>([]);
  const [problem, setProblem] = useState('');
  /** The choices that were checked before a space that followed typed text. */
  const [beforeSpace, setBeforeSpace] = useState<readonly Offer[] | undefined>();
  const prefix = usePrefix({ status, theme });
  const shown = offers(typed);
  const isChecked = ({ value }: Offer): boolean => checked.some((offer) => offer.value === value);
  const current = shown[active];
  const answer = checked.length > 0 ? checked : current === undefined ? [] : [current];

  useKeypress(async (key, rl) => {
    if (status !== 'idle') return;
    const setLine = (text: string): void => {
      rl.clearLine(0);
      rl.write(text);
    };
    const line = rl.line;
    setBeforeSpace(undefined);
    if (isEnterKey(key)) {
      setLine(typed);
      const [first] = answer;
      if (first === undefined) return;
      if (first.isTyped) setStatus('loading');
      const read = first.isTyped ? await readOther!(first.value) : undefined;
      if (read !== undefined && 'problem' in read) {
        setStatus('idle');
        setProblem(read.problem);
        return;
      }
      setStatus('done');
      done(read === undefined ? answer.map(({ value }) => value) : [read.value]);
    } else if (isUpKey(key) || isDownKey(key)) {
      setLine(typed);
      setActive(Math.max(0, Math.min(shown.length - 1, active + (isUpKey(key) ? -1 : 1))));
    } else if (isSeveral && isSpaceKey(key)) {
      setLine(typed);
      if (typed !== '') setBeforeSpace(checked);
      if (current !== undefined)
        setChecked(isChecked(current) ? checked.filter(({ value }) => value !== current.value) : [...checked, current]);
    } else if (isTabKey(key)) setLine(typed);
    else if (line !== typed) {
      // Text after the space shows that it belongs to a name: `Ada Byron`.
      const isName = beforeSpace !== undefined && line.length > typed.length;
      if (isName) {
        setChecked(beforeSpace);
        setLine(`${typed} ${line.slice(typed.length)}`);
      }
      setTyped(rl.line);
      setActive(0);
      setProblem('');
    }
  });

  const page = usePagination({
    items: shown,
    active,
    renderItem: ({ item, isActive }) => {
      const check = isSeveral ? (isChecked(item) ? marks.checked : ' ') : '';
      if (isActive) return theme.style.highlight(`${marks.cursor}${check} ${item.label}`);
      return ` ${check} ${item.label.replace('●', (mark) => paint.mark(item.color, mark))}`;
    },
    pageSize,
    loop: false,
  });
  const asked = `${prefix} ${theme.style.message(message, status)}`;
  if (status === 'done') {
    const [{ isTyped, label }] = answer as [Offer];
    const chosen = answer.length > 1 ? `${answer.length} chosen` : isTyped ? typed.trim() : label;
    return `${asked} ${theme.style.answer(shorten(chosen, columns - width(message) - 4))}`;
  }
  const note = problem === '' && shown.length === 0 ? 'Nothing matches' : problem;
  return [
    `${asked} ${typed}`,
    [
      ...(shown.length === 0 ? [] : [page]),
      ...(note === '' ? [] : [theme.style.error(note)]),
      theme.style.help(help(checked.length)),
    ].join('\n'),
  ];
});
