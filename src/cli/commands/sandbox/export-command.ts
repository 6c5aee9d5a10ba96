import type { Command, Invocation } from '../../command.ts';
import { askSandbox } from './running.ts';
import { readData, sharedDataFlag } from './serving.ts';

const asked = {
  method: 'GET',
  path: '/__sandbox/world',
  refusal: { message: "Can't export the world" },
} as const;

const run = async (invocation: Invocation): Promise<void> => {
  const { context, typed, problems } = invocation;
  const { printer, settings, notes } = context;
  const data = readData(invocation);
  if (data === ':memory:') problems.add('--data :memory: ends with the command, so there is nothing to export');
  problems.check();
  if (typed.schema === true) {
    const { worldJsonSchema } = await import('../../../sandbox/world/schema.ts');
    return printer.whole(worldJsonSchema());
  }
  const [world, { leftOut }, { yamlDocument }] = await Promise.all([
    askSandbox(context.runtime, data, asked),
    import('../../../sandbox/world/export.ts'),
    import('../../../output/yaml.ts'),
  ]);
  const isPlain = settings.format === 'table' || settings.format === 'tsv';
  await (isPlain ? printer.text(yamlDocument(world).trimEnd()) : printer.whole(world));
  notes.info(`Left out: ${leftOut}`);
};

export const exportCommand: Command = {
  name: 'export',
  summary: "Write the sandbox's data as a world file, for --seed",
  arguments: [],
  flags: [sharedDataFlag, { name: 'schema', description: 'print the JSON Schema of world files instead, for editors' }],
  local: true,
  examples: ['sandbox export > world.yaml', 'sandbox export -o json', 'sandbox export --schema > world.schema.json'],
  notes: [
    'The file is YAML; with -o json it is JSON. Start another sandbox with it: sched sandbox start --data ./copy.db --seed world.yaml. IDs and times stay the same. docs/sandbox.md describes the format.',
    'Inside sandbox run, and wherever SCHED_BASE_URL and SCHED_SANDBOX_ADMIN name a running sandbox, this command exports that one.',
  ],
  run,
};
