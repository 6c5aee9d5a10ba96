import { isEmailAddress } from '../../api/email-address.ts';
import { type Detail, detail } from '../error-replies.ts';
import type { KnownEventType } from '../rules/event-type.ts';
import { type LocationRecord, noTracking } from '../store/records.ts';
import type { Booking } from './booking.ts';
import { type Content, type Html, html } from './html.ts';
import { placeName } from './words.ts';

/** What a form or an address carries, by the name of the field. */
export type Values = Record<string, string>;

interface Field {
  name: string;
  label: string;
  type: 'text' | 'email' | 'tel' | 'textarea';
  isRequired: boolean;
  autocomplete?: string;
  /** To choose from, instead of typing. */
  choices?: { value: string; label: string; needsText?: boolean }[];
  /** Asked for besides a choice that needs text. */
  text?: Field;
}

type Question = KnownEventType['type']['custom_questions'][number];

/** The value of the choice to type another answer. Another value would be taken for an answer. */
const other = '…';

const questionField = (
  { name: label, type, required, answer_choices, include_other }: Question,
  index: number,
): Field => {
  const name = `a${index + 1}`;
  const field: Field = { name, label, isRequired: required, type: type === 'text' ? 'textarea' : 'text' };
  if (type !== 'single_select') return field;
  const choices = answer_choices.map((value) => ({ value, label: value }));
  if (!include_other) return { ...field, choices };
  return {
    ...field,
    choices: [...choices, { value: other, label: 'Other', needsText: true }],
    text: { name: `${name}_other`, label: 'Your answer', type: 'text', isRequired: true },
  };
};

const needsText = ({ kind }: LocationRecord): boolean => kind === 'ask_invitee' || kind === 'outbound_call';

/** Asks for a phone number, for the place, or which of several places. */
const placeFields = (places: readonly LocationRecord[]): Field[] => {
  const kinds = places.filter(needsText).map(({ kind }) => kind);
  const isCall = kinds.every((kind) => kind === 'outbound_call');
  const isMixed = !isCall && kinds.includes('outbound_call');
  const text: Field = {
    name: 'location_text',
    label: isCall ? 'Your phone number' : isMixed ? 'Your phone number, or the place' : 'Where should we meet?',
    type: isCall ? 'tel' : 'text',
    isRequired: true,
    ...(isCall && { autocomplete: 'tel' }),
  };
  if (places.length < 2) return kinds.length > 0 ? [text] : [];
  const choices = places.map((place, index) => ({
    value: String(index),
    label: [placeName(place.kind), ...(place.location ? [place.location] : [])].join(': '),
    needsText: needsText(place),
  }));
  return [{ name: 'location', label: 'Where', type: 'text', isRequired: true, choices, text }];
};

const questionsOf = ({ type }: KnownEventType): Question[] =>
  type.custom_questions.filter(({ enabled }) => enabled).sort((one, another) => one.position - another.position);

const fieldsOf = (known: KnownEventType): Field[] => [
  { name: 'name', label: 'Name', type: 'text', isRequired: true, autocomplete: 'name' },
  { name: 'email', label: 'Email', type: 'email', isRequired: true, autocomplete: 'email' },
  ...placeFields(known.places),
  ...questionsOf(known).map(questionField),
];

/** The field whose text a choice asks for, if that choice is the chosen one. */
const textBeside = ({ choices, text }: Field, value: string | undefined): Field | undefined =>
  choices?.find((choice) => choice.value === value)?.needsText ? text : undefined;

const problemsOf = (field: Field, values: Values): Detail[] => {
  const { name, type, isRequired, choices } = field;
  const value = values[name]?.trim() ?? '';
  if (value === '') return isRequired ? [detail(name, 'is required')] : [];
  if (type === 'email' && !isEmailAddress(value)) return [detail(name, 'is not an email address')];
  if (choices && !choices.some((choice) => choice.value === value)) return [detail(name, 'is not one of the choices')];
  const text = textBeside(field, value);
  return text ? problemsOf(text, values) : [];
};

/** What is wrong with a form, by the name of the field. */
export const formProblems = (known: KnownEventType, values: Values): Detail[] =>
  fieldsOf(known).flatMap((field) => problemsOf(field, values));

/** The place that was chosen, with the words of the invitee if it needs them. */
const placeIn = ({ places }: KnownEventType, values: Values): LocationRecord | undefined => {
  const place = places[places.length < 2 ? 0 : Number(values.location)];
  return place && needsText(place) ? { kind: place.kind, location: values.location_text!.trim() } : place;
};

/** The booking that a form without problems asks for, and the event type with the place that was chosen. */
export const bookingIn = (known: KnownEventType, values: Values, search: URLSearchParams) => {
  const location = placeIn(known, values);
  const custom_questions = questionsOf(known).flatMap((question, index) => {
    const field = questionField(question, index);
    const text = textBeside(field, values[field.name]);
    const answer = values[text?.name ?? field.name]?.trim();
    return answer ? [{ question: question.name, answer, position: question.position }] : [];
  });
  const tracking = Object.fromEntries(
    Object.keys(noTracking).flatMap((name) => (search.get(name) ? [[name, search.get(name)!]] : [])),
  );
  return {
    bookable: { ...known, places: location ? [location] : [] },
    person: { name: values.name!.trim(), email: values.email!.trim() },
    more: { custom_questions, tracking, ...(location && { location }) },
  };
};

