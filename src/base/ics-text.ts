/** Longest line in octets, without its line break (RFC 5545 §3.1). */
const longestLine = 75;

/** Splits a long line. The rest goes to lines that begin with a space; no character is torn apart. */
export const foldIcs = (line: string): string => {
  let foldedLine = '';
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > longestLine) {
      foldedLine += '\r\n ';
      octets = 1;
    }
    foldedLine += character;
    octets += size;
  }
  return `${foldedLine}\r\n`;
};

/** Text without the characters that a calendar can't hold: control characters and half of a surrogate pair. */
const clean = (text: string): string =>
  text
    .replace(/\r\n|[\r\u0085\u2028\u2029]/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Surrogate}/gu, '\ufffd');

/** A value of type TEXT (RFC 5545 §3.3.11). */
export const icsText = (text: string): string =>
  clean(text)
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');

const parameterEscapes: Record<string, string> = { '^': '^^', '\n': '^n', '"': "^'" };

/** The value of a parameter, in quotes (RFC 6868). */
const parameterValue = (text: string): string =>
  `"${clean(text).replace(/[\^\n"]/g, (character) => parameterEscapes[character]!)}"`;

/** `20261116T090000Z` */
export const icsTime = (at: number): string => new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');

/** A person's property, such as `ATTENDEE;CN="Ada":mailto:ada@example.com`. */
export const icsPerson = (property: string, name: string | undefined, address: string, state = ''): string => {
  const mail = encodeURIComponent(clean(address)).replaceAll('%40', '@');
  return `${property}${name === undefined ? '' : `;CN=${parameterValue(name)}`}${state}:mailto:${mail}`;
};

export const icsOpening = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//sched//sched//EN'].map(foldIcs).join('');
export const icsClosing = foldIcs('END:VCALENDAR');

/** The lines of an event as a calendar. */
export const calendarOf = (lines: readonly string[]): string =>
  `${icsOpening}${lines.map(foldIcs).join('')}${icsClosing}`;
