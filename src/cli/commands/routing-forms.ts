import { routingForms } from '../../api/routing-forms.ts';
import type { Json } from '../../client/reading.ts';
import type { Command, Invocation } from '../command.ts';
import { type GenericCommand, positional, printRequest } from '../operation/generic-command.ts';
import { readInput } from '../operation/input.ts';
import { printPages, readBounds } from '../operation/listing.ts';

export const examples = {
  list: ['routing-forms list', 'routing-forms list --json=uri,name'],
  submissions: ['routing-forms submissions', 'routing-forms submissions PTGWAKBAYES6AVK5 --json'],
};

/** Lists the submissions of all forms, one form after another: the service lists them only by form. */
const runAll = async ({ view, fieldFlags }: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context } = invocation;
  const bounds = readBounds(invocation);
  const sorting = fieldFlags.filter(({ name }) => name === 'sort');
  const { query } = await readInput(invocation, routingForms.submissions, sorting);
  const client = await context.client();
  const organization = await context.identity.organization();
  if (context.settings.dryRun) {
    context.notes.info('Then, for each form: GET /routing_form_submissions?form=…');
    return printRequest(invocation, routingForms.list, [{ query: { organization, count: bounds.pageSize } }]);
  }
  async function* submissions(limit: number): AsyncGenerator<Json[]> {
    let left = limit;
    for await (const forms of client.pages(routingForms.list, { query: { organization } })) {
      for (const form of forms) {
        const options = { limit: left, pageSize: bounds.pageSize };
        for await (const page of client.pages(
          routingForms.submissions,
          { query: { form: String(form.uri), ...query } },
          options,
        )) {
          left -= page.length;
          yield page;
        }
        if (left <= 0) return;
      }
    }
  }
  await printPages(invocation, view, (limit) => submissions(limit), bounds, 'Showing all routing forms');
};

export const decorate = {
  submissions: (generic: GenericCommand): Command => {
    const one = positional(generic, 'form', false);
    return {
      ...one,
      notes: ['Without <form>, lists the submissions of all forms, one form after another.'],
      run: (invocation) =>
        invocation.args.length === 0 && invocation.typed.form === undefined
          ? runAll(generic, invocation)
          : one.run(invocation),
    };
  },
};
