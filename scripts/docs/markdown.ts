const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** A markdown table that is readable in its raw form too. */
export const markdownTable = (header: string[], rows: string[][]): string[] => {
  if (rows.length === 0) return [];
  const lines = [header, ...rows].map((line) => line.map(cell));
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const write = (line: string[]) => `| ${line.map((text, column) => text.padEnd(widths[column]!)).join(' | ')} |`;
  return [
    write(lines[0]!),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...lines.slice(1).map(write),
    '',
  ];
};
