import type { Schedule } from '../rules/availability.ts';
import type { EventTypeRecord, LocationRecord, UserRecord } from '../store/records.ts';
import type { Row } from '../world/draft.ts';

export interface Host {
  id: string;
  /** The key of the user in the world. */
  key: string;
  user: UserRecord;
  schedule: Schedule;
}

/** An event type with what the generators of events need to know. The first host is the owner. */
export interface HostedEventType {
  id: string;
  type: EventTypeRecord;
  seats: number;
  places: LocationRecord[];
  hosts: Host[];
}

/** The records of a table. */
export const docsOf = <Doc>(rows: readonly Row[], table: string): Doc[] =>
  rows.flatMap((row) => (row.table === table ? [row.doc as Doc] : []));

/** The event types in the rows of a world, oldest first. `members` are the keys of its users. */
export const hostedIn = (rows: readonly Row[], members: readonly string[]): HostedEventType[] => {
  const users = rows.filter(({ table }) => table === 'users');
  const schedules = rows.filter(({ table }) => table === 'schedules');
  return rows
    .filter(({ table }) => table === 'event_types')
    .map(({ columns: { id, invitee_limit, locations }, doc }) => ({
      id: String(id),
      type: doc as EventTypeRecord,
      seats: Number(invitee_limit),
      places: JSON.parse(String(locations)),
      hosts: schedules
        .filter(({ columns }) => columns.event_type === id)
        .map(({ columns, doc: schedule }) => {
          const index = users.findIndex(({ columns: { id: user } }) => user === columns.user);
          return {
            id: String(columns.user),
            key: members[index]!,
            user: users[index]!.doc as UserRecord,
            schedule: schedule as Schedule,
          };
        }),
    }));
};
