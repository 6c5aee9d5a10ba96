import { limits } from '../api/limits.ts';
import { routingForms, type SentSubmission } from '../api/routing-forms.ts';
import type { RecordOf } from '../api/sent.ts';
import { hasCategory } from '../base/errors.ts';
import { recordsIn } from '../base/json.ts';
import { idIn } from '../base/uri.ts';
import type { Listing, Remainder, Stage } from '../cli/answer/answer.ts';
import { type Plan, plan } from '../cli/answer/plan.ts';
import { both, taking } from '../cli/input/input.ts';
import { type Decorations, type GenericCommand, positional } from '../cli/operation/generic-command.ts';
import { requestInput } from '../cli/operation/input.ts';
import { boundsInput } from '../cli/operation/list-input.ts';
import { keepOf, rowRemarks } from '../cli/operation/listing.ts';
import { type OperationInput, runOperation } from '../cli/operation/run-operation.ts';
import { withFacts } from '../cli/operation/write-result.ts';
import type { Context } from '../cli/session/context.ts';
import { openValue } from '../output/fields.ts';
import { csvQuestionColumns, questionColumns } from '../output/question-columns.ts';
import type { Column, View } from '../output/view.ts';

type Form = RecordOf<typeof routingForms.list>;

/** Sorts records by a time field. `sort` is `field:asc`, `field:desc` or just `field`. */
const sortByTime = (rows: readonly SentSubmission[], sort: string): SentSubmission[] => {
  const [field = '', direction] = sort.split(',')[0]!.split(':');
  const timeOf = (row: SentSubmission) => Date.parse(String(row[field as keyof SentSubmission])) || 0;
  const sign = direction === 'desc' ? -1 : 1;
  return rows.toSorted((one, other) => sign * (timeOf(one) - timeOf(other)));
};

export const examples = {
  list: ['routing-forms list', 'routing-forms list --json=uri,name'],
  get: ['routing-forms get "Talk to us"', 'routing-forms get PTGWAKBAYES6AVK5 --json=questions'],
  submission: [
    'routing-forms submission $(sched routing-forms submissions --limit 1 -o id)',
    'routing-forms submission $(sched routing-forms submissions --limit 1 -o id) --json',
  ],
  submissions: ['routing-forms submissions', 'routing-forms submissions PTGWAKBAYES6AVK5 --json'],
};

/** A table with a column for each question. All submissions must be to one form, because forms ask different questions. */
const withQuestions = (view: View): View => ({
  ...view,
  // The ID is in the other formats.
  tableColumns: (records) => [
    { header: 'SUBMITTED', path: 'created_at', as: 'time', priority: 4 },
    ...questionColumns(records, 3),
    { header: 'RESULT', path: 'result.type', value: openValue('result', 'type'), as: 'words', priority: 1 },
  ],
});

/** Stops after this many rows, once it is known whether there are more. */
async function* upTo(pages: AsyncIterable<SentSubmission[]>, limit: number, remainder?: Remainder) {
  let remaining = limit;
  for await (const page of pages) {
    if (remaining > 0 && page.length > 0) yield page.slice(0, remaining);
    remaining -= page.length;
    if (remainder !== undefined) remainder.isCut ||= remaining < 0;
    if (remaining < 0) return;
  }
}

