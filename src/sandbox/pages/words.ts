import { counted } from '../../base/numbers.ts';
import type { LocationRecord } from '../store/records.ts';
import type { Content } from './html.ts';

export const minutes = (number: number): string => counted(number, 'minute');

/** `Ada, Ben and Cem` */
export const joinList = (parts: readonly Content[]): Content =>
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

export const placeName = (kind: string): string => places[kind as LocationRecord['kind']] ?? kind;
