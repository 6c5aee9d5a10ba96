import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { usageError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import type { JsonSchema } from '../schema/output-schema.ts';
import type { Values } from './parameters.ts';
import { cutText } from './shorten.ts';

export const noTool = (name: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `No tool "${cutText(name, 100)}"`);

/** The problem with a property that the schema doesn't have. The validator doesn't name it. */
const unknownProblem = (name: string, argumentNames: readonly string[]): string => {
  const meant = nearest(name.slice(0, 100), argumentNames);
  return `unknown argument "${cutText(name, 100)}"${meant === undefined ? '' : `, did you mean "${meant}"?`}`;
};

/** Makes a function that throws if values don't match a schema. The error names each wrong property. */
export const createCheck = () => {
  const ajv = new AjvJsonSchemaValidator();
  return (schema: JsonSchema, values: Values): void => {
    const verdict = ajv.getValidator(schema as never)(values);
    if (verdict.valid) return;
    const argumentNames = Object.keys(schema.properties as object);
    const unknown = Object.keys(values).filter((name) => !argumentNames.includes(name));
    const problems =
      unknown.length === 0 ? [verdict.errorMessage] : unknown.map((name) => unknownProblem(name, argumentNames));
    throw usageError([`Wrong arguments: ${problems.slice(0, 5).join(', ')}`]);
  };
};