/** The submissions of all forms: one form after another, or sorted. The service lists them only by form. */
const listAll = async (
  { view, fieldFlags }: GenericCommand,
  { request: { query = {}, rows }, bounds }: Required<OperationInput>,
  context: Context,
  forCsv: Listing['forCsv'],
): Promise<Plan> => {
  const client = await context.client();
  const organization = await context.identity.organization();
  const keep = keepOf(routingForms.submissions, rows);
  const ofForm = (form: Form, limit: number) => {
    // With a filter it is unknown how many rows are needed to find enough, so use the full page size.
    const options = { pageSize: bounds.pageSize, ...(keep === undefined ? { limit } : { keep }) };
    return client.pages(routingForms.submissions, { query: { form: String(form.uri), ...query } }, options);
  };
  const forms = () => client.pages(routingForms.list, { query: { organization } });
  /** The names of the forms, which people see beside the rows. */
  const formNames = new WeakMap<SentSubmission, unknown>();
  const addForScreen: Stage = async (rows) =>
    rows.map((row) => (formNames.has(row) ? withFacts(row, { form: formNames.get(row) }) : row));
  async function* submissions(limit: number): AsyncGenerator<SentSubmission[]> {
    let remaining = limit;
    for await (const page of forms()) {
      for (const form of page) {
        for await (const rows of ofForm(form, remaining)) {
          for (const row of rows) formNames.set(row, form.name);
          remaining -= rows.length;
          yield rows;
        }
        if (remaining <= 0) return;
      }
    }
  }
  async function* sortedSubmissions(sort: string, limit: number): AsyncGenerator<SentSubmission[]> {
    const allRows: SentSubmission[] = [];
    for await (const page of forms())
      for (const form of page) for await (const rows of upTo(ofForm(form, limit), limit)) allRows.push(...rows);
    yield sortByTime(allRows, sort);
  }
  const pages = (limit: number, remainder: Remainder) => {
    // One row more, to know whether there are more: the next one may be in another form.
    const source = query.sort === undefined ? submissions(limit + 1) : sortedSubmissions(String(query.sort), limit + 1);
    return upTo(source, limit, remainder);
  };
  const listing: Listing = {
    operation: routingForms.submissions,
    view,
    input: {},
    bounds,
    scope: { rows: 'submissions of all routing forms', hints: ['For a column per question, name a form'] },
    pages,
    addForScreen,
    forCsv,
  };
  const firstQuery = { organization, count: bounds.pageSize ?? limits.pageSize.max };
  return plan({
    requests: () => ({ operation: routingForms.list, inputs: [{ query: firstQuery }] }),
    remarks: [...rowRemarks(fieldFlags, rows), 'Then, for each form: GET /routing_form_submissions?form=…'],
    send: async () => ({ kind: 'listing', listing }),
  });
};

/** The form, or all forms if it isn't listed. Empty if the token may not read the forms. */
const readForms = async (context: Context, formReference: unknown): Promise<Form[]> => {
  const client = await context.client();
  const forms: Form[] = [];
  try {
    const query = { organization: await context.identity.organization() };
    for await (const page of client.pages(routingForms.list, { query })) forms.push(...page);
  } catch (error) {
    if (!hasCategory(error, 'forbidden', 'usage')) throw error;
    context.notes.info(`No column per question: ${error.message}`);
  }
  const matches = forms.filter(({ uri }) => idIn(uri) === idIn(formReference));
  return matches.length > 0 ? matches : forms;
};

/** A CSV file has a column per question and the name of the form. */
const csvColumns = async (context: Context, form: unknown): Promise<readonly Column[]> => {
  const forms = await readForms(context, form);
  if (forms.length === 0) return [];
  const questions = csvQuestionColumns(forms.flatMap((each) => recordsIn(each.questions)));
  const names = new Map(forms.map(({ uri, name }) => [uri, name]));
  const formName: Column = {
    header: 'form',
    path: 'form',
    value: (row: SentSubmission) => names.get(row.routing_form),
  };
  return [...questions, formName];
};

export const decorate = {
  submissions: (generic) => {
    const fieldFlags = generic.fieldFlags.map((flag) => (flag.name === 'form' ? { ...flag, required: false } : flag));
    const one = positional({ ...generic, fieldFlags, view: withQuestions(generic.view) }, 'form', false);
    return {
      ...one,
      notes: [
        'Without <form>, lists the submissions of all forms: one form after another, or with --sort in one order. The newest ten: --sort created_at:desc --limit 10.',
        'With -o csv, each question has a column of its own after the others, with the question as its header. The last column, form, is the name of the form.',
        ...(one.notes ?? []),
      ],
      run: taking(
        both(boundsInput, requestInput(one.operation, fieldFlags, one.arguments)),
        async (values, { context }) => {
          const { form } = values.request.query!;
          const forCsv = () => csvColumns(context, form);
          const command = { ...generic, fieldFlags };
          return form === undefined
            ? listAll(command, values, context, forCsv)
            : runOperation({ ...command, view: withQuestions(command.view), forCsv }, values, context);
        },
      ).run,
    };
  },
} satisfies Decorations;
