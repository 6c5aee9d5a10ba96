import { type Json, recordsIn } from '../base/json.ts';
import { isNothing, plainCell } from './cells.ts';
import type { Column } from './view.ts';

/** The answers of an invitee or a submission whose question is known. The documentation doesn't show their contents. */
const answersWithQuestions = (record: object): (Json & { question: string })[] => {
  const { questions_and_answers: answers } = record as Json;
  return recordsIn(answers).filter((each): each is Json & { question: string } => typeof each.question === 'string');
};

/** Answers of another form, as they came. */
const otherAnswers = (record: object): unknown => {
  const { questions_and_answers: answers } = record as Json;
  const answersWithQuestion = answersWithQuestions(record);
  return Array.isArray(answers) ? answers.filter((each) => !answersWithQuestion.includes(each)) : answers;
};

/** Running text as one paragraph: line breaks become spaces. */
export const flowing = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Answers with their questions: `Company: Example Ltd`, `What is it about? Support`. */
export const answerTexts = (record: object): unknown[] => [
  ...answersWithQuestions(record).map(({ question, answer }) => {
    const questionText = flowing(question);
    const given = typeof answer === 'string' ? flowing(answer) : answer;
    return `${questionText}${questionText.endsWith('?') ? '' : ':'} ${plainCell(given) || 'none'}`;
  }),
  ...[otherAnswers(record)].flat(),
];

/** The same as one text. */
export const answersText = (record: object): string =>
  answerTexts(record)
    .filter((text) => !isNothing(text))
    .map(plainCell)
    .join('; ');

/** More than any terminal has room for. */
const mostQuestions = 20;
const longestHeader = 200;

/** Columns of a table: one for each question that these records answer. */
export const questionColumns = (records: readonly object[], priority: number): Column[] => {
  const questions = new Set(records.flatMap((record) => answersWithQuestions(record).map(({ question }) => question)));
  const columns = [...questions].slice(0, mostQuestions).map(
    (question, index): Column => ({
      header: question.slice(0, longestHeader),
      path: `questions_and_answers.${index}.answer`,
      value: (record) => answersWithQuestions(record).find((each) => each.question === question)?.answer,
      priority,
    }),
  );
  const other: Column = { header: 'ANSWERS', path: 'questions_and_answers', value: otherAnswers, priority };
  return records.some((record) => !isNothing(otherAnswers(record))) ? [...columns, other] : columns;
};

/**
 * Columns of a CSV file: one for each question, known before the rows are. Questions with the same text share a column.
 * `answering` is the record of a row that has the answers.
 */
export const csvQuestionColumns = (
  questions: readonly Json[],
  answering: (row: object) => object = (row) => row,
): Column[] =>
  [...new Set(questions.flatMap(({ name }) => (typeof name === 'string' ? [name] : [])))].map((name) => ({
    header: name,
    path: name,
    value: (row) => {
      const uuids = questions
        .filter((question) => question.name === name && question.uuid !== undefined)
        .map(({ uuid }) => uuid);
      // A question may have been renamed since it was answered.
      return answersWithQuestions(answering(row)).find(
        ({ question_uuid: uuid, question }) => uuids.includes(uuid) || question === name,
      )?.answer;
    },
  }));
