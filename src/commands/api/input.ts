import type { Argument } from '../../cli/command.ts';
import { type Input, related } from '../../cli/input/input.ts';
import { excludes, needs } from '../../cli/input/relations.ts';
import { argumentsIn, type Part } from '../../cli/parse/line-part.ts';
import type { GivenField } from './body-fields.ts';
import { type ApiFlags, apiFlags } from './flags.ts';
import { methods } from './method.ts';
import type { ApiRequest } from './read-request.ts';

const args: Argument[] = [
  { name: 'METHOD', description: `${methods.join(', ')}; optional for GET`, choices: methods },
  { name: 'path', description: 'path or full URL, with or without a query', required: true },
];

export interface ApiInput extends ApiFlags {
  request: ApiRequest;
  /** The user chose an output format, which needs JSON. Without one, the reply is printed unchanged. */
  isJson: boolean;
}

const fieldsIn = (parts: readonly Part[]): GivenField[] =>
  parts
    .filter(({ flag }) => flag === 'field' || flag === 'raw-field')
    .map(({ flag, value = '' }) => ({ raw: value, isConverted: flag === 'field' }));

/** What the request is depends on several values at once, so it is read as a whole. */
const requestInput: Input<ApiInput> = {
  ...apiFlags,
  arguments: args,
  draft: async (invocation, how) => {
    const { parts, context } = invocation;
    const flags = await (await apiFlags.draft(invocation, how))(context);
    const { draftRequest } = await import('./read-request.ts');
    const hasPageSize = how.given['page-size'] !== undefined;
    const given = { ...flags, words: argumentsIn(parts), fields: fieldsIn(parts), hasPageSize };
    const finish = await draftRequest(given, invocation, how);
    const isJson = ['json', 'jq', 'fields', 'output'].some((name) => how.given[name] !== undefined);
    return async () => ({ ...flags, isJson, request: await finish() });
  },
};

export const apiInput = related(
  requestInput,
  needs(['limit', 'pageSize'], ['paginate']),
  excludes('paginate', ['include'], ', which gets many replies'),
);
