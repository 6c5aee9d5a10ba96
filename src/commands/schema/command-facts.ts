import type { Operation } from '../../api/operation.ts';
import { spell } from '../../base/words.ts';
import type { Argument, Command, Flag } from '../../cli/command.ts';
import { operationsOf, pipeColumns } from '../../cli/help/command-help.ts';
import { whyNoMirror } from '../../cli/mirror-answer.ts';
import type { FieldFlag } from '../../cli/operation/field-flags.ts';
import { knownFields } from '../../cli/parse/all-flags.ts';
import { addressOf, type Dialect, lackedInputs, wireOf } from '../../dialects/dialect.ts';
import { recordSchema } from './output-schema.ts';

/** What a command does at the service. `local`: nothing. `any`: the user decides. */
type CommandEffect = NonNullable<Operation['effect']> | 'read' | 'any' | 'local';

export const flagFacts = (flag: Flag) => ({
  name: flag.name,
  short: flag.short,
  /** As in JSON Schema: several for a flag that takes `COUNT|DIGEST`. */
  type: flag.kind.json,
  /** Placeholder of the value, such as TIME. A switch has none. */
  value: flag.kind.value,
  /** The value may be omitted. With one, it is joined: `--json=FIELDS`. */
  optional_value: flag.optional,
  choices: flag.choices,
  required: flag.required === true,
  /** The flag that can be given instead of this required one. */
  unless: flag.unless,
  repeatable: flag.repeat === true,
  /** There is an opposite: `--no-NAME`. */
  negatable: flag.negatable !== undefined,
  description: spell(flag.description),
});

export type FlagFacts = ReturnType<typeof flagFacts>;

export const argumentFacts = ({ name, required, variadic, choices, description }: Argument) => ({
  name,
  required: required === true,
  repeatable: variadic === true,
  choices,
  description: spell(description),
});

/** Whether `--mirror` answers a command, or why not. */
const mirrorFact = (command: Command): true | string => whyNoMirror(command) ?? true;

export const commandEffect = ({ operation, effect }: Command): CommandEffect => {
  if (operation !== undefined) return operation.effect ?? 'read';
  return effect ?? 'local';
};

export const byName = <Named extends { name: string }>(one: Named, other: Named): number =>
  one.name < other.name ? -1 : 1;

/** Whether a command prints a list or a record, or undefined if it prints neither. */
export const outputKind = (command: Command): 'list' | 'record' | undefined => {
  if (knownFields(command).length === 0) return undefined;
  return pipeColumns(command).length > 0 ? 'list' : 'record';
};

type NamedCommand = [name: string, command: Command];

/** The commands as the service has them: without operations, and flags for inputs, that its dialect says it lacks. */
export const offeredCommands = (commands: NamedCommand[], dialect: Dialect | undefined): NamedCommand[] =>
  commands.flatMap(([name, command]): NamedCommand[] => {
    const { operation, alternative, flags, examples } = command;
    if (operation === undefined) return [[name, command]];
    const wire = wireOf(dialect, operation);
    if (wire === undefined) return [];
    const isWhole = alternative === undefined || wireOf(dialect, alternative) !== undefined;
    const ofOther = isWhole ? [] : Object.keys(alternative.query?.shape ?? {});
    const own = Object.keys(operation.query?.shape ?? {});
    const lacked = [...lackedInputs(operation, wire), ...ofOther.filter((each) => !own.includes(each))];
    const isLacked = ({ part, path = [] }: Flag & Partial<Pick<FieldFlag, 'part' | 'path'>>) =>
      part !== 'rows' && lacked.includes(path[0]!);
    const words = flags.filter(isLacked).map((flag) => `--${flag.name}`);
    const usable = examples.filter((example) => !example.split(' ').some((word) => words.includes(word)));
    return [[name, { ...command, flags: flags.filter((flag) => !isLacked(flag)), examples: usable }]];
  });

/** Where the dialect has the operation of a command, if that is another address than in the documentation. */
const movedTo = ({ operation }: Command, dialect: Dialect | undefined) => {
  const address = operation && addressOf(dialect, operation);
  return address?.method === operation?.method && address?.path === operation?.path ? undefined : address;
};

/**
 * Everything that a program needs to know to call a command, except the schema of what it prints: making that takes a
 * while. Its flags are sorted by name.
 */
export const callFacts = (name: string, command: Command) => ({
  /** `events list` */
  command: name,
  summary: command.summary,
  effect: commandEffect(command),
  /** Requests that the command is about. It may send others to look things up. */
  operations: operationsOf(command).map(({ method, path }) => `${method} ${path}`),
  scope: command.operation?.scope,
  plan: command.operation?.plan,
  arguments: command.arguments.map(argumentFacts),
  flags: command.flags.map(flagFacts).toSorted(byName),
  /** Columns of the list in a pipe. */
  columns: pipeColumns(command),
  examples: command.examples.map((example) => `sched ${example}`),
  notes: command.notes ?? [],
});

export type CallFacts = ReturnType<typeof callFacts>;

/** The same with the schema of what the command prints, and the address in a dialect. */
export const commandFacts = (name: string, command: Command, dialect: Dialect | undefined) => {
  const { columns, examples, notes, ...call } = callFacts(name, command);
  const kind = outputKind(command);
  const output = kind && { kind, record: recordSchema(command) };
  return { ...call, mirror: mirrorFact(command), wire: movedTo(command, dialect), output, columns, examples, notes };
};
