import type { Command } from '../command.ts';
import { type OperationCommand, positional } from '../operation-command.ts';

export const examples = {
  list: ['event-types list', 'event-types list --active --json=uri,name,duration'],
  get: ['event-types get YBL6DUNR9FS4PNP6', 'event-types get YBL6DUNR9FS4PNP6 --json'],
  create: [
    'event-types create --name "Design review" --duration 45',
    'event-types create --name Chat --color "#3366ff" --location-kind zoom_conference',
  ],
  update: ['event-types update YBL6DUNR9FS4PNP6 --duration 20', 'event-types update YBL6DUNR9FS4PNP6 --no-active'],
  hosts: ['event-types hosts K2C8C7DLAMCWKYZ7', 'event-types hosts K2C8C7DLAMCWKYZ7 --json'],
};

export const decorate = {
  hosts: (generic: OperationCommand): Command => positional(generic, 'event-type', true),
};
