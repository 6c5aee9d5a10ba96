import { jsonText } from '../../base/json.ts';
import type { Format } from '../../output/formats.ts';
import type { Shell } from '../session/context.ts';
import type { Answer, FileAnswer, RawAnswer, SecretAnswer, TextAnswer } from './answer.ts';

/* Answers that are text: their form may be what they are. */

/** Whether people or lines of text are wanted, without a choice of fields. */
export const hasLines = ({ settings: { format, fields, jq } }: Shell): boolean =>
  (format === 'table' || format === 'tsv') && fields === undefined && jq === undefined;

export const showText = async ({ printer }: Shell, text: string, paint?: TextAnswer['paint']): Promise<void> => {
  if (text !== '') await printer.text(text, paint);
};

/** Whether a file is shown as its text. */
const isText = (context: Shell, { text, isYaml }: FileAnswer): boolean => {
  const { format, jq } = context.settings;
  return text !== undefined && (hasLines(context) || (isYaml === true && format === 'yaml' && jq === undefined));
};

export const showFile = async (context: Shell, answer: FileAnswer): Promise<void> => {
  const { printer, settings } = context;
  const text = isText(context, answer) ? answer.text! : undefined;
  if (settings.jq === undefined) answer.check?.(text ?? jsonText(answer.value, 2));
  if (text !== undefined) return showText(context, text);
  return answer.json === undefined || needsValue(context)
    ? printer.whole(answer.value)
    : showJson(context, answer.json);
};

export const showSecret = ({ runtime, settings }: Shell, { text, json }: SecretAnswer): Promise<void> =>
  runtime.reveal(`${json !== undefined && settings.format === 'json' ? JSON.stringify(json) : text}\n`);

/** Whether the form is made of the value of JSON, not of its text. */
const needsValue = ({ settings: { format, jq } }: Shell): boolean => jq !== undefined || format === 'yaml';

const showJson = async ({ runtime, settings }: Shell, json: string, isPretty = settings.format !== 'jsonl') => {
  const { layOutJson } = await import('../../output/json-text.ts');
  await runtime.stdout.write(`${layOutJson(json, isPretty)}\n`);
};

/** Formats that can show any JSON; the others show records. */
const wholeFormats: ReadonlySet<Format> = new Set(['json', 'jsonl', 'yaml']);

/** Whoever wants records or another form gets those of the JSON; all others what came. */
export const showRaw = async (
  context: Shell,
  { head, text, isJson, parsed }: RawAnswer,
  show: (answer: Answer) => Promise<void>,
): Promise<void> => {
  const { printer, runtime, settings } = context;
  const { stdout } = runtime;
  if (head !== undefined) await stdout.write(head);
  if (!isJson && text !== '') return stdout.isTerminal ? printer.text(text) : stdout.write(text);
  if (!isJson) return;
  const hasRecords = settings.fields !== undefined || !wholeFormats.has(settings.format);
  if (parsed !== undefined && hasRecords) return show(parsed.records());
  const value = needsValue(context) ? parsed?.value() : undefined;
  if (value !== undefined) return printer.one({ columns: [] }, value);
  return showJson(context, text, settings.format !== 'jsonl' || parsed === undefined);
};

/** Whether somebody reads what is said below an answer. Below a text, that is who reads the text. */
export const hasFooters = (context: Shell, answer: Answer): boolean => {
  if (answer.kind !== 'text' && answer.kind !== 'file') return true;
  return context.runtime.stdout.isTerminal && (answer.kind === 'text' || isText(context, answer));
};
