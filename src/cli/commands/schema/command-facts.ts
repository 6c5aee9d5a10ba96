import type { Operation } from '../../../api/operation.ts';
import type { Argument, Command, Flag } from '../../command.ts';
import { operationsOf, pipeColumns } from '../../help/command-help.ts';
import { knownFields } from '../../parse/all-flags.ts';
import { type JsonSchema, recordSchema } from './output-schema.ts';

/** What a command does at the service. `local`: nothing. `any`: the user decides. */
type CommandEffect = NonNullable<Operation['effect']> | 'read' | 'any' | 'local';

export interface FlagFacts {
  name: string;
  short?: string;
  type: 'boolean' | 'integer' | 'string';
  /** Placeholder of the value, such as TIME. A switch has none. */
  value?: string;
  /** The value may be omitted. With one, it is joined: `--json=FIELDS`. */
  optional_value?: true;
  choices?: readonly string[];
  required: boolean;
  /** The flag that can be given instead of this required one. */
  unless?: string;
  repeatable: boolean;
  /** There is an opposite: `--no-NAME`. */
  negatable: boolean;
  description: string;
}

export interface ArgumentFacts {
  name: string;
  required: boolean;
  repeatable: boolean;
  choices?: readonly string[];
  description: string;
}

/** Facts about a command, except the schema of what it prints: making that takes a while. */
export interface CallFacts {
  /** `events list` */
  command: string;
  summary: string;
  effect: CommandEffect;
  /** Requests that the command is about. It may send others to look things up. */
  operations: readonly string[];
  scope?: string;
  plan?: string;
  arguments: readonly ArgumentFacts[];
  flags: readonly FlagFacts[];
  /** Columns of the list in a pipe. */
  columns: readonly string[];
  examples: readonly string[];
  notes: readonly string[];
}

export interface CommandFacts extends CallFacts {
  output?: { kind: 'list' | 'record'; record: JsonSchema };
}

const integers = new Set(['N', 'COUNT', 'MINUTES']);

const typeOf = ({ value }: Flag): FlagFacts['type'] => {
  if (value === undefined) return 'boolean';
  return integers.has(value) ? 'integer' : 'string';
};

export const flagFacts = (flag: Flag): FlagFacts => {
  const { name, short, value, optional, choices, required, unless, repeat, negatable, description } = flag;
  return {
    name,
    ...(short === undefined ? {} : { short }),
    type: typeOf(flag),
    ...(value === undefined ? {} : { value }),
    ...(optional ? { optional_value: true } : {}),
    ...(choices === undefined ? {} : { choices }),
    required: required === true,
    ...(unless === undefined ? {} : { unless }),
    repeatable: repeat === true,
    negatable: negatable !== undefined,
    description,
  };
};

const argumentFacts = ({ name, required, variadic, choices, description }: Argument): ArgumentFacts => ({
  name,
  required: required === true,
  repeatable: variadic === true,
  ...(choices === undefined ? {} : { choices }),
  description,
});

export const effectOf = ({ operation, effect }: Command): CommandEffect => {
  if (operation !== undefined) return operation.effect ?? 'read';
  return effect ?? 'local';
};

const byName = <Named extends { name: string }>(one: Named, other: Named): number => (one.name < other.name ? -1 : 1);

/** Whether a command prints a list or a record, or undefined if it prints neither. */
export const outputKind = (command: Command): 'list' | 'record' | undefined => {
  if (knownFields(command).length === 0) return undefined;
  return pipeColumns(command).length > 0 ? 'list' : 'record';
};

/** Everything that a program needs to know to call a command. Its flags are sorted by name. */
export const callFacts = (name: string, command: Command): CallFacts => {
  const { operation } = command;
  return {
    command: name,
    summary: command.summary,
    effect: effectOf(command),
    operations: operationsOf(command).map(({ method, path }) => `${method} ${path}`),
    ...(operation?.scope === undefined ? {} : { scope: operation.scope }),
    ...(operation?.plan === undefined ? {} : { plan: operation.plan }),
    arguments: command.arguments.map(argumentFacts),
    flags: command.flags.map(flagFacts).toSorted(byName),
    columns: pipeColumns(command),
    examples: command.examples.map((example) => `sched ${example}`),
    notes: command.notes ?? [],
  };
};

/** The same with the schema of what the command prints. */
export const commandFacts = (name: string, command: Command): CommandFacts => {
  const { columns, examples, notes, ...call } = callFacts(name, command);
  const kind = outputKind(command);
  const output = kind === undefined ? {} : { output: { kind, record: recordSchema(command) } };
  return { ...call, ...output, columns, examples, notes };
};
