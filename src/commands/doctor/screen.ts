import type { Report } from '../../cli/answer/picture.ts';
import { drawGrid, gap } from '../../output/grid.ts';
import type { Paint } from '../../output/paint.ts';
import type { View } from '../../output/view.ts';
import { width, wrap } from '../../output/width.ts';
import type { Finding } from './finding.ts';

export const findingsView: View = {
  columns: [
    { header: 'CHECK', path: 'check', priority: 5, shrink: false },
    { header: 'STATUS', path: 'status', as: 'status', priority: 4 },
    { header: 'FINDING', path: 'finding', priority: 3 },
    { header: 'FIX', path: 'fix', priority: 2 },
  ],
  id: 'check',
};

/** With fewer columns than this for the findings, they go below the name of their check. */
const leastWidth = 30;

/** A finding with the word that people read before it. */
type Shown = Omit<Finding, 'status'> & { status: string };

/** For narrow terminals. */
const stacked = (findings: readonly Shown[], columns: number): string =>
  findings
    .flatMap(({ check, status, finding, fix }) => [
      ...wrap(`${status}${gap}${check}`, columns),
      ...[finding, ...(fix === null ? [] : [`fix: ${fix}`])]
        .flatMap((text) => wrap(text, Math.max(columns - gap.length, 1)))
        .map((line) => `${gap}${line}`),
    ])
    .map((line) => `${line}\n`)
    .join('');

/** Prints each fix in full below its finding. A normal table would shorten it. */
const drawFindings = (findings: readonly Shown[], columns: number): string => {
  const widest = (texts: string[]) => Math.max(...texts.map(width));
  const before = [widest(findings.map(({ status }) => status)), widest(findings.map(({ check }) => check))];
  const room = columns - before.reduce((sum, each) => sum + each + gap.length, 0);
  if (room < leastWidth) return stacked(findings, columns);
  const rows = findings.map(({ check, status, finding, fix }) => {
    const lines = [finding, ...(fix === null ? [] : [`fix: ${fix}`])].flatMap((text) => wrap(text, room));
    return [status, check, lines.join('\n')];
  });
  const last = widest(rows.flatMap(([, , lines]) => lines!.split('\n')));
  return drawGrid(
    rows,
    [...before, last].map((each) => ({ width: each })),
  );
};

/** Each finding starts with its status. The lines below it are indented. */
const paintStatus = (line: string, paint: Paint): string =>
  line
    .replace(/^(ok|note|problem|holds|doesn't|failed|unknown)\b/, paint.status)
    .replace(/^[✔!✗]/, (sign) =>
      sign === '✔' ? paint.done(sign) : sign === '!' ? paint.warning(sign) : paint.error(sign),
    );

/** Findings as people read them, each after a word or sign for it. */
export const reportOf = <Each extends Finding>(
  findings: readonly Each[],
  labelOf: (finding: Each) => string,
): Report => ({
  rows: findings,
  lines: (columns) =>
    drawFindings(
      findings.map((finding) => ({ ...finding, status: labelOf(finding) })),
      columns,
    ),
  paint: paintStatus,
});
