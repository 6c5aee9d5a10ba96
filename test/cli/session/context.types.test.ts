import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Context, Shell } from '../../../src/cli/session/context.ts';
import type { Frontend } from '../../../src/cli/session/frontend.ts';
import type { Printer } from '../../../src/output/printer.ts';
import type { Output, StatusLine } from '../../../src/runtime.ts';

/** The members of a type, and of what they hold, that are one of these: under any name. */
type Holding<Whole, Part> = {
  [Name in keyof Whole & string]-?: NonNullable<Whole[Name]> extends Part
    ? Name
    : NonNullable<Whole[Name]> extends (...args: never) => unknown
      ? never
      : {
          [Inner in keyof NonNullable<Whole[Name]> & string]-?: NonNullable<
            NonNullable<Whole[Name]>[Inner]
          > extends Part
            ? `${Name}.${Inner}`
            : never;
        }[keyof NonNullable<Whole[Name]> & string];
}[keyof Whole & string];

describe('the context of rooms', () => {
  test('has nothing that prints, asks or knows the screen, under any name', () => {
    expectTypeOf<keyof Context>().toEqualTypeOf<
      | ('runtime' | 'settings' | 'notes' | 'connection' | 'client' | 'sharedState' | 'serviceTime')
      | ('now' | 'askNow' | 'dialect' | 'identity' | 'shownId' | 'asker')
    >();
    expectTypeOf<Holding<Context, Printer | Output | StatusLine | Frontend>>().toBeNever();
    // The same search finds them where they are.
    const found: Holding<Shell, Printer | Output | StatusLine | Frontend>[] = [
      ...(['printer', 'frontend', 'runtime.stdout', 'runtime.stderr', 'runtime.status'] as const),
    ];
    expect(found).toHaveLength(5);
  });

  test('shows no mode to a command', () => {
    const read = (context: Context, shell: Shell): unknown[] => [
      // @ts-expect-error: the shell prints
      context.printer,
      // @ts-expect-error: the shell asks
      context.canConfirm,
      // @ts-expect-error: and knows what was agreed
      context.isAgreed,
      // @ts-expect-error: --yes
      context.settings.yes,
      // @ts-expect-error: --dry-run
      context.settings.dryRun,
      // @ts-expect-error: --accessible
      context.settings.accessible,
      // @ts-expect-error: -o
      context.settings.format,
      // @ts-expect-error: --no-input
      context.settings.canAsk,
      // @ts-expect-error: a stream
      context.runtime.stdout,
      // @ts-expect-error: another one
      context.runtime.stderr,
      // @ts-expect-error: what was done is part of the answer
      context.notes.done,
      // @ts-expect-error: and what stands below it
      context.notes.footer,
      shell.printer,
    ];
    expect(read).toBeTypeOf('function');
  });
});
