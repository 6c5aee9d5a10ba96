import { exitCodes } from '../../src/base/errors.ts';
import { pipeColumns } from '../../src/cli/help/command-help.ts';
import type { Leaf } from '../../src/cli/parse/leaf.ts';
import { sharedFlags } from '../../src/cli/parse/shared-flags.ts';
import { buildTree } from '../../src/cli/parse/tree.ts';
import { commandEffect } from '../../src/commands/schema/command-facts.ts';

/** The facts that scripts rely on, one sentence each. A missing fact is a broken promise. */
export type Facts = Record<'exit codes' | 'columns' | 'fields' | 'commands', string[]>;

/** The names are the error codes. */
export const exitCodeFacts = (): string[] => Object.entries(exitCodes).map(([name, code]) => `${name} is ${code}`);

type Flag = Leaf['definition']['flags'][number];

const flagFacts = ({ name, short, kind: { value }, optional, repeat, negatable, choices = [] }: Flag): string[] => {
  const kind = value === undefined ? 'SWITCH' : choices.length > 0 ? 'CHOICE' : 'VALUE';
  return [
    `--${name} ${optional ? `[${kind}]` : kind}`,
    ...choices.map((choice) => `--${name} ${choice}`),
    ...(short === undefined ? [] : [`--${name} is -${short}`]),
    ...(repeat ? [`--${name} may be repeated`] : []),
    ...(negatable ? [`--${name} has --no-${name}`] : []),
  ];
};

const argumentFacts = (leaf: Leaf): string[] =>
  leaf.definition.arguments.flatMap(({ name, required, variadic, choices = [] }, index) => {
    const word = `${name}${variadic ? '...' : ''}`;
    const place = `argument ${index + 1}`;
    return [`${place} ${required ? `<${word}>` : `[${word}]`}`, ...choices.map((choice) => `${place} ${choice}`)];
  });

/** The flags of this command only. Shared flags are listed once, under "every command". */
const leafFacts = (leaf: Leaf): string[] => {
  const flags = leaf.definition.flags;
  const own = new Set(flags.map(({ name }) => name));
  const replaced = sharedFlags.filter(({ name }) => own.has(name)).map(({ name }) => `has its own --${name}`);
  const { operation } = leaf.definition;
  const scope = operation?.scope === undefined ? [] : [`scope ${operation.scope}`];
  return [
    `effect ${commandEffect(leaf.definition)}`,
    ...scope,
    ...argumentFacts(leaf),
    ...flags.flatMap(flagFacts),
    ...replaced,
  ];
};

export const leaves = async (): Promise<Map<string, Leaf>> => {
  const found = new Map<string, Leaf>();
  for (const noun of (await buildTree()).commands) {
    if (noun.commands.length === 0) found.set(noun.name(), noun as Leaf);
    for (const verb of noun.commands) found.set(`${noun.name()} ${verb.name()}`, verb as Leaf);
  }
  return found;
};

export const commandFacts = async (): Promise<string[]> => {
  const aliases = (await buildTree()).commands
    .filter((noun) => noun.alias() !== undefined)
    .map((noun) => `${noun.name()} is also ${noun.alias()}`);
  const own = [...(await leaves())].flatMap(([name, leaf]) => [
    name,
    ...leafFacts(leaf).map((fact) => `${name}: ${fact}`),
  ]);
  return [...own, ...aliases, ...sharedFlags.flatMap(flagFacts).map((fact) => `every command: ${fact}`)];
};

/** Commands whose help documents columns. */
export const listCommands = async (): Promise<Map<string, string[]>> =>
  new Map(
    [...(await leaves())]
      .map(([name, leaf]) => [name, pipeColumns(leaf.definition)] as const)
      .filter(([, columns]) => columns.length > 0),
  );

export const columnFacts = (command: string, columns: readonly string[]): string[] =>
  columns.map((column, index) => `${command}: ${String(index + 1).padStart(2, '0')} ${column}`);

/** The field names of a value, including nested lists and objects. */
export const fieldsOf = (value: unknown, before = ''): string[] => {
  if (Array.isArray(value)) return value.flatMap((each) => fieldsOf(each, before));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    `${before}${name}`,
    ...fieldsOf(inner, `${before}${name}.`),
  ]);
};

export const sorted = (facts: readonly string[]): string[] => [...new Set(facts)].sort();

export interface Change {
  fact: string;
  isBroken: boolean;
  what: string;
}

/** Whether a fact is a new requirement on an existing command, which older scripts don't meet. */
const breaks = (fact: string, before: ReadonlySet<string>): boolean => {
  const [, command, isStricter] = /^(.+?): (argument \d+ <|has its own --)?/.exec(fact) ?? [];
  return isStricter !== undefined && before.has(command!);
};

/** The changes from the promised facts to the current ones. */
export const changesBetween = (promised: readonly string[], today: readonly string[]): Change[] => {
  const [before, now] = [new Set(promised), new Set(today)];
  const gone = promised
    .filter((fact) => !now.has(fact))
    .map((fact) => ({ fact, isBroken: true, what: 'removed, renamed or moved' }));
  const added = today
    .filter((fact) => !before.has(fact))
    .map((fact) =>
      breaks(fact, before)
        ? { fact, isBroken: true, what: 'now required or replaced' }
        : { fact, isBroken: false, what: 'added' },
    );
  return [...gone, ...added];
};
