import { SchedError } from '../../base/errors.ts';
import { isObject, jsonIn, jsonText } from '../../base/json.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import { statIfAny } from '../../state/directories.ts';
import { writePrivateFile } from '../../state/files.ts';
import { readNamedFile } from '../../state/named-file.ts';
import type { ApiFinding } from './api-prober.ts';

/** What was seen by the name of a check. */
type Seen = Record<string, string>;

/** What a change of the API changes, and other records don't. */
const stable = ({ verdict, seen, finding }: ApiFinding): string =>
  `${verdict}${seen === null ? '' : ` (${seen.status})`}: ${finding.replace(/\b[\d,]+ records?\b/g, 'records')}`;

const readBaseline = async (
  file: string,
  service: string,
  { interrupted }: HeadlessRuntime,
): Promise<Seen | undefined> => {
  if (statIfAny(file) === undefined) return undefined;
  const value = jsonIn(new TextDecoder().decode(await readNamedFile(file, interrupted)));
  if (!isObject(value) || !isObject(value.seen) || value.doctor_baseline !== 1)
    throw new SchedError('usage', `${file} is not a baseline of doctor --api`, { advice: 'name a new file' });
  if (value.service !== service)
    throw new SchedError('usage', `${file} is a baseline of another service`, { reason: `it is of ${value.service}` });
  return value.seen as Seen;
};

/** The findings that are other ones than in the last run. Undefined for the first one. Then the file has this run. */
export const changedSince = async (
  file: string,
  service: string,
  findings: readonly ApiFinding[],
  runtime: HeadlessRuntime,
): Promise<ApiFinding[] | undefined> => {
  const before = await readBaseline(file, service, runtime);
  // A service that does not reply tells nothing about its API.
  const isTold = ({ verdict, seen }: ApiFinding) => verdict !== 'unknown' || (seen !== null && seen.status < 500);
  const seen = { ...before, ...Object.fromEntries(findings.filter(isTold).map((each) => [each.check, stable(each)])) };
  await writePrivateFile(file, `${jsonText({ doctor_baseline: 1, service, seen }, 2)}\n`, runtime);
  return (
    before &&
    findings.flatMap((each) => {
      const [was, now] = [before[each.check] ?? 'not checked', seen[each.check] ?? 'not checked'];
      return was === now ? [] : [{ ...each, finding: `${each.finding}; before: ${was}` }];
    })
  );
};
