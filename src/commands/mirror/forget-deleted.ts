import { SchedError } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import type { Context } from '../../cli/session/context.ts';
import { withMarks } from '../../cli/session/mirror-marks.ts';
import { allMirrors, forgetMarked, hasMirrors, withMirror } from '../../cli/session/open-mirror.ts';
import { stillHas } from '../../sandbox/mirror/forget.ts';
import { realTextsIn } from '../../sandbox/mirror/pseudonyms.ts';
import { membersIn } from '../../sandbox/rules/forgotten-texts.ts';
import type { PlannedItem } from '../bulk/work-plan.ts';

/** People whose deletion was accepted disappear from all mirrors on this machine. No message has an address (R49). */
interface Forgetting {
  /** Marks the people of a batch: a kill must not let anybody come back. */
  mark(items: readonly PlannedItem[]): Promise<void>;
  /** Removes them from all mirrors, and says so. Throws if somebody is left in one. */
  finish(): Promise<string | undefined>;
}

/** Why somebody may be left: a deletion was accepted, so nothing about mirrors makes it fail. */
const problemIn = (error: unknown): string => {
  if (!(error instanceof SchedError)) throw error;
  return [error.message, error.facts.reason].filter(Boolean).join(': ');
};

/** Removes who is marked from one mirror. Returns why somebody may be left in it; undefined if it is another organization's. */
const forgetIn = (context: Context, file: string, place: string, addresses: readonly string[]) =>
  withMirror<string | undefined>(
    context.runtime,
    file,
    async (mirror) => {
      const { store, facts } = mirror;
      await forgetMarked(context, mirror);
      // Another organization may know the same people.
      if (place !== '' && idIn(facts.organization) !== place) return undefined;
      const members = membersIn(store);
      const left = addresses.map((address) => address.toLowerCase()).filter((address) => !members.has(address));
      if (!stillHas(file, left)) return '';
      const others = [...realTextsIn(store, facts).addresses].filter((address) => !left.includes(address));
      return stillHas(file, left, others) ? 'an address is still in its files' : '';
    },
    () => '',
  ).catch(problemIn);

const deletion = { command: ['mirror', 'delete'] };

const nothing: Forgetting = { mark: async () => {}, finish: async () => undefined };

export const openForgetting = async (context: Context, organization: string): Promise<Forgetting> => {
  const { runtime, settings } = context;
  // A mirror may be on another machine that shares state. That of the sandbox is only here.
  if ((settings.sandbox || settings.sharedState === undefined) && !hasMirrors(runtime)) return nothing;
  const addresses: string[] = [];
  const place = organization === 'unknown' ? '' : idIn(organization);
  const mark = async (items: readonly PlannedItem[]) => {
    const texts = items.map(({ text }) => text);
    await withMarks(context, (marks) => marks.add(place, texts));
    addresses.push(...texts);
  };
  // Nothing is sent while people can't be marked.
  await mark([]);
  return {
    mark,
    finish: async () => {
      // Also if this process has sent nothing: an earlier one may have been killed before it came here.
      const answers: (string | undefined)[] = [];
      try {
        for (const file of allMirrors(runtime)) answers.push(await forgetIn(context, file, place, addresses));
      } catch (error) {
        answers.push(problemIn(error));
      }
      const ours = answers.filter((answer) => answer !== undefined);
      const problems = ours.filter((answer) => answer !== '');
      if (problems.length > 0)
        throw new SchedError(
          'environment',
          `Deletion was requested, but ${counted(problems.length, 'mirror')} may still have people`,
          {
            reason: problems.join('; '),
            advice: ['each command with the mirror tries again first; to delete it, run ', deletion],
            outcome: 'applied',
          },
        );
      if (ours.length === 0 || addresses.length === 0) return undefined;
      return `Removed from ${counted(ours.length, 'mirror')} on this machine`;
    },
  };
};
