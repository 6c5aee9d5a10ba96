import type { Argument, Command, Flag, Invocation } from '../command.ts';
import type { Context } from '../session/context.ts';
import { type Entry, present } from './entry.ts';
import type { Given, How, Kind, Raw } from './kind.ts';
import type { Relation } from './relations.ts';
import { flagName, type Name, words } from './words.ts';

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
  /** Reads a call as far as that is possible without the service. Problems are collected. */
  draft(invocation: Invocation, how: How): Promise<Finish<T>>;
}

/** What a command knows of its call besides its input. */
export interface Call extends Omit<Invocation, 'typed' | 'args' | 'parts'> {
  /** For code that doesn't take values yet. */
  bridge: Invocation;
}

const listOf = (value: Given[string]): readonly Raw[] => [value ?? []].flat();

/** Arguments by name. The last one may take all that are left. */
const byPlace = (wanted: readonly Argument[], args: readonly string[]): Given =>
  Object.fromEntries(
    wanted.flatMap(({ name, variadic }, index) =>
      index < args.length ? [[name, variadic ? args.slice(index) : args[index]]] : [],
    ),
  );

const screenOf = ({ settings, runtime, printer }: Context): How['screen'] => {
  if (!runtime.stdout.isTerminal || !printer.showsPages || runtime.env.TERM === 'dumb') return undefined;
  return settings.accessible ? 'words' : 'pictures';
};

/** The world in which the values of a call are read. */
export const howOf = (
  { context, typed, args, isAsked = false }: Pick<Invocation, 'context' | 'typed' | 'args' | 'isAsked'>,
  wanted: readonly Argument[] = [],
): How => {
  const { settings, runtime, askNow } = context;
  return {
    settings,
    now: askNow,
    runtime,
    given: { ...typed, ...byPlace(wanted, args) },
    isTerminal: runtime.stderr.isTerminal && runtime.keyboard.isTerminal,
    screen: screenOf(context),
    isAsked,
  };
};

/** What help, completions and the parser know of a kind. */
const shownOf = ({ choices, suggestions, collection }: Kind) => present({ choices, suggestions, collection });

const flagOf = (
  key: string,
  { kind, description, short, heading, unless, optional, needed, many }: Entry<unknown>,
): Flag => ({
  name: flagName(key),
  description,
  ...shownOf(kind),
  kind,
  ...present({ value: kind.value, short, heading, unless, optional, required: needed, repeat: many }),
});

const argumentOf = (key: string, { kind, description, needed, many, offer }: Entry<unknown>): Argument => ({
  name: flagName(key),
  description,
  ...shownOf(kind),
  ...present({ names: kind.offers, required: needed, variadic: many, offer }),
});

const checkRelations = ({ problems }: Invocation, relations: readonly Relation[], how: How): void => {
  const isGiven = (key: string) => listOf(how.given[flagName(key)]).length > 0;
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
    flags: all.filter((each) => !isArgument(each)).map(([key, entry]) => flagOf(key, entry)),
    arguments: all.filter(isArgument).map(([key, entry]) => argumentOf(key, entry)),
    draft: async (invocation, how) => {
      const { problems } = invocation;
      const values: Record<string, unknown> = {};
      const later: Finish<void>[] = [];
      for (const [key, { kind, take, place }] of all) {
        const about: Name = { name: flagName(key), ...(place && { place }) };
        const given = listOf(how.given[about.name]);
        const taken = await take(given, how);
        if (taken === 'missing') {
          const choices = kind.choices === undefined ? '' : `: ${kind.choices.join(', ')}`;
          if (place === 'argument')
            problems.report({ words: words`Missing argument ${about}${choices}`, adds: about.name });
          else problems.missingFlag(about.name);
        } else if ('refused' in taken) {
          for (const { problem, meant, raw } of taken.refused)
            problems.report({ about, raw: String(raw), words: problem, meant });
        } else if ('value' in taken) values[key] = taken.value;
        else
          later.push(async (context) => {
            values[key] = await taken.later(context);
          });
      }
      checkRelations(invocation, relations as readonly Relation[], how);
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
  draft: async (invocation, how) => {
    const [first, second] = [await one.draft(invocation, how), await other.draft(invocation, how)];
    return async (context) => ({ ...(await first(context)), ...(await second(context)) });
  },
});

/** The input with relations between values of its parts. */
export const related = <T>(input: Input<T>, ...relations: readonly Relation[]): Input<T> => ({
  ...input,
  draft: async (invocation, how) => {
    const finish = await input.draft(invocation, how);
    checkRelations(invocation, relations, how);
    return finish;
  },
});

/** Values that are not read if one of the others is given: lines of a file bring their own. */
export const unless = <T>(others: readonly string[], input: Input<T>): Input<Partial<T>> => ({
  ...input,
  draft: (invocation, how) =>
    others.every((other) => how.given[other] === undefined)
      ? input.draft(invocation, how)
      : Promise.resolve(async () => ({})),
});

/** Reads some of the values of a call. Its problems are reported together with those of the rest. */
export const readSome = async <T>(input: Input<T>, invocation: Invocation): Promise<T> => {
  const finish = await input.draft(invocation, howOf(invocation, input.arguments));
  return finish(invocation.context);
};

/** Reads a whole call. Throws if it has problems. */
export const readCall = async <T>(input: Input<T>, invocation: Invocation): Promise<T> => {
  const finish = await input.draft(invocation, howOf(invocation, input.arguments));
  invocation.problems.check();
  return finish(invocation.context);
};

/** A command that gets its input as values. */
export const taking = <T>(
  input: Input<T>,
  run: (values: T, call: Call) => Promise<void>,
): Pick<Command, 'flags' | 'arguments' | 'run'> => ({
  flags: input.flags,
  arguments: input.arguments,
  run: async (invocation) => {
    const values = await readCall(input, invocation);
    const { typed: _, args: __, parts: ___, ...facts } = invocation;
    const call: Call = { ...facts, bridge: invocation };
    await run(values, call);
    // A command may ask for more while it runs.
    if (call.isAsked) invocation.isAsked = true;
  },
});
