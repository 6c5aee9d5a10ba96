import { beforeAll, describe, expect, it } from 'vitest';
import { openWorld, organization, pathOf, type World } from '../world.ts';

describe('routing-forms', () => {
  let world: World;
  // biome-ignore lint/suspicious/noExplicitAny: records as they come off the wire
  let forms: any[];
  beforeAll(async () => {
    world = await openWorld();
    forms = await world.walk('/routing_forms', { organization, count: '3' });
  });
  const submissions = (form: { uri: string }, query: Record<string, string> = {}) =>
    world.walk('/routing_form_submissions', { form: form.uri, count: '10', ...query });

  it('are listed in the order they were created', async () => {
    expect(forms.map(({ status }) => status)).toEqual(['published', 'published', 'published', 'draft']);
    expect(forms[0].questions[2]).toMatchObject({
      type: 'select',
      required: true,
      answer_choices: ['A first talk', 'Support', 'A contract', 'Something else'],
    });
    const newest = await world.walk('/routing_forms', { organization, sort: 'created_at:desc' });
    expect(newest).toEqual([...forms].reverse());
  });

  it('route submitters to event types, pages and messages', async () => {
    const all = (await Promise.all(forms.map((form) => submissions(form)))).flat();
    expect(all.length).toBeGreaterThan(55);
    const kinds = new Set(all.map(({ result }) => result?.type));
    expect(kinds).toEqual(new Set(['event_type', 'external_url', 'custom_message', undefined]));
    for (const { result, submitter } of all) {
      if (result?.type === 'event_type') expect((await world.get(pathOf(result.value))).status).toBe(200);
      if (submitter) expect((await world.get(pathOf(submitter))).status).toBe(200);
    }
    expect(all.some(({ submitter_type }) => submitter_type === 'Invitee')).toBe(true);
    const words = JSON.stringify(all);
    for (const script of ['Greek', 'Cyrillic', 'Arabic', 'Hebrew', 'Han', 'Hangul', 'Devanagari', 'Thai'])
      expect(words, script).toMatch(new RegExp(`\\p{Script=${script}}`, 'u'));
  });

  it('list submissions by form in both orders', async () => {
    const up = await submissions(forms[0]);
    const down = await submissions(forms[0], { sort: 'created_at:desc' });
    expect(up).toHaveLength(34);
    expect(down).toEqual([...up].reverse());
    expect(up.every(({ routing_form }) => routing_form === forms[0].uri)).toBe(true);
    expect(up.every(({ created_at }) => Date.parse(created_at) <= world.clock.time)).toBe(true);
    expect(await submissions(forms[3])).toEqual([]);
  });
});
