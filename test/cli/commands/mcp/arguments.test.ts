import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callTool, connect } from '../../../support/mcp-client.ts';
import { createWorld } from '../../../support/run.ts';
import { temporaryDirectory } from '../../../support/temporary.ts';
import { sample } from '../../../support/tier.ts';

let open: Awaited<ReturnType<typeof connect>>;
beforeAll(async () => {
  open = await connect(await createWorld({ home: temporaryDirectory('mcp-arguments') }), '--allow-writes');
});
afterAll(() => open.close());

interface Property {
  type: string;
  enum?: string[];
  items?: Property;
  description?: string;
}

/** A value that the schema of a property allows. */
const valueFor = ({ type, enum: choices, items, description = '' }: Property): unknown => {
  if (type === 'array') return [valueFor(items!)];
  if (type === 'integer') return 30;
  if (/time zone/.test(description)) return 'UTC';
  if (/email/.test(description)) return 'somebody@example.com';
  return choices?.[0] ?? (/time/.test(description) ? '2027-01-04T09:00:00Z' : 'nothing');
};

/** A schema can't say that one of several properties is needed. These are the ones that descriptions name. */
const alternatives: Record<string, Record<string, unknown>> = {
  invitees_create: { first_free: true, name: 'Somebody' },
  one_offs_create: { days: 5 },
};

describe('the schema of a tool', () => {
  test('requires all that a call needs', async () => {
    const { tools } = await open.client.listTools();
    const lacking: string[] = [];
    for (const { name, description, inputSchema } of sample(tools, 12)) {
      const properties = inputSchema.properties as unknown as Record<string, Property>;
      const values = (inputSchema.required ?? []).map((property) => [property, valueFor(properties[property]!)]);
      const chosen = alternatives[name] ?? {};
      for (const property of Object.keys(chosen)) expect(description).toMatch(new RegExp(`Give .*\\b${property}\\b`));
      const { error } = await callTool(open.client, name, { ...Object.fromEntries(values), ...chosen });
      if (/Missing/.test(error?.message ?? '')) lacking.push(`${name}: ${error.message}`);
    }
    expect(lacking).toEqual([]);
  });
});
