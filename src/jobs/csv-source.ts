/** One record of a CSV text and the line it begins on. */
export interface CsvRecord {
  line: number;
  cells: string[];
}

/** What separates cells: whichever of them the first line has most of. */
const delimiterOf = (text: string): string => {
  const [first = ''] = text.split(/[\r\n]/, 1);
  const outside = first.replace(/"[^"]*"/g, '');
  const count = (mark: string) => outside.split(mark).length;
  return [',', ';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
};

/** RFC 4180, piece by piece, with the delimiters that spreadsheets write; a quoted cell may hold line breaks. */
export async function* csvRecords(text: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  let delimiter: string | undefined;
  let rest = '';
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  let line = 1;
  let began = 1;
  // A quote or a carriage return at the end of a piece is only understood with what follows it.
  const take = function* (isLast: boolean): Generator<CsvRecord> {
    let at = 0;
    const end = rest.length;
    while (at < end) {
      const char = rest[at]!;
      if (isQuoted) {
        const quote = rest.indexOf('"', at);
        const until = quote < 0 ? end : quote;
        const part = rest.slice(at, until);
        cell += part;
        for (let i = part.indexOf('\n'); i >= 0; i = part.indexOf('\n', i + 1)) line += 1;
        at = until;
        if (quote < 0) break;
        if (quote + 1 >= end && !isLast) break;
        if (rest[quote + 1] === '"') {
          cell += '"';
          at = quote + 2;
        } else {
          isQuoted = false;
          at = quote + 1;
        }
      } else if (char === '"' && cell === '') {
        isQuoted = true;
        at += 1;
      } else if (char === delimiter) {
        cells.push(cell);
        cell = '';
        at += 1;
      } else if (char === '\n' || char === '\r') {
        if (char === '\r' && at + 1 >= end && !isLast) break;
        at += char === '\r' && rest[at + 1] === '\n' ? 2 : 1;
        cells.push(cell);
        yield { line: began, cells };
        line += 1;
        began = line;
        cells = [];
        cell = '';
      } else {
        let until = at + 1;
        for (; until < end; until += 1) {
          const next = rest[until]!;
          if (next === delimiter || next === '\n' || next === '\r') break;
        }
        cell += rest.slice(at, until);
        at = until;
      }
    }
    rest = rest.slice(at);
  };
  for await (const piece of text) {
    rest += piece;
    if (delimiter === undefined) {
      if (!/[\r\n]/.test(rest)) continue;
      delimiter = delimiterOf(rest);
    }
    yield* take(false);
  }
  delimiter ??= delimiterOf(rest);
  yield* take(true);
  if (cell !== '' || cells.length > 0) yield { line: began, cells: [...cells, cell] };
}
