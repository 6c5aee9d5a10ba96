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
  /** What fits the entered text. Labels must be sanitized and take one line. */
  offers(line: string): Offer[];
  readOther?: ReadOther | undefined;
  isSeveral: boolean;
  /** The last lines, which name the keys. `count` choices are checked. `position` tells of rows out of sight. */
  help(count: number, position: readonly string[]): string;
  marks: { cursor: string; checked: string };
  paint: Paint;
  columns: number;
  /** Choices that are shown at once. */
  pageSize: number;
  theme: { prefix?: Theme['prefix']; style?: Partial<Theme['style']> };
}

/** A list to choose from: typing filters it. The library's own lists can either filter or take several, not both. */
export const pick = createPrompt<string[], Picker>((config, finish) => {
  const { message, offers, readOther, isSeveral, help, marks, paint, columns, pageSize } = config;
  const theme = makeTheme(config.theme);
  const [status, setStatus] = useState<Status>('idle');
  const [input, setInput] = useState('');
  const [active, setActive] = useState(0);
  const [checkedOffers, setCheckedOffers] = useState<readonly Offer[]>([]);
  const [problem, setProblem] = useState('');
  /** The choices that were checked before a space that followed entered text. */
  const [beforeSpace, setBeforeSpace] = useState<readonly Offer[] | undefined>();
  const prefix = usePrefix({ status, theme });
  const visibleOffers = offers(input);
  const isChecked = ({ value }: Offer): boolean => checkedOffers.some((offer) => offer.value === value);
  const current = visibleOffers[active];
  const answer = checkedOffers.length > 0 ? checkedOffers : current === undefined ? [] : [current];

  useKeypress(async (key, rl) => {
    if (status !== 'idle') return;
    const setLine = (text: string): void => {
      rl.clearLine(0);
      rl.write(text);
    };
    const line = rl.line;
    setBeforeSpace(undefined);
    if (isEnterKey(key)) {
      setLine(input);
      const [first] = answer;
      if (first === undefined) return;
      if (first.isOther) setStatus('loading');
      const read = first.isOther ? await readOther!(first.value) : undefined;
      if (read !== undefined && 'problem' in read) {
        setStatus('idle');
        setProblem(read.problem);
        return;
      }
      setStatus('done');
      finish(read === undefined ? answer.map(({ value }) => value) : [read.value]);
    } else if (isUpKey(key) || isDownKey(key)) {
      setLine(input);
      setActive(Math.max(0, Math.min(visibleOffers.length - 1, active + (isUpKey(key) ? -1 : 1))));
    } else if (isSeveral && isSpaceKey(key)) {
      setLine(input);
      if (input !== '') setBeforeSpace(checkedOffers);
      if (current !== undefined)
        setCheckedOffers(
          isChecked(current)
            ? checkedOffers.filter(({ value }) => value !== current.value)
            : [...checkedOffers, current],
        );
    } else if (isTabKey(key)) setLine(input);
    else if (line !== input) {
      // Text after the space shows that it belongs to a name: `Ada Byron`.
      const isName = beforeSpace !== undefined && line.length > input.length;
      if (isName) {
        setCheckedOffers(beforeSpace);
        setLine(`${input} ${line.slice(input.length)}`);
      }
      setInput(rl.line);
      setActive(0);
      setProblem('');
    }
  });

  const page = usePagination({
    items: visibleOffers,
    active,
    renderItem: ({ item, isActive }) => {
      const check = isSeveral ? (isChecked(item) ? marks.checked : ' ') : '';
      if (isActive) return theme.style.highlight(`${marks.cursor}${check} ${item.whole ?? item.label}`);
      return ` ${check} ${item.label.replace('●', (mark) => paint.mark(item.color, mark))}`;
    },
    pageSize,
    loop: false,
  });
  const prompt = `${prefix} ${theme.style.message(message, status)}`;
  if (status === 'done') {
    const [{ isOther, label }] = answer as [Offer];
    const answerText = answer.length > 1 ? `${answer.length} chosen` : isOther ? input.trim() : label;
    return `${prompt} ${theme.style.answer(shorten(answerText, columns - width(message) - 4))}`;
  }
  const position = visibleOffers.length > pageSize ? [`${active + 1} of ${visibleOffers.length}`] : [];
  const note = problem === '' && visibleOffers.length === 0 ? 'Nothing matches' : problem;
  return [
    `${prompt} ${input}`,
    [
      ...(visibleOffers.length === 0 ? [] : [page]),
      ...(note === '' ? [] : [theme.style.error(note)]),
      theme.style.help(help(checkedOffers.length, position)),
    ].join('\n'),
  ];
});
