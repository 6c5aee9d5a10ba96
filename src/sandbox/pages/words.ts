import type { LocationRecord } from '../store/records.ts';
import { type Content, html } from './html.ts';

const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`;

/** `Ada, Ben and Cem` */
const list = (parts: readonly Content[]): Content =>
  parts.map((part, index) => [index > 0 && (index === parts.length - 1 ? ' and ' : ', '), part]);

const places: Record<LocationRecord['kind'], string> = {
  physical: 'In person',
  custom: 'As agreed',
  ask_invitee: 'At a place of your choice',
  inbound_call: 'You call us',
  outbound_call: 'We call you',
  google_conference: 'Google Meet',
  zoom_conference: 'Zoom',
  microsoft_teams_conference: 'Microsoft Teams',
  webex_conference: 'Webex',
  gotomeeting_conference: 'GoTo Meeting',
};

/** All words of the booking pages. Those of another language would be a table of the same type. */
export const words = {
  list,
  minutes: (number: number) => count(number, 'minute'),
  questions: (number: number) => count(number, 'question'),
  place: (kind: string) => places[kind as LocationRecord['kind']] ?? kind,
  placeWithLink: (place: string) => `${place}; the link comes with the confirmation`,
  upTo: (number: number) => `Up to ${count(number, 'person')}`.replace('persons', 'people'),
  seats: (left: number, limit: number) => `${left} of ${count(limit, 'seat')} left`,
  lengths: 'Length',

  weeks: 'Weeks',
  earlierWeeks: 'Earlier weeks',
  laterWeeks: 'Later weeks',
  free: (number: number) => `${number} free`,
  morning: 'Morning',
  afternoon: 'Afternoon',
  noneInWeeks: 'No free times in these weeks',
  noneOnDay: 'No free times on this day',
  noneLeft: 'No free times are left',
  otherMeetings: (host: Content) => html`Other meetings with ${host}`,
  notFree: (time: string) => `${time} is no longer free`,

  zoneNow: (zone: string, time: string) => `${zone}, now ${time}`,
  change: 'Change',
  browserZone: "Your browser's time zone",
  hostZone: (time: string) => `the host's, ${time}`,
  otherZone: 'Another time zone',
  showZone: 'Show times in this zone',
  unknownZone: (zone: Content) => html`There is no time zone called ${zone}. Use a name such as Europe/Paris.`,

  details: 'Your details',
  name: 'Name',
  email: 'Email',
  optional: '(optional)',
  other: 'Other',
  otherAnswer: 'Your answer',
  where: 'Where',
  phone: 'Your phone number',
  meetingPlace: 'Where should we meet?',
  phoneOrPlace: 'Your phone number, or the place',
  book: 'Book this time',
  bookChosen: 'Book the chosen time',
  otherTime: 'Choose another time',

  check: 'Please check these fields',
  required: 'is required',
  badEmail: 'is not an email address',
  badChoice: 'is not one of the choices',
  twice: 'is already booked for this time',
  expired: 'This page was open for more than two hours',
  sendAgain: 'Nothing was booked yet. What you typed is kept: look at it, and send it again.',
  justBooked: (time: string) => `${time} was booked a moment ago`,
  kept: 'Nothing was booked for you, and what you typed is kept.',
  otherTimes: 'Choose another time on that day',
  noOtherTimes: 'No other time is free on that day.',
  otherDays: 'Other days',
  taken: 'taken',

  usedTitle: 'This link was used',
  used: 'It was for one booking. Ask for a new link if you want to book again.',

  bookedWith: (hosts: Content) => html`You are booked with ${hosts}`,
  canceledWith: (hosts: Content) => html`The meeting with ${hosts} was canceled`,
  noMail: (email: Content) =>
    html`A real service would now send the invitation to ${email}. The sandbox sends no mail.`,
  what: 'What',
  when: 'When',
  who: 'Who',
  sameTime: 'the same time',
  hostTime: (time: string, host: Content, zone: string) => html`${time} for ${host} in ${zone}`,
  addToCalendar: 'Add to calendar (.ics)',
  bookAnother: 'Book another meeting',
  plansChange: (reschedule: Content, cancel: Content) => html`Plans change: ${reschedule} or ${cancel}.`,
  reschedule: 'reschedule',
  cancel: 'cancel',

  cancelTitle: 'Cancel this meeting?',
  reason: 'Reason',
  cancelMeeting: 'Cancel the meeting',
  rescheduleInstead: 'Reschedule instead',
  cancelAgain: 'Nothing was canceled yet. What you typed is kept: look at it, and send it again.',
  closed: {
    canceled: 'This meeting was canceled',
    moved: 'This meeting was moved to another time',
    past: 'This meeting has begun',
    notOffered: "This meeting can't be moved",
  },
  canceledOn: (time: string) => `Canceled on ${time}.`,
  newTime: 'Show the new time',
  started: (time: string) => `It began on ${time}, so it can't be changed any more.`,
  notOffered: 'Its host no longer offers meetings of this kind. You can still cancel it.',
  now: (time: string) => html`Now: ${time}`,
  moveTitle: (meeting: Content) => html`Reschedule ${meeting}`,
  move: 'Move the meeting to this time',
  moveChosen: 'Move the meeting to the chosen time',

  meetingsWith: (name: string) => `Meetings with ${name}`,
  noMeetings: 'Nothing can be booked here at the moment.',
  forDevelopers: 'For developers',
  queued: (number: number) => `queued for ${count(number, 'webhook')}`,
  desk: 'Desk',
};
