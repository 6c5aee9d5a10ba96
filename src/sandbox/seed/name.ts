/** Which data to seed: a demo team with calendars, only users and tokens, or the demo plus many more events. */
export type SeedName = { kind: 'demo' } | { kind: 'empty' } | { kind: 'large'; events: number };

export const mostEvents = 1_000_000;

/** `demo`, `empty` or `large:N`; `undefined` for anything else. */
export const readSeedName = (text: string): SeedName | undefined => {
  if (text === 'demo' || text === 'empty') return { kind: text };
  const events = /^large:([1-9]\d{0,6})$/.exec(text)?.[1];
  return events === undefined || Number(events) > mostEvents ? undefined : { kind: 'large', events: Number(events) };
};

export const seedNameText = (world: SeedName): string =>
  world.kind === 'large' ? `large:${world.events}` : world.kind;