/** The fields as an invitee filled them in before. */
export const valuesOf = (known: KnownEventType, { invitee, event: { location } }: Booking): Values => {
  const place = known.places.findIndex(({ kind }) => kind === location?.type);
  const answers = questionsOf(known).flatMap(({ name }, index) => {
    const answered = invitee.questions_and_answers.find(({ question }) => question === name);
    return answered ? [[`a${index + 1}`, answered.answer]] : [];
  });
  return {
    name: invitee.name,
    email: invitee.email,
    location: String(place),
    location_text: String(location?.location ?? ''),
    ...Object.fromEntries(answers),
  };
};

/** The fields with those for the text beside a choice. */
const allFields = (known: KnownEventType): Field[] =>
  fieldsOf(known).flatMap((field) => (field.text ? [field, field.text] : [field]));

/** What was typed so far, without what belongs to one page: for a link to another one. */
export const typedIn = (known: KnownEventType, values: Values): Values =>
  Object.fromEntries(allFields(known).flatMap(({ name }) => (values[name] ? [[name, values[name]]] : [])));

interface Shown {
  values: Values;
  problems: readonly Detail[];
}

const drawText = ({ name, type, autocomplete }: Field, { values, problems }: Shown, isRequired: boolean): Html => {
  const problem = problems.find(({ parameter }) => parameter === name);
  const facts = html` id="${name}" name="${name}"${isRequired && html` required`}${
    autocomplete !== undefined && html` autocomplete="${autocomplete}"`
  }${problem && html` aria-invalid="true" aria-describedby="${name}-problem"`}`;
  const value = values[name] ?? '';
  return type === 'textarea'
    ? html`<textarea rows="3"${facts}>
${value}</textarea>`
    : html`<input type="${type}" value="${value}"${facts}>`;
};

const drawLabel = ({ label, isRequired }: Field): Content => [
  html`<bdi>${label}</bdi>`,
  !isRequired && html` <span class="optional">(optional)</span>`,
];

const drawProblem = ({ name, label }: Field, { problems }: Shown): Content =>
  problems
    .filter(({ parameter }) => parameter === name)
    .map(({ message }) => html`<p class="problem" id="${name}-problem"><bdi>${label}</bdi> ${message}</p>`);

/** Text beside a choice is shown while that choice is chosen, so the browser must not require it. */
const drawField = (field: Field, shown: Shown, isRequired = field.isRequired): Html => {
  const { name, choices, text } = field;
  if (choices === undefined)
    return html`<div class="field"><label for="${name}">${drawLabel(field)}</label>
${drawText(field, shown, isRequired)}${drawProblem(field, shown)}</div>`;
  const isShort = !text && choices.length < 4 && choices.every(({ label }) => label.length < 20);
  const drawn = choices.map(
    ({ value, label, needsText: hasText }, index) =>
      html`<label><input type="radio" name="${name}" value="${value}"${index === 0 && html` id="${name}"`}${
        hasText && html` class="other"`
      }${isRequired && html` required`}${shown.values[name] === value && html` checked`}> <bdi>${label}</bdi></label>`,
  );
  return html`<fieldset><legend>${drawLabel(field)}</legend><div class="choices ${isShort && 'flat'}">${drawn}</div>
${text && html`<div class="beside">${drawField(text, shown, false)}</div>`}${drawProblem(field, shown)}</fieldset>`;
};

/** An answer in an address that isn't one of the choices is another answer. */
const withOther = (known: KnownEventType, values: Values): Values => {
  const chosen = { ...values };
  for (const { name, choices, text } of fieldsOf(known)) {
    const value = values[name];
    if (text?.name !== `${name}_other` || value === undefined) continue;
    if (choices?.some((choice) => choice.value === value)) continue;
    chosen[name] = other;
    chosen[text.name] = value;
  }
  return chosen;
};

export const drawFields = (known: KnownEventType, values: Values, problems: readonly Detail[] = []): Html => {
  const shown = { values: withOther(known, values), problems };
  const [name, email, ...rest] = fieldsOf(known).map((field) => drawField(field, shown));
  return html`<div class="pair">${name}${email}</div>${rest}`;
};

/** The problems, each with a link to its field. */
export const drawProblems = (known: KnownEventType, problems: readonly Detail[]): Html => {
  const fields = allFields(known);
  return html`<ul>${problems.map(({ parameter, message }) => {
    const field = fields.find(({ name }) => name === parameter);
    return html`<li>${field && html`<a href="#${field.name}"><bdi>${field.label}</bdi></a>`} ${message}</li>`;
  })}</ul>`;
};
