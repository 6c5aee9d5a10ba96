import { describe, expect, test } from 'vitest';
import { fillTemplate, matchTemplate, namesByPlace, type Template } from '../../src/dialects/template.ts';

const filled = (template: Template, values: Record<string, unknown>) => fillTemplate(template, (name) => values[name]);

const matched = (template: Template, value: unknown): Record<string, unknown> => {
  const found: Record<string, unknown> = {};
  matchTemplate(template, value, ({ name }, each) => {
    found[name] = each;
  });
  return found;
};

describe('a template', () => {
  test('leaves out a text in which a name has no value', () => {
    const template = { link: '{root}/events/{event}', note: '{note}' };
    expect(filled(template, { root: 'https://a.example', note: 'hi' })).toEqual({ note: 'hi' });
    expect(filled(template, { root: 'https://a.example', event: null, note: 'hi' })).toEqual({ note: 'hi' });
    expect(filled({ ...template, link: '{event|null}/x' }, { note: 'hi' })).toEqual({ note: 'hi' });
    expect(filled(template, { root: 'https://a.example', event: 'E1', note: 'hi' })).toEqual({
      link: 'https://a.example/events/E1',
      note: 'hi',
    });
  });

  test('can send a text in lower case, and leaves other values as they are', () => {
    expect(filled({ color: '{color|lower}' }, { color: '#FF00AA' })).toEqual({ color: '#ff00aa' });
    expect(filled({ color: '{color|lower}' }, { color: 7 })).toEqual({ color: 7 });
  });

  const place = { kind: '{at.kind}', phone: '{at.text|kind=call}', text: '{at.text|kind!=call}' };

  test('can have a name under two keys, by the field beside it', () => {
    expect(filled(place, { 'at.kind': 'call', 'at.text': '+49' })).toEqual({ kind: 'call', phone: '+49' });
    expect(filled(place, { 'at.kind': 'room', 'at.text': '2' })).toEqual({ kind: 'room', text: '2' });
    expect(matched(place, { kind: 'call', phone: '+49' })).toEqual({ 'at.kind': 'call', 'at.text': '+49' });
    expect(matched(place, { kind: 'room', text: '2' })).toEqual({ 'at.kind': 'room', 'at.text': '2' });
  });

  test('tells where its names are', () => {
    expect(namesByPlace({ rule: { zone: '{timezone}', by: 'us' }, list: [{ kind: '{at.kind}' }], x: 'a/{b}' })).toEqual(
      [
        ['rule.zone', 'timezone'],
        ['list.0.kind', 'at.kind'],
      ],
    );
  });
});
