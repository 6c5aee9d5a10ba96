import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isSpaceKey,
  isUpKey,
  makeTheme,
  type Status,
  type Theme,
  useKeypress,
  usePagination,
  usePrefix,
  useState,
} from '@inquirer/core';
import type { Offer, ReadOther } from './asker.ts';

interface Picker {
  message: string;
  /** What fits the typed text. Labels must be sanitized and take one line. */
  offers(typed: string): Offer[];
  readOther?: ReadOther | undefined;
  isSeveral: boolean;
  /** The last line, which names the keys. `count` choices are checked. */
  help(count: number): string;
  marks: { cursor: string; checked: string };
  theme: { prefix?: Theme['prefix']; style?: Partial<Theme['style']> };
}

/** A list to choose from: typing filters it. The library's own lists can either filter or take several, not both. */
export const pick = createPrompt<string[], Picker>((config, done) => {
  const { message, offers, readOther, isSeveral, help, marks } = config;
  const theme = makeTheme(config.theme);
  const [status, setStatus] = useState<Status>('idle');
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const [checked, setChecked] = useState<readonly Offer[]>([]);
  const [problem, setProblem] = useState('');
  const prefix = usePrefix({ status, theme });
  const shown = offers(typed);
  const isChecked = ({ value }: Offer): boolean => checked.some((offer) => offer.value === value);
  const current = shown[active];
  const answer = checked.length > 0 ? checked : current === undefined ? [] : [current];

  useKeypress(async (key, rl) => {
    if (status !== 'idle') return;
    /** Undoes what the key did to the line that is being typed. */
    const keepTyped = () => {
      rl.clearLine(0);
      rl.write(typed);
    };
    if (isEnterKey(key)) {
      keepTyped();
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
      keepTyped();
      setActive(Math.max(0, Math.min(shown.length - 1, active + (isUpKey(key) ? -1 : 1))));
    } else if (isSeveral && isSpaceKey(key)) {
      keepTyped();
      if (current !== undefined)
        setChecked(isChecked(current) ? checked.filter(({ value }) => value !== current.value) : [...checked, current]);
    } else if (rl.line !== typed) {
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
      const line = `${isActive ? marks.cursor : ' '}${check} ${item.label}`;
      return isActive ? theme.style.highlight(line) : line;
    },
    pageSize: 12,
    loop: false,
  });
  const asked = `${prefix} ${theme.style.message(message, status)}`;
  if (status === 'done')
    return `${asked} ${theme.style.answer(answer.length === 1 ? answer[0]!.label : `${answer.length} chosen`)}`;
  const note = problem !== '' ? problem : shown.length === 0 ? 'Nothing matches' : '';
  return [
    `${asked} ${typed}`,
    [
      ...(shown.length === 0 ? [] : [page]),
      ...(note === '' ? [] : [theme.style.error(note)]),
      theme.style.help(help(checked.length)),
    ].join('\n'),
  ];
});
