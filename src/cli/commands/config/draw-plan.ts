import type { Plan } from '../../../config/model.ts';
import { counted } from '../../../numbers.ts';
import { type BlockStyle, labeled, wrapSafely } from '../../../output/block.ts';
import { humanText } from '../../../output/cells.ts';
import { pad, width } from '../../../output/width.ts';
import { countText, type Entry, type Row } from './plan-entries.ts';

/* A plan on a screen. */

export interface PlanFacts {
  plan: Plan;
  entries: readonly Entry[];
  /** Where the plan is for: organization, profile, service. */
  place: readonly string[];
  /** The beginning of the digest, as `--confirm` takes it. */
  digest: string;
  /** The command that applies the plan, if the next step is to run it. */
  apply?: string | undefined;
}

const signs = { update: '~', create: '+', replace: '~', delete: '-' } as const;
const tones = { '~': 'warning', '+': 'done', '-': 'danger' } as const;
const spokenSigns = { update: 'Change', create: 'Create', replace: 'Replace', delete: 'Delete' } as const;

const indent = '    ';

const rowText = ({ before, after }: Row, arrow: string): string =>
  humanText(before === undefined ? after : `${before} ${arrow} ${after}`);

const entryLines = (entry: Entry, column: number, { paint, available }: BlockStyle): string[] => {
  const sign = signs[entry.action];
  const title = humanText(entry.title);
  const place = paint.faint(`line ${entry.line}`);
  const isBeside = column + 12 <= available;
  const [first, ...rest] = isBeside
    ? [`${pad(title, column)}  ${place}`]
    : [...wrapSafely(title, available - 2), place];
  const widest = Math.max(0, ...entry.rows.map(({ label }) => width(humanText(label))));
  const room = Math.max(20, available - indent.length - widest - 2);
  const below = [
    ...wrapSafely(entry.remark ?? '', available - indent.length).map(paint.faint),
    ...entry.rows.flatMap((row) => labeled(humanText(row.label), widest, wrapSafely(rowText(row, '→'), room), paint)),
  ];
  return [
    `${paint[tones[sign]](sign)} ${first}`,
    ...rest.map((line) => `  ${line}`),
    ...below.filter((line) => line !== '').map((line) => indent + line),
  ];
};

/** How many changes there are, what the file leaves alone, and the digest. */
export const summaryOf = ({ plan, entries, digest }: PlanFacts): string =>
  [
    countText(entries),
    ...(plan.notInFile.length === 0 ? [] : [`${counted(plan.notInFile.length, 'type')} not in the file`]),
    ...(entries.length === 0 ? [] : [`digest ${digest}`]),
  ].join(' · ');

const headingOf = ({ plan, place }: PlanFacts): string => humanText(`${plan.file} → ${place.join(' · ')}`);

export const drawnPlan = (facts: PlanFacts, style: BlockStyle): string => {
  const { plan, entries, apply } = facts;
  const { paint, available } = style;
  const column = Math.max(0, ...entries.map(({ title }) => width(humanText(title))));
  const lines = [
    ...wrapSafely(headingOf(facts), available).map(paint.heading),
    ...entries.flatMap((entry) => entryLines(entry, column, style)),
    ...plan.notes.flatMap((note) => wrapSafely(humanText(`! ${note}`), available).map(paint.faint)),
    ...wrapSafely(summaryOf(facts), available),
    ...(apply === undefined || entries.length === 0 ? [] : [`Apply: ${apply}`]),
  ];
  lines[0] += style.place?.() ?? '';
  return lines.map((line) => `${line}\n`).join('');
};

/** The same for screen readers. */
export const spokenPlan = (facts: PlanFacts): string => {
  const { plan, entries, apply } = facts;
  return [
    headingOf(facts).replaceAll(' · ', ', ').replace(' → ', ' for '),
    ...entries.flatMap((entry) => [
      `${spokenSigns[entry.action]}: ${humanText(entry.title)}, line ${entry.line}${entry.remark ? `, ${entry.remark}` : ''}`,
      ...entry.rows.map((row) => `${humanText(row.label)}: ${rowText(row, 'to')}`),
    ]),
    ...plan.notes.map((note) => `Note: ${humanText(note)}`),
    summaryOf(facts).replaceAll(' · ', ', '),
    ...(apply === undefined || entries.length === 0 ? [] : [`Apply: ${apply}`]),
  ]
    .map((line) => `${line}\n`)
    .join('');
};
