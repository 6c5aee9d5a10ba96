/** Some versions of Node warn that SQLite is experimental. Users can't do anything about that. Returns how to undo it. */
export const silenceSqliteWarning = (): (() => void) => {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!/SQLite is an experimental feature/.test(String(warning))) emitWarning.call(process, warning, ...rest);
  }) as typeof process.emitWarning;
  return () => {
    process.emitWarning = emitWarning;
  };
};

/** Loads SQLite where Node has it, which warns only once. For programs whose other warnings are not ours to change. */
export const loadSqliteSilently = (): void => {
  const undo = silenceSqliteWarning();
  process.getBuiltinModule('node:sqlite');
  undo();
};
