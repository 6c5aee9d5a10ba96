import { flagName, type Name, words } from '../../base/words.ts';
import type { Reply } from '../answer/plan.ts';
import type { Argument, Command, Draft, Flag, Invocation, Reading } from '../command.ts';
import type { Context } from '../session/context.ts';
import { type Entry, present } from './entry.ts';
import type { Given, Raw } from './given.ts';
import type { How, Kind } from './kind.ts';
import type { Relation } from './relations.ts';

// biome-ignore lint/suspicious/noExplicitAny: each entry has a type of its own
type Entries = Readonly<Record<string, Entry<any>>>;

/** The values that a command gets. */
export type Values<E extends Entries> = { [Key in keyof E]: E[Key] extends Entry<infer T> ? T : never };

/** Asks the service for what only it knows of a call. */
type Finish<T> = (context: Context) => Promise<T>;

/** What a command takes. A command line, a line of a file, a call of a tool and prompts are ways to write it. */
export interface Input<T> {
  readonly flags: Flag[];
  readonly arguments: Argument[];
  /** Reads a call. Problems are collected. */
  readonly draft: Draft<T>;
}

/** What a command knows of its call besides its input. */
export interface Call extends Omit<Invocation, 'given'> {
  /** The world in which the call was read, and in which the lines of its files are read. */
  how: How;
}

const rawValues = (value: Given[string]): readonly Raw[] => [value ?? []].flat();

/** The world in which the values of a call are read. */
export const howOf = ({ world, given, isAsked = false }: Pick<Invocation, 'world' | 'given' | 'isAsked'>): How => ({
  ...world,
  given,
  isAsked,
});

/** What help, completions and the parser know of a kind. */
const kindFacts = ({ choices, suggestions, collection }: Kind) => present({ choices, suggestions, collection });

const entryFlag = (
  key: string,
  { kind, description, short, heading, unless, optional, needed, many }: Entry<unknown>,
): Flag => ({
  name: flagName(key),
  description,
  ...kindFacts(kind),
  kind,
  ...present({ short, heading, unless, optional, required: needed, repeat: many }),
});

const entryArgument = (key: string, { kind, description, needed, many, offer }: Entry<unknown>): Argument => ({
  name: flagName(key),
  description,
  ...kindFacts(kind),
  ...present({ names: kind.offers, required: needed, variadic: many, offer }),
});

const checkRelations = ({ problems }: Reading, relations: readonly Relation[], how: How): void => {
  const isGiven = (key: string) => rawValues(how.given[flagName(key)]).length > 0;
  for (const relation of relations) for (const issue of relation.check(isGiven, how)) problems.report(issue);
};

/** Declares what a command takes, and what its values have to do with each other. */
export const input = <const E extends Entries>(
  entries: E,
  ...relations: readonly Relation<keyof E & string>[]
): Input<Values<E>> => {
  const all = Object.entries(entries);
  const isArgument = ([, { place }]: (typeof all)[number]) => place === 'argument';
  return {
    flags: all.filter((each) => !isArgument(each)).map(([key, entry]) => entryFlag(key, entry)),
    arguments: all.filter(isArgument).map(([key, entry]) => entryArgument(key, entry)),
    draft: async (call, how) => {
      const { problems } = call;
      const values: Record<string, unknown> = {};
      const later: Finish<void>[] = [];
      for (const [key, { kind, take, place }] of all) {
        const about: Name = { name: flagName(key), ...(place && { place }) };
        const given = rawValues(how.given[about.name]);
        const result = await take(given, how);
        if (result === 'missing') {
          const choices = kind.choices === undefined ? '' : `: ${kind.choices.join(', ')}`;
          if (place === 'argument') problems.report({ words: words`Missing argument ${about}${choices}`, adds: about });
          else problems.missingFlag(about.name);
        } else if ('refusals' in result) {
          for (const { problem, correction, raw } of result.refusals)
            problems.report({ about, raw: String(raw), words: problem, correction });
        } else if ('value' in result) values[key] = result.value;
        else
          later.push(async (context) => {
            values[key] = await result.later(context);
          });
      }
      checkRelations(call, relations as readonly Relation[], how);
      return async (context) => {
        for (const resolve of later) await resolve(context);
        return values as Values<E>;
      };
    },
  };
};

/** Two inputs as one. The problems of both are reported together. */
export const both = <A, B>(one: Input<A>, other: Input<B>): Input<A & B> => ({
  flags: [...one.flags, ...other.flags],
  arguments: [...one.arguments, ...other.arguments],
  draft: async (call, how) => {
    const [first, second] = [await one.draft(call, how), await other.draft(call, how)];
    return async (context) => ({ ...(await first(context)), ...(await second(context)) });
  },
});

/** The input with relations between values of its parts. */
export const related = <T>(input: Input<T>, ...relations: readonly Relation[]): Input<T> => ({
  ...input,
  draft: async (call, how) => {
    const finish = await input.draft(call, how);
    checkRelations(call, relations, how);
    return finish;
  },
});

/** Values that are not read if one of the others is given: lines of a file bring their own. */
export const unless = <T>(others: readonly string[], input: Input<T>): Input<Partial<T>> => ({
  ...input,
  draft: (call, how) =>
    others.every((other) => how.given[other] === undefined)
      ? input.draft(call, how)
      : Promise.resolve(async () => ({})),
});

/** Reads some of the values of a call. Its problems are reported together with those of the rest. */
export const readSome = async <T>(input: Input<T>, invocation: Invocation): Promise<T> => {
  const finish = await input.draft(invocation, howOf(invocation));
  return finish(invocation.context);
};

/** Reads a whole call. Throws if it has problems. */
export const readCall = async <T>(input: Input<T>, invocation: Invocation): Promise<T> => {
  const finish = await input.draft(invocation, howOf(invocation));
  invocation.problems.check();
  return finish(invocation.context);
};

/** A command that gets its input as values. */
export const taking = <T>(
  input: Input<T>,
  run: (values: T, call: Call) => Promise<Reply>,
): Pick<Command, 'flags' | 'arguments' | 'run'> => {
  const readAndRun = async (invocation: Invocation): Promise<Reply> => {
    const values = await readCall(input, invocation);
    const { given: _, ...facts } = invocation;
    return run(values, {
      ...facts,
      how: howOf(invocation),
      get isAsked() {
        return invocation.isAsked === true;
      },
      // A command may ask for more while it runs, and while its plan is carried out.
      set isAsked(isAsked) {
        invocation.isAsked = isAsked;
      },
    });
  };
  return { flags: input.flags, arguments: input.arguments, run: Object.assign(readAndRun, { draft: input.draft }) };
};
