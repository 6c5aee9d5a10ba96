import { onceEach } from '../../../once.ts';

/** How times and dates look on the desk. */
const shapes = {
  moment: {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  },
  time: { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, hourCycle: 'h23' },
  day: { weekday: 'short', day: 'numeric' },
  dates: { day: 'numeric', month: 'long' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

const format = onceEach((key: string) => {
  const [zone, shape] = key.split(' ');
  return new Intl.DateTimeFormat('en-GB', { ...shapes[shape as keyof typeof shapes], timeZone: zone });
});

export const formatOf = (zone: string, shape: keyof typeof shapes): Intl.DateTimeFormat => format(`${zone} ${shape}`);
