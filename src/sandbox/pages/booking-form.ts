import { isEmailAddress } from '../../api/email-address.ts';
import { type Detail, detail } from '../error-replies.ts';
import type { StoredEventType } from '../rules/event-type.ts';
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
  /** Whether more than one choice can be ticked. Each has a field of its own, such as `a1_0`. */
  isMultiple?: boolean;
}

type Question = StoredEventType['type']['custom_questions'][number];

/** The value of the choice to type another answer. Another value would be taken for an answer. */
const other = '…';

const questionField = (
  { name: label, type, required, answer_choices, include_other }: Question,
  index: number,
): Field => {
  const name = `a${index + 1}`;
  const isChoice = /_select$/.test(type) && answer_choices.length > 0;
  const plainType = type === 'text' ? 'textarea' : type === 'phone_number' ? 'tel' : 'text';
  const field: Field = { name, label, isRequired: required, type: plainType, isMultiple: type === 'multi_select' };
  if (!isChoice) return field;
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

const questionsOf = ({ type }: StoredEventType): Question[] =>
  type.custom_questions.filter(({ enabled }) => enabled).sort((one, another) => one.position - another.position);

const fieldsOf = (eventType: StoredEventType): Field[] => [
  { name: 'name', label: 'Name', type: 'text', isRequired: true, autocomplete: 'name' },
  { name: 'email', label: 'Email', type: 'email', isRequired: true, autocomplete: 'email' },
  ...placeFields(eventType.places),
  ...questionsOf(eventType).map(questionField),
];

type Choice = NonNullable<Field['choices']>[number];

const choiceName = ({ name, isMultiple }: Field, index: number): string => (isMultiple ? `${name}_${index}` : name);

/** The choices that are chosen. */
const chosenIn = (field: Field, values: Values): Choice[] =>
  field.choices?.filter(({ value }, index) => values[choiceName(field, index)] === value) ?? [];

/** What a field says: what was typed, or the choices with what was typed beside them. */
const answerIn = (field: Field, values: Values): string => {
  const textOf = ({ name }: Field) => values[name]?.trim() ?? '';
  if (field.choices === undefined) return textOf(field);
  const answers = chosenIn(field, values).map(({ value, needsText: isTyped }) =>
    isTyped && field.text ? textOf(field.text) : value,
  );
  return answers.filter(Boolean).join(', ');
};

const emailProblem = 'Enter a full email address, such as name@example.com';

const problemsOf = (field: Field, values: Values): Detail[] => {
  const { name, type, isRequired, choices, text, isMultiple } = field;
  const value = isMultiple ? '' : (values[name]?.trim() ?? '');
  const chosen = chosenIn(field, values);
  if (value === '' && chosen.length === 0) return isRequired ? [detail(name, 'is required')] : [];
  if (type === 'email' && !isEmailAddress(value)) return [detail(name, emailProblem)];
  if (choices && chosen.length === 0) return [detail(name, 'is not one of the choices')];
  return text && chosen.some((choice) => choice.needsText) ? problemsOf(text, values) : [];
};

/** What is wrong with a form, by the name of the field. */
export const formProblems = (eventType: StoredEventType, values: Values): Detail[] =>
  fieldsOf(eventType).flatMap((field) => problemsOf(field, values));

/** The place that was chosen, with the words of the invitee if it needs them. */
const placeIn = ({ places }: StoredEventType, values: Values): LocationRecord | undefined => {
  const place = places[places.length < 2 ? 0 : Number(values.location)];
  return place && needsText(place) ? { kind: place.kind, location: values.location_text!.trim() } : place;
};

/** The booking that a form without problems asks for, and the event type with the place that was chosen. */
export const bookingIn = (eventType: StoredEventType, values: Values, search: URLSearchParams) => {
  const location = placeIn(eventType, values);
  const custom_questions = questionsOf(eventType).flatMap((question, index) => {
    const answer = answerIn(questionField(question, index), values);
    return answer ? [{ question: question.name, answer, position: question.position }] : [];
  });
  const tracking = Object.fromEntries(
    Object.keys(noTracking).flatMap((name) => (search.get(name) ? [[name, search.get(name)!]] : [])),
  );
  return {
    bookable: { ...eventType, places: location ? [location] : [] },
    person: { name: values.name!.trim(), email: values.email!.trim() },
    more: { custom_questions, tracking, ...(location && { location }) },
  };
};

/** The fields as an invitee filled them in before. */
export const valuesOf = (eventType: StoredEventType, { invitee, event: { location } }: Booking): Values => {
  const place = eventType.places.findIndex(({ kind }) => kind === location?.type);
  const answers = questionsOf(eventType).flatMap(({ name }, index) => {
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
const allFields = (eventType: StoredEventType): Field[] =>
  fieldsOf(eventType).flatMap((field) => (field.text ? [field, field.text] : [field]));

/** What was typed so far, without what belongs to one page: for a link to another one. */
export const filledIn = (eventType: StoredEventType, values: Values): Values =>
  Object.fromEntries(
    allFields(eventType).flatMap((field) => {
      const value = field.isMultiple ? answerIn(field, values) : values[field.name];
      return value ? [[field.name, value]] : [];
    }),
  );

interface FormState {
  values: Values;
  problems: readonly Detail[];
}

/** Leads from a field to what is wrong with it. */
const describedBy = ({ name }: Field, { problems }: FormState): Content =>
  problems.some(({ parameter }) => parameter === name) && html` aria-describedby="${name}-problem"`;

const drawText = (field: Field, state: FormState, isRequired: boolean): Html => {
  const { name, type, autocomplete } = field;
  const described = describedBy(field, state);
  const facts = html` id="${name}" name="${name}"${isRequired && html` required`}${
    autocomplete !== undefined && html` autocomplete="${autocomplete}"`
  }${described && html` aria-invalid="true"`}${described}`;
  const value = state.values[name] ?? '';
  return type === 'textarea'
    ? html`<textarea rows="3"${facts}>
${value}</textarea>`
    : html`<input type="${type}" value="${value}"${facts}>`;
};

const drawLabel = ({ label, isRequired }: Field): Content => [
  html`<bdi>${label}</bdi>`,
  !isRequired && html` <span class="optional">(optional)</span>`,
];

/** Whether a message says all, without the name of its field before it. */
const isSentence = (message: string): boolean => /^[A-Z]/.test(message);

const drawProblem = ({ name, label }: Field, { problems }: FormState): Content =>
  problems
    .filter(({ parameter }) => parameter === name)
    .map(
      ({ message }) =>
        html`<p class="problem" id="${name}-problem">${isSentence(message) ? message : html`<bdi>${label}</bdi> ${message}`}</p>`,
    );

/** Text beside a choice is shown while that choice is chosen, so the browser must not require it. */
const drawField = (field: Field, state: FormState, isRequired = field.isRequired): Html => {
  const { name, choices, text } = field;
  if (choices === undefined)
    return html`<div class="field"><label for="${name}">${drawLabel(field)}</label>
${drawText(field, state, isRequired)}${drawProblem(field, state)}</div>`;
  const isShort = !text && choices.length < 4 && choices.every(({ label }) => label.length < 20);
  const kind = field.isMultiple ? 'checkbox' : 'radio';
  const chosen = chosenIn(field, state.values);
  const drawn = choices.map((choice, index) => {
    const { value, label, needsText: hasText } = choice;
    return html`<label><input type="${kind}" name="${choiceName(field, index)}" value="${value}"${index === 0 && html` id="${name}"`}${
      hasText && html` class="other"`
    }${isRequired && !field.isMultiple && html` required`}${chosen.includes(choice) && html` checked`}> <bdi>${label}</bdi></label>`;
  });
  return html`<fieldset${describedBy(field, state)}><legend>${drawLabel(field)}</legend><div class="choices ${isShort && 'flat'}">${drawn}</div>
${text && html`<div class="beside">${drawField(text, state, false)}</div>`}${drawProblem(field, state)}</fieldset>`;
};

/** Ticks the choices of an answer such as `S, L` in an address. What isn't one of them is another answer. */
const withOther = (eventType: StoredEventType, values: Values): Values => {
  const chosen = { ...values };
  for (const field of fieldsOf(eventType)) {
    const { name, choices = [], text, isMultiple } = field;
    const value = values[name];
    if (value === undefined || choices.length === 0) continue;
    let rest = `, ${value}, `;
    for (const [index, choice] of choices.entries()) {
      if (!isMultiple ? value !== choice.value : !rest.includes(`, ${choice.value}, `)) continue;
      chosen[choiceName(field, index)] = choice.value;
      rest = rest.replace(`, ${choice.value}, `, ', ');
    }
    const others = rest.split(', ').filter(Boolean).join(', ');
    if (text?.name !== `${name}_other` || others === '' || choices.some((choice) => choice.value === value)) continue;
    chosen[choiceName(field, choices.length - 1)] = other;
    chosen[text.name] = others;
  }
  return chosen;
};

export const drawFields = (eventType: StoredEventType, values: Values, problems: readonly Detail[] = []): Html => {
  const state = { values: withOther(eventType, values), problems };
  const [name, email, ...rest] = fieldsOf(eventType).map((field) => drawField(field, state));
  return html`<div class="pair">${name}${email}</div>${rest}`;
};

/** The problems, each with a link to its field. */
export const drawProblems = (eventType: StoredEventType, problems: readonly Detail[]): Html => {
  const fields = allFields(eventType);
  return html`<ul>${problems.map(({ parameter, message }) => {
    const field = fields.find(({ name }) => name === parameter);
    if (field && isSentence(message)) return html`<li><a href="#${field.name}">${message}</a></li>`;
    return html`<li>${field && html`<a href="#${field.name}"><bdi>${field.label}</bdi></a>`} ${message}</li>`;
  })}</ul>`;
};
